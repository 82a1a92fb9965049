"""Days of the week as pieces."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.python.pieces import Piece

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def weekdays(draw: Draw, count: int) -> Piece:
    """Return that many days of the week."""
    chosen = sorted(draw.sample(range(7), count))
    names = [DAYS[day] for day in chosen]
    said = names[0] if count == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
    wrong = sorted({(day + 1) % 7 for day in chosen})
    return Piece(
        said,
        f"@.weekday() in {tuple(chosen)}",
        f"@.isoweekday() in {[day + 1 for day in chosen]}",
        (f"@.weekday() in {tuple(wrong)}", f"@.isoweekday() in {tuple(chosen)}", f"@.weekday() not in {tuple(chosen)}"),
    )
