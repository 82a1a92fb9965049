"""What a verifier has written: `reward.json` with a number for each name, or `reward.txt` with one number.

There is no published reward of InterCode for this world: `paper` and `exact` are the verifier's. The value is the
number called `reward`, or the mean of all, brought into [0, 1]; a success is where every number is 1 at least.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from intercode.errors import BadDataError
from intercode.types import Score

FILES = ("/logs/verifier/reward.json", "/logs/verifier/reward.txt")
"""Where a verifier writes: the first one that is there counts."""


@dataclass(frozen=True, slots=True)
class VerifierEnding:
    """What became of the verifier: its rewards by name, None where it wrote none; `notes` are for people."""

    rewards: Mapping[str, float] | None
    notes: tuple[str, ...] = field(default=())


def score(ending: VerifierEnding) -> Score:
    """The judgement of *ending*; 0 where no reward was written."""
    if not ending.rewards:
        return Score(0.0, False, notes=ending.notes)
    numbers = ending.rewards.values()
    value = ending.rewards.get("reward", sum(numbers) / len(numbers))
    success = all(number >= 1 for number in numbers)
    return Score(min(max(value, 0.0), 1.0), success, dict(ending.rewards), ending.notes)


def read_rewards(data: bytes) -> Mapping[str, float]:
    """The rewards in *data*, one number or a JSON object of numbers.

    Raises:
        BadDataError: For anything else.
    """
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise BadDataError("the reward file holds no number and no JSON object") from None
    rewards = found if isinstance(found, dict) else {"reward": found}
    for value in rewards.values():
        if not isinstance(value, int | float) or isinstance(value, bool) or not _is_finite(value):
            raise BadDataError("the reward file holds something else than finite numbers")
    if not rewards:
        raise BadDataError("the reward file holds no reward")
    return {name: float(value) for name, value in rewards.items()}


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer of hundreds of digits
        return False
