"""Rewards along the way that leave the best policy the best: after each action the change of a potential.

After Ng, Harada and Russell, "Policy invariance under reward transformations" (ICML 1999), without discounting: the
rewards of an episode add up to its final score minus the start's potential, whatever happened in between. A way around
and back to the same state earns nothing.
"""

from __future__ import annotations

from dataclasses import replace
from math import floor

from intercode.env.judging import judge
from intercode.env.world import World
from intercode.types import Score, Scores

LEVELS = 20
"""How many values the potential of a state has that is no success: so finely, and no finer, can a gold be probed."""


def start(env: World) -> None:
    """Take the potential of the state in which an episode starts."""
    if env.step_reward == "progress":
        env.episode = replace(env.current_episode, potential=potential(env))


def reward(env: World, scores: Scores | None, *, is_over: bool) -> float:
    """Return what the last action is worth, whose *scores* are there where it was judged.

    With `progress`, that is how much the potential grew. Where the episode *is_over*, its final score stands for it.
    """
    if env.step_reward == "none":
        return 0.0 if scores is None else _leading(env, scores).value
    before = env.current_episode.potential
    after = potential(env) if not is_over else 0.0 if scores is None else _leading(env, scores).value
    env.episode = replace(env.current_episode, potential=after)
    return after - before


def potential(env: World) -> float:
    """Return how near the state is to what would be a success: 1 for one that is, else one of `LEVELS` values below 1.

    0 for a task that nothing judges. An answer within reach of chance adds nothing: it is paid at the end alone.
    """
    with env.freeze():
        return _potential(env)


def _potential(env: World) -> float:
    judgement = judge(env)
    if judgement.scores is None:
        return 0.0
    score, ending = _leading(env, judgement.scores), judgement.result.ending
    if env.is_answer_guessed(ending):
        score = Score(0.0, success=False, parts={**score.parts, "answer": 0.0})
    if score.success:
        return 1.0
    return min(floor(env.potential_of(ending, score) * LEVELS) / LEVELS, (LEVELS - 1) / LEVELS)


def _leading(env: World, scores: Scores) -> Score:
    """Return the score that counts; nothing where that reward has not judged, as `paper` a task without a gold."""
    return scores.get(env.leading_reward, Score(0.0, success=False))
