"""Lists of whole numbers by twos: repeats, and two lists at once."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty
from intercode_generate.python import numbers
from intercode_generate.python.pieces import Piece, choice
from intercode_generate.python.registry import family
from intercode_generate.python.sketch import Arguments, Sketch

EDGES: tuple[Arguments, ...] = (([],), ([0],), ([4, 4, 4],))


TWO: tuple[Arguments, ...] = (([], []), ([1], []), ([], [2, 3]), ([5], [5]))


@family(
    "Write {call}: in how many ways can two numbers at different places of `values` be chosen such that their sum "
    "{keep}? "
    "Return that count. The order of the two does not matter.",
    "[Define|Write] a function {call} that counts the pairs of places i < j in the list `values` for which "
    "`values[i] + values[j]` {keep}.",
    "{call} returns how many pairs (i, j) of indexes with i < j the list `values` has such that the sum of the two "
    "numbers "
    "there {keep}.",
)
def pair_count(draw: Draw, level: Difficulty) -> Sketch:
    """Return how many pairs have a sum that meets a condition."""
    return Sketch(
        "values",
        """
        def NAME(values):
            sums = [one + other for at, one in enumerate(values) for other in values[at + 1:]]
            return sum(1 for each in sums if <keep:each>)
        """,
        """
        def NAME(values):
            count = 0
            for j in range(len(values)):
                for i in range(j):
                    each = values[i] + values[j]
                    if <keep:each>:
                        count += 1
            return count
        """,
        lambda it: (it.integers(0, 8, -40, 40),),
        EDGES,
        {"keep": numbers.condition(draw, level)},
        wrong=(
            """
            def NAME(values):
                return sum(1 for one in values for other in values for each in [one + other] if <keep:each>)
            """,
            """
            def NAME(values):
                sums = {one + other for at, one in enumerate(values) for other in values[at + 1:]}
                return sum(1 for each in sums if <keep:each>)
            """,
            """
            def NAME(values):
                return sum(1 for one, other in zip(values, values[1:]) for each in [one + other] if <keep:each>)
            """,
        ),
        rules=("Equal numbers at different places are different.", "Fewer than two numbers give 0."),
        steps=2,
    )


@family(
    "Two numbers are alike if this is the same for both: {key}. Write {call}, which returns the list `values` without "
    "repeats: of numbers that are alike only the {which} stays. The order is otherwise kept.",
    "[Define|Write] {call}. It drops numbers from a copy of the list `values` until no two are left that agree in "
    "{key}. "
    "Of those that agree, it keeps the {which} in the list. What is left stays in its order.",
    "{call} takes a list of integers and gives back a list in which {key} occurs with each value once: of all numbers "
    "with "
    "one value it has the {which}. The numbers stay in the order that they have in `values`.",
)
def distinct(draw: Draw, level: Difficulty) -> Sketch:
    """Make the function that keeps no two numbers with the same key."""
    last = draw.chance(0.5)
    which = choice(*(("last", "[::-1]", "") if last else ("first", "", "[::-1]")))
    key = numbers.change(draw, "hard") if level == "hard" else numbers.key(draw)
    later = "values[at + 1:]" if last else "values[:at]"
    return Sketch(
        "values",
        """
        def NAME(values):
            found = {}
            for each in values<which>:
                found.setdefault(<key:each>, each)
            return list(found.values())<which>
        """,
        f"""
        def NAME(values):
            found = []
            for at, number in enumerate(values):
                if not any(<key:each> == <key:number> for each in {later}):
                    found.append(number)
            return found
        """,
        lambda it: (it.integers(0, 10),),
        EDGES,
        {"key": key, "which": which},
        wrong=(
            "def NAME(values):\n    return list(dict.fromkeys(values<which>))<which>",
            "def NAME(values):\n    return list({<key:each>: each for each in values}.values())",
        ),
        rules=("The numbers themselves are returned, unchanged.", "An empty list gives an empty list."),
        steps=2,
    )


_TAILS = {
    "cut": ("What one list has beyond the length of the other is left out.", "zip(first, second)"),
    "zero": (
        "If one list is shorter, it counts as if it went on with {pad} up to the length of the other.",
        "zip_longest(first, second, fillvalue={pad})",
    ),
}


@family(
    "Write {call}. Both arguments are lists of integers. For the numbers at each place of the two, x from `first` and "
    "y from "
    "`second`, it takes {blend}. It returns a list of the results that meet this: the number {keep}. {tail}",
    "{call} goes through the lists `first` and `second` side by side. With x the integer of `first` and y that of "
    "`second` "
    "at the same place, the result is {blend}. Return, in order, each result that {keep}. {tail}",
    "Define a function {call} over two lists of integers. At every place there is one result: {blend}, where x is the "
    "number "
    "in `first` and y the one in `second`. The function returns the list of those results of which each {keep}. {tail}",
)
def side_by_side(draw: Draw, level: Difficulty) -> Sketch:
    """Two lists, place by place."""
    pad, how = draw.integer(-3, 3), draw.pick(sorted(_TAILS))
    text, pairs = _TAILS[how]
    size = "min" if how == "cut" else "max"
    tail = Piece(text.format(pad=pad), pairs.format(pad=pad), "", steps=0)
    other = "zip_longest(first, second, fillvalue=0)" if how == "cut" else "zip(first, second)"
    by, more = draw.integer(2, 6), draw.integer(1, 9)
    blend = draw.pick(
        [
            Piece(f"{by} times x, minus y", f"{by} * x - y", f"-y + {by} * x", (f"{by} * y - x", f"{by} * (x - y)")),
            Piece(f"x plus {by} times y", f"x + {by} * y", f"y * {by} + x", (f"y + {by} * x", f"{by} * (x + y)")),
            Piece(f"x times y, plus {more}", f"x * y + {more}", f"{more} + y * x", (f"x * (y + {more})", "x * y")),
            Piece(
                f"the larger of x and `y + {more}`",
                f"max(x, y + {more})",
                f"x if x >= y + {more} else y + {more}",
                (f"max(x, y) + {more}", f"min(x, y + {more})"),
            ),
        ]
    )
    return Sketch(
        "first, second",
        """
        from itertools import zip_longest

        def NAME(first, second):
            made = [<blend> for x, y in <tail>]
            return [each for each in made if <keep:each>]
        """,
        f"""
        def NAME(first, second):
            found = []
            for at in range({size}(len(first), len(second))):
                x = first[at] if at < len(first) else {pad}
                y = second[at] if at < len(second) else {pad}
                each = <blend>
                if <keep:each>:
                    found.append(each)
            return found
        """,
        lambda it: (it.integers(0, 7, -40, 40), it.integers(0, 7, -40, 40)),
        TWO,
        {
            "blend": blend,
            "keep": numbers.condition(draw, level),
            "tail": Piece(tail.text, tail.one, tail.one, (other,), steps=0),
        },
        rules=("If nothing is left, return an empty list.",),
        steps=2,
    )
