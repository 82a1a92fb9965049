"""The world's own judgement as Inspect's scores: `exact` and `paper`, each the value in [0, 1]."""

from __future__ import annotations

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from intercode.integrations.inspect.episodes import find_episode
from intercode.integrations.inspect.names import qualify
from intercode.types import Scoring, leading_reward


@scorer(metrics=[mean(), stderr()], name=qualify("exact"))
def exact() -> Scorer:
    """Return what the episode's ending is worth under `exact`, or under the reward that the task was given."""
    return _judge("exact")


@scorer(metrics=[mean(), stderr()], name=qualify("paper"))
def paper() -> Scorer:
    """Return what the episode's ending is worth as the paper counts it."""
    return _judge("paper")


def _judge(scoring: Scoring) -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        episode = find_episode(state)
        name = leading_reward(scoring, episode.env.reward_name)
        found = (await episode.judge(state.output.completion)).get(name)
        if found is None:
            return Score.unscored(explanation=f"not judged: {episode.env.status}")
        metadata = {"success": found.success, "parts": dict(found.parts), "status": episode.env.status}
        return Score(
            value=found.value, answer=episode.env.answer, explanation="\n".join(found.notes), metadata=metadata
        )

    return score
