"""How the turns, rewards and seconds of a run's episodes are spread, in steps that all runs share: they add up."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from intercode.report.summary import are_rewards, is_counted
from intercode.types import Trajectory

STEPS = 10
"""Of rewards from 0 to 1; a 1 is a step of its own."""


def spreads(episodes: Sequence[Trajectory], scoring: str) -> dict[str, dict[str, Any]]:
    """Return the spreads of *episodes* under *scoring*, each by what its steps begin with.

    `turns` has successes and episodes for each number of turns, `reward` and `seconds` have episodes. Seconds go in
    steps of 1, 2, 5, 10, 20 and so on.
    """
    counted = [each for each in episodes if is_counted(each)]
    all_of, won = Counter(map(_turns, counted)), Counter(_turns(each) for each in counted if each.success(scoring))
    rewards = [value for each in counted if are_rewards([value := each.value(scoring) or 0.0])]
    return {
        "turns": {str(number): [won[number], count] for number, count in sorted(all_of.items())},
        "reward": _count([f"{math.floor(max(0.0, value) * STEPS) / STEPS:g}" for value in rewards]),
        "seconds": _count([f"{_step(each.seconds):g}" for each in episodes if each.seconds > 0]),
    }


def _turns(episode: Trajectory) -> int:
    return len(episode.turns)


def _count(steps: Sequence[str]) -> dict[str, int]:
    return dict(sorted(Counter(steps).items(), key=lambda each: float(each[0])))


def _step(seconds: float) -> float:
    """Return the largest of 1, 2 and 5, times a power of ten, that *seconds* reaches."""
    power = 10.0 ** math.floor(math.log10(seconds))
    return max(step * power for step in (1, 2, 5) if step * power <= seconds or step == 1)
