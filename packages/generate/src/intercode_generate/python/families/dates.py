"""Dates `YYYY-MM-DD`: which one is some days, months or weekdays away."""

from __future__ import annotations

from datetime import date, timedelta

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty
from intercode_generate.python.days import weekdays
from intercode_generate.python.inputs import Inputs
from intercode_generate.python.pieces import Piece, choice, number
from intercode_generate.python.registry import family
from intercode_generate.python.sketch import Sketch

DAY_EDGES = (("2020-02-28",), ("2020-02-29",), ("2019-12-31",), ("2020-01-01",))


def _span(it: Inputs, most: int = 90) -> tuple[str, str]:
    """Two days, mostly in their order."""
    first = date.fromisoformat(it.day())
    return first.isoformat(), (first + timedelta(days=it.draw.integer(-9, most))).isoformat()


@family(
    "Write {call}. `day` is a date as text, `YYYY-MM-DD`. Return the date, in the same form, that is {count} working "
    "days "
    "{side}. Working days are all days but {rest}; `day` itself is never counted.",
    "{call} takes a date (text `YYYY-MM-DD`) and goes {side} from it, one day at a time, until it has come to {count} "
    "days "
    "that are no {rest}. It returns the last of these days as `YYYY-MM-DD`. The day at which it begins does not count.",
    "Nobody works on a {rest}. Define {call}: beginning from the date `day`, a text `YYYY-MM-DD`, find the {count}th "
    "working day "
    "{side}, not counting `day`, and return it in the same form.",
)
def working_days(draw: Draw, level: Difficulty) -> Sketch:
    """Return some working days away."""
    later = draw.chance(0.6)
    side = choice(*(("later", "", "-") if later else ("earlier", "-", "")))
    many = {"easy": 1, "medium": draw.integer(2, 3), "hard": draw.integer(2, 4)}[level]
    count = number(draw.integer(4, 25), least=1)
    return Sketch(
        "day",
        """
        from datetime import date, timedelta

        def NAME(day):
            found, left = date.fromisoformat(day), <count>
            while left > 0:
                found += timedelta(days=<side>1)
                if not <rest:found>:
                    left -= 1
            return found.isoformat()
        """,
        """
        from datetime import date, timedelta

        def NAME(day):
            start = date.fromisoformat(day)
            days = [start + timedelta(days=<side>shift) for shift in range(1, 140)]
            working = [each for each in days if not (<rest:each>)]
            return str(working[<count> - 1])
        """,
        lambda it: (it.day(),),
        DAY_EDGES,
        {"count": count, "side": side, "rest": weekdays(draw, many)},
        wrong=(
            """
            from datetime import date, timedelta

            def NAME(day):
                return (date.fromisoformat(day) + timedelta(days=<side><count>)).isoformat()
            """,
        ),
        steps=2,
    )


