"""Dates `YYYY-MM-DD` and times of the day `HH:MM`."""

from __future__ import annotations

from datetime import date, timedelta

from intercode.generate.draw import Draw
from intercode.generate.family import Difficulty
from intercode.generate.python import numbers
from intercode.generate.python.inputs import Inputs
from intercode.generate.python.pieces import Piece, choice, number
from intercode.generate.python.registry import family
from intercode.generate.python.sketch import Sketch

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

DAY_EDGES = (("2020-02-28",), ("2020-02-29",), ("2019-12-31",), ("2020-01-01",))


def weekdays(draw: Draw, count: int) -> Piece:
    """That many days of the week."""
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
    """Some working days away."""
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
    """How many of certain weekdays are in a span."""
    both = draw.chance(0.5)
    ends = choice(
        "Both ends belong to the time." if both else "The day `first` belongs to the time, the day `last` does not.",
        *(("1", "0") if both else ("0", "1")),
    )
    low = draw.integer(1, 16)
    high = low + draw.integer(7, 14)
    months = [
        Piece("", "True", "True", steps=0),
        Piece(f"whose day of the month is at least {low}", f"@.day >= {low}", f"not @.day < {low}", (f"@.day > {low}",)),
        Piece(f"whose day of the month is at most {high}", f"@.day <= {high}", f"not @.day > {high}", (f"@.day < {high}",)),
        Piece(f"whose day of the month lies between {low} and {high} (both included)", f"{low} <= @.day <= {high}",
              f"@.day in range({low}, {high + 1})", (f"{low} < @.day <= {high}", f"{low} <= @.day < {high}")),
        Piece("whose day of the month is an even number", "@.day % 2 == 0", "not @.day % 2", ("@.day % 2 == 1",)),
        Piece("whose day of the month is an odd number", "@.day % 2 == 1", "@.day & 1", ("@.day % 2 == 0",)),
    ]  # fmt: skip
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
        (("2020-02-24", "2020-03-08"), ("2020-03-02", "2020-03-02"), ("2020-03-09", "2020-03-01"),
         ("2019-12-28", "2020-02-01")),
        {"which": weekdays(draw, draw.integer(1, 3)), "month": month, "ends": ends},
        rules=("If `last` is before `first`, return 0.",),
        steps=2,
    )  # fmt: skip


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
    "Write {call}. It gets a list of dates, texts `YYYY-MM-DD` in any order and perhaps repeated. Return {what} "
    "between two dates "
    "that follow each other in time, counting each date once; a gap is the number of days from one to the next.",
    "Sort the dates in the list `days` (texts `YYYY-MM-DD`), without repeats. From each to the next there is a gap, of "
    "so many "
    "days. [Define|Write] {call}, which returns {what}.",
    "{call} takes dates as texts `YYYY-MM-DD`, not sorted, some of them twice or more. Look at the different dates in "
    "order of "
    "time, and at the days from each to the next: the gaps. The function returns {what}.",
)
def gaps(draw: Draw, level: Difficulty) -> Sketch:
    """Gaps between dates."""
    bound, none = draw.integer(3, 60), draw.integer(-3, 0)
    of = numbers.change(draw, level)
    of = Piece(
        of.text.replace("the number", "the gap's length"), of.one, of.other, of.wrong, of.numbers, steps=of.steps
    )
    far = draw.pick(
        [
            Piece(f"longer than {bound} days", f"gap > {bound}", f"not gap <= {bound}", (f"gap >= {bound}",)),
            Piece(f"at most {bound} days long", f"gap <= {bound}", f"not gap > {bound}", (f"gap < {bound}",)),
            Piece(f"at least {bound} days long", f"gap >= {bound}", f"not gap < {bound}", (f"gap > {bound}",)),
        ]
    )
    figure = draw.pick(
        [("the sum", "sum(@)", "max(@)"), ("the largest", "max(@)", "sum(@)"), ("the smallest", "min(@)", "max(@)")]
    )
    what = Piece(
        f"{figure[0]} of the results of all gaps that are {far.text}; the result of a gap is {of.text}",
        figure[1], figure[1].replace("@", "sorted(@)"), (figure[2], "len(@)"),
    )  # fmt: skip

    def days(it: Inputs) -> tuple[list[str]]:
        start = date.fromisoformat(it.day())
        steps = [0, 1, 2, bound - 1, bound, bound, bound + 1, 2 * bound, it.draw.integer(1, 90)]
        found = [start]
        for _ in range(it.draw.integer(0, 6)):
            found.append(found[-1] + timedelta(days=it.draw.pick(steps)))
        return ([day.isoformat() for day in it.draw.shuffled(found)],)

    return Sketch(
        "days",
        f"""
        from datetime import date

        def NAME(days):
            found = sorted({{date.fromisoformat(day) for day in days}})
            gaps = [(after - day).days for day, after in zip(found, found[1:])]
            made = [<of:gap> for gap in gaps if <far>]
            return <what:made> if made else {none}
        """,
        f"""
        from datetime import date

        def NAME(days):
            numbers = sorted(date.fromisoformat(day).toordinal() for day in days)
            made = []
            for at in range(1, len(numbers)):
                gap = numbers[at] - numbers[at - 1]
                if gap and <far>:
                    made.append(<of:gap>)
            if not made:
                return {none}
            return <what:made>
        """,
        days,
        (([],), (["2020-02-28"],), (["2020-03-01", "2020-02-28"],), (["2020-02-28", "2020-02-28"],)),
        {"what": what, "of": of, "far": far},
        rules=(f"If there are no such gaps, return {none}.",),
        steps=3,
    )


