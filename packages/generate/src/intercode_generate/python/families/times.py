"""Many dates at once: their gaps, and their places in the calendar."""

from __future__ import annotations

from datetime import date, timedelta

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty
from intercode_generate.python import numbers
from intercode_generate.python.days import weekdays
from intercode_generate.python.inputs import Inputs
from intercode_generate.python.pieces import Piece
from intercode_generate.python.registry import family
from intercode_generate.python.sketch import Sketch


@family(
    "Write {call}. It gets a list of dates, texts `YYYY-MM-DD` in any order and perhaps repeated. Each date counts "
    "once. From "
    "each to the next one in time there is a gap, of so many days. Return {what}.",
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
        figure[1],
        figure[1].replace("@", "sorted(@)"),
        (figure[2], "len(@)"),
    )

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
            Piece(
                "on each day of the week (KEY is an integer, 0 for Monday to 6 for Sunday)",
                "d.weekday()",
                "(d.toordinal() + 6) % 7",
                ("d.isoweekday()", "(d.weekday() + 1) % 7"),
            ),
            Piece(
                "in each quarter (KEY is a text like `2020-Q1`)",
                "f'{d.year}-Q{(d.month + 2) // 3}'",
                "day[:4] + '-Q' + str((int(day[5:7]) - 1) // 3 + 1)",
                ("f'{d.year}-Q{d.month // 3 + 1}'", "f'Q{(d.month + 2) // 3}'"),
            ),
            Piece(
                "on each day of the month (KEY is an integer, 1 to 31)", "d.day", "int(day[8:])", ("day[8:]", "d.month")
            ),
        ]
    )
    down = draw.chance(0.5)
    orders = [
        ("Pairs are sorted by KEY, the smallest first", "sorted(@)", ("sorted(@)[::-1]", "@")),
        ("Pairs are sorted by KEY, the largest first", "sorted(@)[::-1]", ("sorted(@)", "@")),
        (
            "Pairs with a large COUNT come first; where it is equal, a small KEY comes first",
            "sorted(@, key=lambda pair: (-pair[1], pair[0]))",
            ("sorted(@, key=lambda pair: pair[1])[::-1]", "sorted(@, key=lambda pair: -pair[1])"),
        ),
        (
            "Pairs with a small COUNT come first; where it is equal, a small KEY comes first",
            "sorted(@, key=lambda pair: (pair[1], pair[0]))",
            ("sorted(@)", "sorted(@, key=lambda pair: pair[1])"),
        ),
    ]
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
        keep = Piece(
            f"{keep.text} and also {more.text}",
            f"({keep.one} and {more.one})",
            f"({more.other} and {keep.other})",
            (f"({keep.one} or {more.one})", f"({keep.one} and {more.wrong[0]})", *keep.wrong[:1]),
        )
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
        (
            ([],),
            (["2020-02-29"],),
            (["2020-01-06", "2020-01-05", "2020-01-04", "2020-12-31"],),
            (["2020-03-09", "2020-03-13", "2019-03-09", "2020-03-13"],),
        ),
        {"unit": unit, "keep": keep, "order": Piece(text, order, order, wrong)},
        rules=("Without such dates, return an empty list.",),
        steps=2,
    )