@family(
    "Write {call}. Both arguments are dates as text, `YYYY-MM-DD`. Return how many days from `first` to `last` are a "
    "{which} "
    "{month}. {ends}",
    "{call} counts days. Those that count are each {which} {month} in the time from the date `first` to the date "
    "`last` (texts "
    "`YYYY-MM-DD`). {ends}",
    "How often is there a {which} {month} between two dates? Define {call}, where both are texts `YYYY-MM-DD`, and "
    "return the "
    "number. {ends}",
)
def days_between(draw: Draw, level: Difficulty) -> Sketch:
    """Return how many of certain weekdays are in a span."""
    both = draw.chance(0.5)
    ends = choice(
        "Both ends belong to the time." if both else "The day `first` belongs to the time, the day `last` does not.",
        *(("1", "0") if both else ("0", "1")),
    )
    low = draw.integer(1, 16)
    high = low + draw.integer(7, 14)
    months = [
        Piece("", "True", "True", steps=0),
        Piece(
            f"whose day of the month is at least {low}", f"@.day >= {low}", f"not @.day < {low}", (f"@.day > {low}",)
        ),
        Piece(
            f"whose day of the month is at most {high}", f"@.day <= {high}", f"not @.day > {high}", (f"@.day < {high}",)
        ),
        Piece(
            f"whose day of the month lies between {low} and {high} (both included)",
            f"{low} <= @.day <= {high}",
            f"@.day in range({low}, {high + 1})",
            (f"{low} < @.day <= {high}", f"{low} <= @.day < {high}"),
        ),
        Piece("whose day of the month is an even number", "@.day % 2 == 0", "not @.day % 2", ("@.day % 2 == 1",)),
        Piece("whose day of the month is an odd number", "@.day % 2 == 1", "@.day & 1", ("@.day % 2 == 0",)),
    ]
    month = months[0] if level == "easy" else draw.pick(months[1:])
    return Sketch(
        "first, last",
        """
        from datetime import date, timedelta

        def NAME(first, last):
            day, end = date.fromisoformat(first), date.fromisoformat(last) + timedelta(days=<ends>)
            count = 0
            while day < end:
                if (<which:day>) and <month:day>:
                    count += 1
                day += timedelta(days=1)
            return count
        """,
        """
        from datetime import date

        def NAME(first, last):
            start, end = date.fromisoformat(first).toordinal(), date.fromisoformat(last).toordinal()
            days = map(date.fromordinal, range(start, end + <ends>))
            return sum(1 for day in days if <month:day> and (<which:day>))
        """,
        lambda it: _span(it),
        (
            ("2020-02-24", "2020-03-08"),
            ("2020-03-02", "2020-03-02"),
            ("2020-03-09", "2020-03-01"),
            ("2019-12-28", "2020-02-01"),
        ),
        {"which": weekdays(draw, draw.integer(1, 3)), "month": month, "ends": ends},
        rules=("If `last` is before `first`, return 0.",),
        steps=2,
    )


@family(
    "Write {call}. From the date `day` (text `YYYY-MM-DD`) go on by {months} months, to the same day of the month; "
    "where that "
    "month has no such day, take {short}. Then go {days} days {side}. Return the date you come to, as `YYYY-MM-DD`.",
    "{call} returns a date `YYYY-MM-DD`. It is reached from `day`, a text of the same form, in two steps: {months} "
    "months "
    "ahead with the day of the month kept (a day that the month has not gives way to {short}), and then {days} days "
    "{side}.",
    "A bill is due {months} months after `day`, on that day of the month (if the month is too short for it: on "
    "{short}), and its "
    "reminder is sent {days} days {side} than that. Define {call}, which returns the reminder's date. Dates are texts "
    "`YYYY-MM-DD`.",
)
def months_ahead(draw: Draw, level: Difficulty) -> Sketch:
    """Months and days on."""
    later = draw.chance(0.5)
    side = choice(*(("later", "+", "-") if later else ("earlier", "-", "+")))
    last = draw.chance(0.5)
    end, first = (
        "date(year, month + 1, 1) + timedelta(days=size - 1)",
        "date(year + (month + 1) // 12, (month + 1) % 12 + 1, 1)",
    )
    short = choice(
        "the last day of that month" if last else "the first day of the month after it",
        *((end, first) if last else (first, end)),
    )
    months = number(draw.integer(1, 6) if level == "easy" else draw.integer(5, 30), least=0)
    clamp = "min(start.day, size)" if last else "start.day"
    return Sketch(
        "day",
        """
        from calendar import monthrange
        from datetime import date, timedelta

        def NAME(day):
            start = date.fromisoformat(day)
            year, month = divmod(start.year * 12 + start.month - 1 + <months>, 12)
            size = monthrange(year, month + 1)[1]
            due = date(year, month + 1, start.day) if start.day <= size else <short>
            return (due <side> timedelta(days=<days>)).isoformat()
        """,
        f"""
        from datetime import date, timedelta

        def NAME(day):
            start = date.fromisoformat(day)
            year, month = start.year, start.month
            for _ in range(<months>):
                year, month = (year + 1, 1) if month == 12 else (year, month + 1)
            first = date(year, month, 1)
            after = date(year + 1, 1, 1) if month == 12 else date(year, month + 1, 1)
            size = (after - first).days
            due = first + timedelta(days={clamp} - 1)
            if due >= after:
                due = after
            return str(due <side> timedelta(days=<days>))
        """,
        lambda it: (
            it.day() if it.draw.chance(0.4) else f"20{it.draw.integer(19, 24)}-{it.draw.pick(['01', '03', '08'])}-31",
        ),
        (("2020-01-31",), ("2019-01-31",), ("2020-08-31",), ("2020-02-29",), ("2019-12-31",), ("2021-01-30",)),
        {"months": months, "days": number(draw.integer(1, 40), least=0), "side": side, "short": short},
        wrong=(
            """
            from datetime import date, timedelta

            def NAME(day):
                return (date.fromisoformat(day) + timedelta(days=30 * <months> <side> <days>)).isoformat()
            """,
        ),
        steps=3,
    )


