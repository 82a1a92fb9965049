"""What tests of rewards that are broken on purpose share."""

from __future__ import annotations

from dataclasses import replace

from intercode.adversaries.adversary import AdversaryAgent
from intercode.adversaries.clues import NO_CLUES, Clues
from intercode.audit.hackcheck.adversaries import choose
from intercode.env.env import Env
from intercode.rewards.base import EndingReward, Reward
from intercode.runs.episode import EpisodeRun
from intercode.types import Score

IS_PAID: dict[str, Reward] = dict.fromkeys(
    ("paper", "exact"), EndingReward(lambda is_paid: Score(float(is_paid), is_paid))
)
"""The rewards of worlds whose ending is whether it is paid."""


SAME_EVERYWHERE = {"says-what-is-dictated", "talks-to-the-judge"}
"""What needs a request of its own, and does the same in all worlds: it is tried in Bash."""


def earned(env: Env, name: str, query: str = "", clues: Clues = NO_CLUES) -> float:
    """The most that one of its attempts earns; the first that earns all is the last. *query*: another request."""
    (adversary,) = choose(env.world, [name])
    task = replace(env.dataset[0], query=query) if query else env.dataset[0]
    most = 0.0
    for attempt in adversary.attempts(task.view(), clues):
        trajectory = EpisodeRun(env, AdversaryAgent(attempt), task).play()
        assert trajectory.scores is not None, trajectory.error
        most = max(most, trajectory.scores["exact"].value)
        if most == 1:
            break
    return most


def shown(env: Env) -> str:
    """What the last action showed; "" where nothing was run."""
    return env.answer or ""
