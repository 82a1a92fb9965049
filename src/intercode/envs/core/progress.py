"""Rewards along the way that leave the best policy the best: after each action the change of a potential.

After Ng, Harada and Russell, "Policy invariance under reward transformations" (ICML 1999), without discounting: the
rewards of an episode add up to its final score minus the start's potential, whatever happened in between. A way around
and back to the same state earns nothing.

A part of `Env`, in a file of its own: it knows what `Env` keeps to itself.
"""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING

from intercode.types import Scores

if TYPE_CHECKING:
    from intercode.envs.base import Env

LEVELS = 20
"""How many values the potential of a state has that is no success: so finely, and no finer, can a gold be probed."""


def start(env: Env) -> None:
    """Take the potential of the state in which an episode starts."""
    if env.step_reward == "progress":
        env._potential = potential(env)


def reward(env: Env, scores: Scores | None, *, is_over: bool) -> float:
    """What the last action is worth, whose *scores* are there where it was judged.

    With `progress`, that is how much the potential grew. Where the episode *is_over*, its final score stands for it.
    """
    if env.step_reward == "none":
        return 0.0 if scores is None else scores[env.scoring].value
    before = env._potential
    if is_over:
        env._potential = 0.0 if scores is None else scores["exact"].value
    else:
        env._potential = potential(env)
    return env._potential - before


def potential(env: Env) -> float:
    """How near the state is to what would be a success: 1 for one that is, else one of `LEVELS` values below 1.

    0 for a task that nothing judges.
    """
    env._is_final = False
    try:
        scores = env._judge.scores(env)
    finally:
        env._is_final = True
    if scores is None:
        return 0.0
    exact = scores["exact"]
    if exact.success:
        return 1.0
    return min(floor(env.nearness(exact) * LEVELS) / LEVELS, (LEVELS - 1) / LEVELS)
