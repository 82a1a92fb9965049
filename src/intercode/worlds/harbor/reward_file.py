"""What a verifier has written: `reward.json` with a number for each name, or `reward.txt` with one number.

There is no published reward of InterCode for this world: `paper` and `exact` are the verifier's. The value is the
number called `reward`, or the mean of all, brought into [0, 1]; a success is where every number is 1 at least.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from intercode.errors import BadDataError
from intercode.types import Score

FILES = ("/logs/verifier/reward.json", "/logs/verifier/reward.txt")
"""Where a verifier writes: the first one that is there counts."""

LINES, CHARACTERS = 3, 300
"""How much of what it printed an error names."""

LONGEST_NUMBER = 400
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
"""A number as programs print it; JSON has neither `.5` nor `+1`."""


@dataclass(frozen=True, slots=True)
class VerifierEnding:
    """What became of the verifier: its rewards by name, None where it wrote none.

    `notes` are for people, and so is `output`, the end of what it printed.
    """

    rewards: Mapping[str, float] | None
    notes: tuple[str, ...] = field(default=())
    output: str = ""

    @property
    def report(self) -> tuple[str, ...]:
        """The notes, and what it printed."""
        return (*self.notes, f"the verifier printed:\n{self.output}") if self.output else self.notes

    @property
    def summary(self) -> str:
        """The notes and the last lines that it printed, on one line."""
        return "; ".join(self.notes) + last_lines(self.output)


def last_lines(output: str) -> str:
    """Return the last lines of *output* for the end of a line that says more; "" where it is empty."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return f"; its last lines: {' | '.join(lines[-LINES:])[-CHARACTERS:]}" if lines else ""


def score(ending: VerifierEnding) -> Score:
    """Return the judgement of *ending*; 0 where no reward was written."""
    if not ending.rewards:
        return Score(0.0, False, notes=ending.report)
    numbers = ending.rewards.values()
    value = ending.rewards.get("reward", sum(numbers) / len(numbers))
    success = all(number >= 1 for number in numbers)
    return Score(min(max(value, 0.0), 1.0), success, dict(ending.rewards), ending.report)


def read_rewards(data: bytes) -> Mapping[str, float]:
    """Return the rewards in *data*, one number or a JSON object of numbers.

    Raises:
        BadDataError: For anything else.
    """
    text = data.strip()
    try:
        found = (
            float(text) if len(text) < 400 and NUMBER.fullmatch(text.decode("ascii", "replace")) else json.loads(text)
        )
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
