"""Classes that keep a schedule."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty
from intercode_generate.python import numbers
from intercode_generate.python.inputs import Inputs
from intercode_generate.python.objects import class_sketch
from intercode_generate.python.pieces import Piece
from intercode_generate.python.registry import family
from intercode_generate.python.sketch import Arguments, Sketch


@family(
    "Write a class {call} for bookings of a room, all within one day of `hours` hours; times are integers from 0 to "
    "`hours`. "
    "`book(start, end)` returns True and notes the booking if it is possible, else False. It is possible if it lies "
    "within the day, has "
    "{length}, and {gap}. `free()` returns {free}.",
    "Define a class {call}. It keeps the bookings of a room for a day from 0 to `hours` (integers). `book(start, end)` "
    "accepts a booking "
    "and returns True, or refuses it and returns False. Accepted is what is inside the day, has {length}, and {gap}. "
    "The method "
    "`free()` returns {free}.",
    "A room is booked by the hour on a day that lasts from 0 to `hours`. Write the class {call} with two methods. "
    "`book(start, end)`, with "
    "integers, returns True if the booking is taken and False if not. It is taken if no part of it is outside the day, "
    "it has "
    "{length}, and {gap}. `free()` returns {free}.",
)
def bookings(draw: Draw, level: Difficulty) -> Sketch:
    """Bookings that do not overlap."""
    least, most = draw.integer(1, 2), draw.integer(3, 6)
    span = draw.integer(0, 3 if level != "easy" else 0)
    length = Piece(
        f"a length of {least} to {most} hours (both included)",
        f"{least} <= end - start <= {most}",
        f"end - start in range({least}, {most + 1})",
        (f"{least} <= end - start < {most}", f"{least} < end - start <= {most}"),
    )
    if span:
        said = f"there are at least {span} hours between it and every booking before or after it"
        said = said.replace("at least 1 hours", "at least 1 hour")
    else:
        said = "it shares no time with another booking (to begin when another ends is no sharing)"
    gap = Piece(
        said,
        f"all(end + {span} <= a or b + {span} <= start for a, b in self.kept)",
        f"not any(end + {span} > a and b + {span} > start for a, b in self.kept)",
        (
            f"all(end + {span} < a or b + {span} < start for a, b in self.kept)",
            "all(start != a for a, b in self.kept)",
            f"all(end + {span + 1} <= a or b + {span + 1} <= start for a, b in self.kept)",
        ),
    )
    by = draw.integer(2, 9)
    free = draw.pick(
        [
            Piece(
                f"{by} times the number of hours that no booking takes",
                f"{by} * (self.hours - sum(b - a for a, b in self.kept))",
                f"sum({by} for h in range(self.hours) if not any(a <= h < b for a, b in self.kept))",
                ("self.hours - sum(b - a for a, b in self.kept)", f"{by} * sum(b - a for a, b in self.kept)"),
            ),
            Piece(
                "the list of the bookings as lists `[start, end]`, sorted by their start",
                "[list(each) for each in sorted(self.kept)]",
                "sorted([a, b] for a, b in self.kept)",
                ("[list(each) for each in self.kept]", "[list(each) for each in sorted(self.kept)[::-1]]"),
            ),
            Piece(
                f"{by} times the earliest hour (0, 1, and so on) that no booking takes, or -1 if there is none",
                f"next(({by} * h for h in range(self.hours) if all(not a <= h < b for a, b in self.kept)), -1)",
                f"min([{by} * h for h in range(self.hours) if not any(a <= h < b for a, b in self.kept)] or [-1])",
                (f"next(({by} * h for h in range(self.hours) if all(not a <= h <= b for a, b in self.kept)), -1)", "0"),
            ),
            Piece(
                "the longest booking as a list `[start, end]`, of equally long ones the one that was booked first, or "
                "an empty list without bookings",
                "list(max(self.kept, key=lambda each: each[1] - each[0], default=[]))",
                "next(([a, b] for n in range(99, 0, -1) for a, b in self.kept if b - a == n), [])",
                (
                    "list(max(sorted(self.kept), key=lambda each: each[1] - each[0], default=[]))",
                    "list(max(self.kept, default=[]))",
                ),
            ),
        ]
    )
    odd = level == "hard"
    rule = numbers.condition(draw) if odd else Piece("", "False", "None", steps=0)

    def operations(it: Inputs) -> Arguments:
        hours = it.draw.integer(8, 24)
        found: list[list[object]] = []
        for _ in range(it.draw.integer(2, 9)):
            start = it.draw.integer(-1, hours)
            found.append(
                ["book", start, start + it.draw.pick([least, most, most + 1, least - 1, it.draw.integer(1, 5)])]
            )
            if it.draw.chance(0.2):
                found.append(["free"])
        return [hours], [*found, ["free"]]

    return class_sketch(
        "hours",
        """
        class NAME:
            def __init__(self, hours):
                self.hours, self.kept = hours, []

            def book(self, start, end):
                if start < 0 or end > self.hours or (<rule:start>):
                    return False
                if not <length> or not <gap>:
                    return False
                self.kept.append((start, end))
                return True

            def free(self):
                return <free>
        """,
        """
        class NAME:
            def __init__(self, hours):
                self.kept = []
                self.hours = hours

            def free(self):
                return <free>

            def book(self, start, end):
                inside = 0 <= start and not end > self.hours
                good = inside and <length> and <gap> and not (<rule:start>)
                if good:
                    self.kept += [(start, end)]
                return bool(good)
        """,
        operations,
        (
            ([8], [["free"]]),
            ([8], [["book", 0, least], ["book", least + span, least + span + least], ["book", 8 - least, 8], ["free"]]),
            ([12], [["book", 4, 4 + most], ["book", 5, 5 + least], ["book", 4 + most, 12], ["book", 0, 2], ["free"]]),
        ),
        slots={"length": length, "gap": gap, "free": free, "rule": rule},
        rules=(f"Besides, a booking is refused if its start {rule.text}.",) if odd else (),
        steps=3,
    )
