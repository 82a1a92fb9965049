"""Times of the day `HH:MM`."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty
from intercode_generate.python import numbers
from intercode_generate.python.inputs import Inputs
from intercode_generate.python.pieces import Piece
from intercode_generate.python.registry import family
from intercode_generate.python.sketch import Sketch


def _clock(minutes: int) -> str:
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


@family(
    "Write {call}. `shifts` is a list of texts `HH:MM-HH:MM`, each a time from a start to an end. Return the total of "
    "their "
    "minutes, where each shift counts {round}. {night} {rest}",
    "{call} adds up working time. Each text in the list `shifts` has the form `HH:MM-HH:MM`: start and end. The result "
    "is the sum "
    "of the minutes of all shifts, each {round}. {night} {rest}",
    "Define {call}, which returns an integer: the minutes of all shifts in the list together. A shift is a text "
    "`HH:MM-HH:MM`, "
    "from when to when. Its minutes count {round}. {night} {rest}",
)
def shifts(draw: Draw, level: Difficulty) -> Sketch:
    """Minutes worked."""
    step = draw.pick((5, 6, 10, 12, 15, 20, 30))
    roundings = [
        Piece(
            f"rounded up to a multiple of {step}",
            f"-(-m // {step}) * {step}",
            f"(m + {step - 1}) // {step} * {step}",
            (f"m // {step} * {step}", f"(m // {step} + 1) * {step}"),
        ),
        Piece(
            f"rounded down to a multiple of {step}",
            f"m // {step} * {step}",
            f"m - m % {step}",
            (f"-(-m // {step}) * {step}", "m"),
        ),
    ]
    night = draw.pick(
        [
            Piece(
                "An end that is earlier than the start is on the next day; if both are equal, the shift has 0 minutes.",
                "(end - start) % 1440",
                "end - start + (1440 if end < start else 0)",
                ("end - start", "abs(end - start)"),
            ),
            Piece(
                "An end that is not later than the start is on the next day; so equal times are 24 hours.",
                "(end - start - 1) % 1440 + 1",
                "end - start + (1440 if end <= start else 0)",
                ("(end - start) % 1440", "end - start"),
            ),
            Piece(
                "A shift whose end is earlier than its start is a mistake and has 0 minutes.",
                "max(0, end - start)",
                "(end - start if end > start else 0)",
                ("(end - start) % 1440", "end - start"),
            ),
        ]
    )
    after, off = draw.integer(4, 8) * 60, draw.pick((15, 20, 30, 45, 60))
    rests = [
        Piece("", "m", "m", steps=0),
        Piece(
            f"A shift of more than {after} minutes (before rounding) has a break of {off} minutes in it, which is "
            f"taken off "
            "before rounding.",
            f"m - {off} if m > {after} else m",
            f"m - {off} * (m > {after})",
            (f"m - {off} if m >= {after} else m", f"m - {off}", "m"),
        ),
        Piece(
            f"Minutes of a shift beyond {after} (before rounding) count double; they are doubled before rounding.",
            f"m + max(0, m - {after})",
            f"(m if m <= {after} else 2 * m - {after})",
            (f"m * 2 if m > {after} else m", "m"),
        ),
    ]
    of = numbers.change(draw, level)
    rest = rests[0] if level == "easy" else draw.pick(rests[1:])

    def some(it: Inputs) -> tuple[list[str]]:
        found = []
        for _ in range(it.draw.integer(0, 5)):
            start = it.draw.integer(0, 1439)
            long = it.draw.pick(
                [0, step, after, after + 1, after + off, it.draw.integer(1, 1400), -it.draw.integer(1, 600)]
            )
            found.append(f"{_clock(start)}-{_clock(start + long)}")
        return (found,)

    return Sketch(
        "shifts",
        """
        def NAME(shifts):
            total = 0
            for shift in shifts:
                start, end = (int(t[:2]) * 60 + int(t[3:]) for t in shift.split('-'))
                m = <night>
                m = <rest>
                total += <round>
            return <of:total>
        """,
        """
        from datetime import datetime

        def NAME(shifts):
            made = []
            for shift in shifts:
                one, other = (datetime.strptime(t, '%H:%M') for t in shift.split('-'))
                start, end = (t.hour * 60 + t.minute for t in (one, other))
                m = <night>
                m = <rest>
                made.append(<round>)
            total = sum(made)
            return <of:total>
        """,
        some,
        (([],), (["08:00-08:00"],), (["22:10-01:05"],), (["09:00-17:31", "17:31-09:00"],), (["00:00-23:59"],)),
        {"round": draw.pick(roundings), "night": night, "rest": rest, "of": of},
        rules=(
            f"Return not the total itself, but {of.text}, where the number is the total.",
            "No shifts give a total of 0.",
        ),
        steps=2,
    )
