"""Lists of whole numbers in which some move, change or part from the others."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty
from intercode_generate.python import numbers
from intercode_generate.python.pieces import Piece, choice, number
from intercode_generate.python.registry import family
from intercode_generate.python.sketch import Arguments, Sketch

EDGES: tuple[Arguments, ...] = (([],), ([0],), ([4, 4, 4],))


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
            Piece(
                "the sum of its two neighbours",
                f"{left} + {right}",
                f"{right_b} + {left_b}",
                (f"{left} + each + {right}", "values[at - 1] + values[(at + 1) % len(values)]"),
            ),
            Piece(
                "its left neighbour minus its right neighbour",
                f"{left} - {right}",
                f"-{right_b} + {left_b}",
                (f"{right} - {left}", f"{left}"),
            ),
            Piece(
                "the larger one of its two neighbours",
                f"max({left}, {right})",
                f"max({right_b}, {left_b})",
                (f"min({left}, {right})", f"max({left}, each, {right})"),
            ),
            Piece(
                "itself minus its left neighbour",
                f"each - {left}",
                f"-{left_b} + each",
                (f"each - {right}", "each - values[at - 1]"),
            ),
        ]
    )
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
        {"keep": numbers.condition(draw, level), "neighbours": sums},
        rules=(f"At an end of the list, a neighbour that is not there counts as {gap}.",),
        steps=2,
    )


@family(
    "Write {call}. Each number of the list `values` that {keep} moves {by} places to the {side} among the places that "
    "such "
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
    """Return some of the numbers rotated."""
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
        {"keep": numbers.condition(draw, level), "by": number(draw.integer(1, 3), least=0), "side": side},
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
            Piece(
                "sorted, the smallest first",
                "sorted(@)",
                "sorted(@, reverse=True)[::-1]",
                ("sorted(@, reverse=True)", "@"),
                steps=0,
            ),
            Piece(
                "sorted, the largest first", "sorted(@, reverse=True)", "sorted(@)[::-1]", ("sorted(@)", "@"), steps=0
            ),
            Piece("in the order of `values`", "@", "list(@)", ("sorted(@)", "@[::-1]"), steps=0),
            Piece("in the reverse order of `values`", "@[::-1]", "list(reversed(@))", ("sorted(@)", "@"), steps=0),
        ]
    )
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
        {"keep": numbers.condition(draw, level), "change": numbers.change(draw, level), "order": order},
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
