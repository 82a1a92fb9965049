"""How the end of an episode on the abacus is judged."""

from __future__ import annotations

from dataclasses import dataclass

from intercode.types import Score

Rods = dict[str, int]


@dataclass(frozen=True)
class Ending:
    """What was said and what the rods hold, and the same of the gold."""

    answer: str
    rods: Rods
    shown: str
    expected: Rods

    @property
    def parts(self) -> dict[str, float]:
        """The number, where the gold shows one, and the rods."""
        says = not self.shown.strip() or self.answer.split() == self.shown.split()
        return {"number": float(says), "rods": float(self.rods == self.expected)}


def exact(ending: Ending) -> Score:
    """All or nothing."""
    half_right = half(ending)
    return Score(float(half_right.success), half_right.success, half_right.parts, half_right.notes)


def half(ending: Ending) -> Score:
    """Half for the number and half for the rods."""
    parts = ending.parts
    success = all(parts.values())
    notes = () if success else ("the number is another" if parts["rods"] else "the rods hold something else",)
    return Score(sum(parts.values()) / 2, success, parts, notes)