@family(
    "Write {call}. It returns for the dates in the list `days` (texts `YYYY-MM-DD`) how many there are {unit}, as a "
    "list of lists "
    "`[KEY, COUNT]`. {order}. Only dates count that {keep}.",
    "{call} counts the dates of a list (texts `YYYY-MM-DD`, some perhaps repeated) {unit}, and returns a list of "
    "pairs, each a "
    "list `[KEY, COUNT]`. Dates count if they {keep}; a repeated date counts each time. {order}.",
    "Define {call}. How many of the dates in `days`, which are texts `YYYY-MM-DD`, are there {unit}? Take only dates "
    "that {keep}, "
    "repeated ones each time. The result is a list of `[KEY, COUNT]` lists. {order}.",
)
def calendar(draw: Draw, level: Difficulty) -> Sketch:
    """Dates counted by a unit of time."""
    unit = draw.pick(
        [
            Piece("in each month (KEY is the text `YYYY-MM`)", "day[:7]", "str(d)[:7]", ("day[5:7]", "day[:4]")),
            Piece("in each year (KEY is an integer)", "d.year", "int(day[:4])", ("day[:4]", "d.month")),
            Piece("on each day of the week (KEY is an integer, 0 for Monday to 6 for Sunday)", "d.weekday()",
                  "(d.toordinal() + 6) % 7", ("d.isoweekday()", "(d.weekday() + 1) % 7")),
            Piece("in each quarter (KEY is a text like `2020-Q1`)", "f'{d.year}-Q{(d.month + 2) // 3}'",
                  "day[:4] + '-Q' + str((int(day[5:7]) - 1) // 3 + 1)",
                  ("f'{d.year}-Q{d.month // 3 + 1}'", "f'Q{(d.month + 2) // 3}'")),
            Piece("on each day of the month (KEY is an integer, 1 to 31)", "d.day", "int(day[8:])", ("day[8:]", "d.month")),
        ]
    )  # fmt: skip
    down = draw.chance(0.5)
    orders = [
        ("Pairs are sorted by KEY, the smallest first", "sorted(@)", ("sorted(@)[::-1]", "@")),
        ("Pairs are sorted by KEY, the largest first", "sorted(@)[::-1]", ("sorted(@)", "@")),
        ("Pairs with a large COUNT come first; where it is equal, a small KEY comes first",
         "sorted(@, key=lambda pair: (-pair[1], pair[0]))",
         ("sorted(@, key=lambda pair: pair[1])[::-1]", "sorted(@, key=lambda pair: -pair[1])")),
        ("Pairs with a small COUNT come first; where it is equal, a small KEY comes first",
         "sorted(@, key=lambda pair: (pair[1], pair[0]))",
         ("sorted(@)", "sorted(@, key=lambda pair: pair[1])")),
    ]  # fmt: skip
    text, order, wrong = draw.pick(orders[2:] if down and level != "easy" else orders)
    first = weekdays(draw, draw.integer(1, 5))
    keep = Piece(f"are a {first.text}", first.one, first.other, first.wrong)
    low = draw.integer(5, 25)
    more = draw.pick(
        [
            Piece(
                f"have a day of the month above {low}", f"d.day > {low}", f"not d.day <= {low}", (f"d.day >= {low}",)
            ),
            Piece(
                f"have a day of the month of at most {low}",
                f"d.day <= {low}",
                f"not d.day > {low}",
                (f"d.day < {low}",),
            ),
        ]
    )
    if level == "hard":
        keep = Piece(f"{keep.text} and also {more.text}", f"({keep.one} and {more.one})", f"({more.other} and {keep.other})",
                     (f"({keep.one} or {more.one})", f"({keep.one} and {more.wrong[0]})", *keep.wrong[:1]))  # fmt: skip
    elif level == "medium" and down:
        keep = more
    return Sketch(
        "days",
        """
        from datetime import date

        def NAME(days):
            counts = {}
            for day in days:
                d = date.fromisoformat(day)
                if <keep:d>:
                    counts[<unit>] = counts.get(<unit>, 0) + 1
            pairs = [[key, count] for key, count in counts.items()]
            return <order:pairs>
        """,
        """
        from collections import Counter
        from datetime import date

        def NAME(days):
            dates = [(day, date.fromisoformat(day)) for day in days]
            counts = Counter([<unit> for day, d in dates if <keep:d>])
            pairs = list(map(list, counts.items()))
            return <order:pairs>
        """,
        lambda it: ((found := [it.day(150) for _ in range(it.draw.integer(0, 9))]) + found[:2],),
        (([],), (["2020-02-29"],), (["2020-01-06", "2020-01-05", "2020-01-04", "2020-12-31"],),
         (["2020-03-09", "2020-03-13", "2019-03-09", "2020-03-13"],)),
        {"unit": unit, "keep": keep, "order": Piece(text, order, order, wrong)},
        rules=("Without such dates, return an empty list.",),
        steps=2,
    )  # fmt: skip


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
        Piece(f"rounded up to a multiple of {step}", f"-(-m // {step}) * {step}", f"(m + {step - 1}) // {step} * {step}",
              (f"m // {step} * {step}", f"(m // {step} + 1) * {step}")),
        Piece(f"rounded down to a multiple of {step}", f"m // {step} * {step}", f"m - m % {step}",
              (f"-(-m // {step}) * {step}", "m")),
    ]  # fmt: skip
    night = draw.pick(
        [
            Piece("An end that is earlier than the start is on the next day; if both are equal, the shift has 0 minutes.",
                  "(end - start) % 1440", "end - start + (1440 if end < start else 0)", ("end - start", "abs(end - start)")),
            Piece("An end that is not later than the start is on the next day; so equal times are 24 hours.",
                  "(end - start - 1) % 1440 + 1", "end - start + (1440 if end <= start else 0)",
                  ("(end - start) % 1440", "end - start")),
            Piece("A shift whose end is earlier than its start is a mistake and has 0 minutes.", "max(0, end - start)",
                  "(end - start if end > start else 0)", ("(end - start) % 1440", "end - start")),
        ]
    )  # fmt: skip
    after, off = draw.integer(4, 8) * 60, draw.pick((15, 20, 30, 45, 60))
    rests = [
        Piece("", "m", "m", steps=0),
        Piece(f"A shift of more than {after} minutes (before rounding) has a break of {off} minutes in it, which is taken off "
              "before rounding.", f"m - {off} if m > {after} else m", f"m - {off} * (m > {after})",
              (f"m - {off} if m >= {after} else m", f"m - {off}", "m")),
        Piece(f"Minutes of a shift beyond {after} (before rounding) count double; they are doubled before rounding.",
              f"m + max(0, m - {after})", f"(m if m <= {after} else 2 * m - {after})", (f"m * 2 if m > {after} else m", "m")),
    ]  # fmt: skip
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
            return total
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
            return sum(made)
        """,
        some,
        (([],), (["08:00-08:00"],), (["22:10-01:05"],), (["09:00-17:31", "17:31-09:00"],), (["00:00-23:59"],)),
        {"round": draw.pick(roundings), "night": night, "rest": rest},
        rules=("No shifts give 0.",),
        steps=2,
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
    """The next date of some kind."""
    strict = draw.chance(0.5)
    after = choice(*(("after", "1", "0") if strict else ("on or after", "0", "1")))
    by, low = draw.integer(2, 5), draw.integer(3, 22)
    rest = draw.integer(0, by - 1)
    keeps = [
        Piece(f"is at least {low}", f"d.day >= {low}", f"not d.day < {low}", (f"d.day > {low}", f"d.day < {low}")),
        Piece(f"is at most {low}", f"d.day <= {low}", f"not d.day > {low}", (f"d.day < {low}", f"d.day > {low}")),
        Piece(f"leaves the remainder {rest} when divided by {by}", f"d.day % {by} == {rest}", f"not (d.day - {rest}) % {by}",
              (f"d.day % {by} != {rest}", f"d.day % {by + 1} == {rest}")),
        Piece(f"lies between {low} and {low + 8} (both included)", f"{low} <= d.day <= {low + 8}",
              f"d.day in range({low}, {low + 9})", (f"{low} <= d.day < {low + 8}", f"d.day >= {low}")),
    ]  # fmt: skip
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
        steps=2,
    )