@family(
    "Write {call}. It returns the first date {after} `day` (both are texts `YYYY-MM-DD`) that is a {which} and whose "
    "day of the month "
    "{keep}.",
    "{call} looks for a date. From the date `day` on, a text `YYYY-MM-DD`, find the earliest date {after} it that is a "
    "{which}, as "
    "long as its day of the month {keep}. Return it in the same form.",
    "When is the next date that is a {which} and whose day of the month {keep}? Define {call}, which returns the "
    "earliest such date "
    "{after} `day`. Dates are texts `YYYY-MM-DD`.",
)
def next_date(draw: Draw, level: Difficulty) -> Sketch:
    """Return the next date of some kind."""
    strict = draw.chance(0.5)
    after = choice(*(("after", "1", "0") if strict else ("on or after", "0", "1")))
    by, low = draw.integer(2, 5), draw.integer(3, 22)
    rest = draw.integer(0, by - 1)
    keeps = [
        Piece(f"is at least {low}", f"d.day >= {low}", f"not d.day < {low}", (f"d.day > {low}", f"d.day < {low}")),
        Piece(f"is at most {low}", f"d.day <= {low}", f"not d.day > {low}", (f"d.day < {low}", f"d.day > {low}")),
        Piece(
            f"leaves the remainder {rest} when divided by {by}",
            f"d.day % {by} == {rest}",
            f"not (d.day - {rest}) % {by}",
            (f"d.day % {by} != {rest}", f"d.day % {by + 1} == {rest}"),
        ),
        Piece(
            f"lies between {low} and {low + 8} (both included)",
            f"{low} <= d.day <= {low + 8}",
            f"d.day in range({low}, {low + 9})",
            (f"{low} <= d.day < {low + 8}", f"d.day >= {low}"),
        ),
    ]
    which = weekdays(draw, {"easy": 2, "medium": 2, "hard": 1}[level])
    return Sketch(
        "day",
        """
        from datetime import date, timedelta

        def NAME(day):
            d = date.fromisoformat(day) + timedelta(days=<after>)
            while not ((<which:d>) and <keep>):
                d += timedelta(days=1)
            return d.isoformat()
        """,
        """
        from datetime import date

        def NAME(day):
            start = date.fromisoformat(day).toordinal()
            days = map(date.fromordinal, range(start + <after>, start + 800))
            return str(next(d for d in days if <keep> and (<which:d>)))
        """,
        lambda it: (it.day(),),
        DAY_EDGES,
        {"which": which, "keep": draw.pick(keeps), "after": after},
        wrong=(
            """
            from datetime import date, timedelta

            def NAME(day):
                d = date.fromisoformat(day) + timedelta(days=<after>)
                while not (<which:d>):
                    d += timedelta(days=1)
                return d.isoformat()
            """,
        ),
        endless="d.isoweekday() in (0,)",
        steps=2,
    )
