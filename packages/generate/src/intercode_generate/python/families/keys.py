"""Dicts from words to integers: their keys ranked, and their values as keys."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty
from intercode_generate.python import numbers
from intercode_generate.python.pieces import Piece, choice, number
from intercode_generate.python.registry import family
from intercode_generate.python.sketch import Arguments, Sketch

COUNTS: tuple[Arguments, ...] = (({},), ({"tea": 0},), ({"b": 2, "a": 2, "seed": -1},))


@family(
    "Write {call}. The dict `counts` has integers by words. Return a list of the keys whose value {keep}: those with "
    "{high} "
    "values first, equal values in {ties}. At most {count} keys are returned, the first of that order.",
    "{call} ranks the keys of the dict `counts`, which leads from words to integers. Keys stay out of it unless their "
    "value "
    "{keep}. Ahead are {high} values; keys with equal values are in {ties}. The result is a list of the first {count} "
    "keys, or "
    "of all if there are fewer.",
    "Define {call} for a dict from words to integers. It picks the keys for which the value {keep}, orders them by "
    "value with "
    "{high} ones first and by {ties} where values are equal, and returns the list of the first {count} (all, if there "
    "are "
    "not that many).",
)
def leaders(draw: Draw, level: Difficulty) -> Sketch:
    """Keys ranked by their values."""
    down, back = draw.chance(0.5), draw.chance(0.5)
    high = choice(*(("large", "-", "") if down else ("small", "", "-")))
    ties = Piece(
        "reverse alphabetical order" if back else "alphabetical order",
        "sorted(@, reverse=True)" if back else "sorted(@)",
        "sorted(@)[::-1]" if back else "sorted(@)",
        ("sorted(@)" if back else "sorted(@, reverse=True)", "list(@)"),
        steps=1,
    )
    values = f"sorted(set(counts.values())){'[::-1]' if down else ''}"
    return Sketch(
        "counts",
        """
        def NAME(counts):
            kept = [key for key, each in counts.items() if <keep:each>]
            return sorted(<ties:kept>, key=lambda key: <high>counts[key])[:<count>]
        """,
        f"""
        def NAME(counts):
            found = []
            for each in {values}:
                if <keep:each>:
                    same = [key for key in counts if counts[key] == each]
                    found.extend(<ties:same>)
            return found[:<count>]
        """,
        lambda it: ({word: it.draw.pick([it.integer(), it.integer(-3, 3)]) for word in it.words(0, 8)},),
        COUNTS,
        {
            "keep": numbers.condition(draw, level),
            "high": high,
            "ties": ties,
            "count": number(draw.integer(2, 5), least=1),
        },
        rules=("If there are no such keys, return an empty list.",),
        steps=2,
    )


@family(
    "Write {call}, which turns a dict round. `counts` leads from words to integers. The new dict has as keys {change}, "
    "for "
    "each value of `counts`; to each it gives {value} of the words that led there.",
    "{call} takes a dict from words to integers and inverts it. A word goes under a key made of its number: {change}. "
    "The "
    "value for such a key is {value} of all words under it.",
    "Define {call}. For every entry of the dict `counts` (words to integers) calculate {change}; these are the keys of "
    "the "
    "dict to return. The value of each is {value} of the words whose numbers give that key.",
)
def inverted(draw: Draw, level: Difficulty) -> Sketch:
    """Values to keys."""
    value = draw.pick(
        [
            Piece(
                "the alphabetically sorted list",
                "sorted(@)",
                "sorted(@, reverse=True)[::-1]",
                ("sorted(@)[::-1]", "sorted(@)[:1]"),
            ),
            Piece("the number", "len(@)", "sum(1 for _ in @)", ("sum(map(len, @))", "1")),
            Piece("the alphabetically first", "min(@)", "sorted(@)[0]", ("max(@)", "@[-1]")),
            Piece("the alphabetically last", "max(@)", "sorted(@)[-1]", ("min(@)", "@[0]")),
            Piece(
                "the total length (in letters, all added up)",
                "sum(map(len, @))",
                "len(''.join(@))",
                ("len(@)", "max(map(len, @))"),
            ),
        ]
    )
    key = numbers.change(draw, "hard") if level == "hard" else numbers.key(draw)
    keep = numbers.condition(draw) if level != "easy" else Piece("", "True", "True", steps=0)
    return Sketch(
        "counts",
        """
        def NAME(counts):
            found = {}
            for word, each in counts.items():
                if <keep:each>:
                    found.setdefault(<change:each>, []).append(word)
            return {key: <value:group> for key, group in found.items()}
        """,
        """
        def NAME(counts):
            pairs = [(<change:each>, word) for word, each in counts.items() if <keep:each>]
            result = {}
            for key, _ in pairs:
                group = [word for other, word in pairs if other == key]
                result[key] = <value:group>
            return result
        """,
        lambda it: ({word: it.draw.pick([it.integer(), it.integer(-3, 3)]) for word in it.words(0, 8)},),
        COUNTS,
        {"change": key, "value": value, "keep": keep},
        wrong=(
            """
            def NAME(counts):
                found = {}
                for word, each in counts.items():
                    if <keep:each>:
                        found[<change:each>] = [word]
                return {key: <value:group> for key, group in found.items()}
            """,
        ),
        rules=(
            *((f"Entries are skipped unless this holds: the number {keep.text}.",) if keep.text else ()),
            "An empty dict gives an empty dict.",
        ),
        steps=2,
    )
