"""How the end of an episode on the abacus is judged."""

from __future__ import annotations

from intercode.types import Score, Scores

Rods = dict[str, int]


def judge(answer: str, rods: Rods, shown: str, expected: Rods) -> Scores:
    """Half for the number, where the gold shows one, and half for the rods; all or nothing under `exact`."""
    says, holds = not shown.strip() or answer.split() == shown.split(), rods == expected
    success = says and holds
    notes = () if success else ("the number is another" if holds else "the rods hold something else",)
    parts = {"number": float(says), "rods": float(holds)}
    exact = Score(float(success), success, parts, notes)
    return {"exact": exact, "paper": Score((says + holds) / 2, success, parts, notes)}
