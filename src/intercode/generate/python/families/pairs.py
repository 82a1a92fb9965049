"""Lists of whole numbers by twos: repeats, neighbours, two lists at once."""

from __future__ import annotations

from intercode.generate.draw import Draw
from intercode.generate.family import Difficulty
from intercode.generate.python import numbers
from intercode.generate.python.pieces import Piece, choice, number
from intercode.generate.python.registry import family
from intercode.generate.python.sketch import Sketch

EDGES = (([],), ([0],), ([4, 4, 4],))
TWO = (([], []), ([1], []), ([], [2, 3]), ([5], [5]))


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
    """How many pairs have a sum that meets a condition."""
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
        {"keep": numbers.test(draw, level)},
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
    """No two numbers with the same key."""
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
            Piece(f"the larger of x and y + {more}", f"max(x, y + {more})", f"x if x >= y + {more} else y + {more}",
                  (f"max(x, y) + {more}", f"min(x, y + {more})")),
        ]
    )  # fmt: skip
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
            "keep": numbers.test(draw, level),
            "tail": Piece(tail.text, tail.one, tail.one, (other,), steps=0),
        },
        rules=("If nothing is left, return an empty list.",),
        steps=2,
    )


@family(
    "Write {call}. Every number of `values` that {keep} is replaced by {neighbours}; all others stay as they are. All "
    "replacements are made from the original list. Return the new list.",
    "{call} returns a copy of the list `values` in which certain numbers are different: where a number {keep}, there "
    "now is "
    "{neighbours}. Neighbours are those of the original list, not of the new one.",
    "Define {call}, which takes a list of integers and returns one of the same length. A number that {keep} gives way "
    "to "
    "{neighbours}, as they are in the list that was handed over. Every other number is kept.",
)
def by_neighbours(draw: Draw, level: Difficulty) -> Sketch:
    """Numbers replaced by what stands beside them."""
    gap = draw.integer(-5, 5)
    left, right = f"([{gap}] + values)[at]", f"(values + [{gap}])[at + 1]"
    left_b, right_b = f"(values[at - 1] if at > 0 else {gap})", f"(values[at + 1] if at + 1 < len(values) else {gap})"
    sums = draw.pick(
        [
            Piece("the sum of its two neighbours", f"{left} + {right}", f"{right_b} + {left_b}",
                  (f"{left} + each + {right}", "values[at - 1] + values[(at + 1) % len(values)]")),
            Piece("its left neighbour minus its right neighbour", f"{left} - {right}", f"-{right_b} + {left_b}",
                  (f"{right} - {left}", f"{left}")),
            Piece("the larger one of its two neighbours", f"max({left}, {right})", f"max({right_b}, {left_b})",
                  (f"min({left}, {right})", f"max({left}, each, {right})")),
            Piece("itself minus its left neighbour", f"each - {left}", f"-{left_b} + each",
                  (f"each - {right}", "each - values[at - 1]")),
        ]
    )  # fmt: skip
    return Sketch(
        "values",
        "def NAME(values):\n    return [<neighbours> if <keep:each> else each for at, each in enumerate(values)]",
        """
        def NAME(values):
            found = list(values)
            for at, each in enumerate(values):
                if <keep:each>:
                    found[at] = <neighbours>
            return found
        """,
        lambda it: (it.integers(0, 9, -40, 40),),
        EDGES,
        {"keep": numbers.test(draw, level), "neighbours": sums},
        rules=(f"At an end of the list, a neighbour that is not there counts as {gap}.",),
        steps=2,
    )


@family(
    "Write {call}. Numbers of the list `values` that {keep} move {by} places to the {side} among the places that such "
    "numbers "
    "have; one that would leave at the {side} end comes in again at the other end. All other numbers stay where they "
    "are. "
    "Return the new list.",
    "In the list `values`, look only at the numbers that meet this: the number {keep}. Taken together they are a "
    "shorter "
    "list. [Define|Write] {call}, which rotates that shorter list by {by} to the {side} and puts its numbers back into "
    "the "
    "places where such numbers were. Other numbers do not move. Return the whole new list.",
    "{call} returns a list like `values`, but the numbers in it of which each {keep} are rotated among themselves: "
    "each "
    "takes the place that is held by the one {by} further to the {side}, counting only such numbers and going around "
    "at the "
    "ends. Everything else keeps its place.",
)
def rotated(draw: Draw, level: Difficulty) -> Sketch:
    """Some of the numbers rotated."""
    right = draw.chance(0.5)
    side = choice(*(("right", "-", "") if right else ("left", "", "-")))
    turn = "at - <by>" if right else "at + <by>"
    return Sketch(
        "values",
        """
        def NAME(values):
            chosen = [each for each in values if <keep:each>]
            if not chosen:
                return list(values)
            by = <side><by> % len(chosen)
            turned = iter(chosen[by:] + chosen[:by])
            return [next(turned) if <keep:each> else each for each in values]
        """,
        f"""
        def NAME(values):
            places = [place for place, each in enumerate(values) if <keep:each>]
            found = list(values)
            for at, place in enumerate(places):
                found[place] = values[places[({turn}) % len(places)]]
            return found
        """,
        lambda it: (it.integers(0, 10),),
        EDGES,
        {"keep": numbers.test(draw, level), "by": number(draw.integer(1, 3), least=0), "side": side},
        wrong=("def NAME(values):\n    return [each for each in values if <keep:each>]",),
        rules=("Without such numbers the list is returned as it is.",),
        steps=3,
    )


@family(
    "Write {call}. It returns the numbers of `values` in two lists, as a list of both: first those that meet this: the "
    "number {keep}; then all others. In each of the two, {change} stands in place of the number, and the list is "
    "{order}.",
    "{call} splits the list `values`. Numbers go into the one part if this holds: the number {keep}; else into the "
    "other. "
    "Each number becomes {change}. Then each part is {order}. Return `[one, other]`.",
    "Define a function {call} that returns a list of two lists. The first is about the integers in `values` of which "
    "each "
    "{keep}, the second about the rest. For every integer they hold {change}. Both lists are {order}.",
)
def parted(draw: Draw, level: Difficulty) -> Sketch:
    """Two parts."""
    order = draw.pick(
        [
            Piece("sorted, the smallest first", "sorted(@)", "sorted(@, reverse=True)[::-1]",
                  ("sorted(@, reverse=True)", "@"), steps=0),
            Piece("sorted, the largest first", "sorted(@, reverse=True)", "sorted(@)[::-1]", ("sorted(@)", "@"), steps=0),
            Piece("in the order of `values`", "@", "list(@)", ("sorted(@)", "@[::-1]"), steps=0),
            Piece("in the reverse order of `values`", "@[::-1]", "list(reversed(@))", ("sorted(@)", "@"), steps=0),
        ]
    )  # fmt: skip
    return Sketch(
        "values",
        """
        def NAME(values):
            one = [<change:each> for each in values if <keep:each>]
            other = [<change:each> for each in values if not (<keep:each>)]
            return [<order:one>, <order:other>]
        """,
        """
        def NAME(values):
            one, other = [], []
            for each in values:
                (one if <keep:each> else other).append(<change:each>)
            return [<order:one>, <order:other>]
        """,
        lambda it: (it.integers(),),
        EDGES,
        {"keep": numbers.test(draw, level), "change": numbers.change(draw, level), "order": order},
        wrong=(
            """
            def NAME(values):
                one = [<change:each> for each in values if <keep:each>]
                other = [<change:each> for each in values if not (<keep:each>)]
                return [<order:other>, <order:one>]
            """,
        ),
        rules=("A part without numbers is an empty list.",),
    )
