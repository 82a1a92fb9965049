"""Dicts: words in groups, and two dicts in one."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty
from intercode_generate.python import numbers, words
from intercode_generate.python.pieces import Piece
from intercode_generate.python.registry import family
from intercode_generate.python.sketch import Arguments, Sketch

COUNTS: tuple[Arguments, ...] = (({},), ({"tea": 0},), ({"b": 2, "a": 2, "seed": -1},))


@family(
    "Write {call}. It groups words of the list `words`, namely each word that {keep}: the key of a group is {key}. "
    "Return a dict "
    "from the "
    "keys to {value}.",
    "{call} takes a list of words of small letters. From those of which each {keep} it makes a dict. Words for which "
    "{key} is "
    "the same belong together, and that is their key. The value is {value}.",
    "Define {call}, which returns a dict. Its keys are all that {key} can be for the words in the list `words` of "
    "which each "
    "{keep}. The value for a key is {value}.",
)
def grouped(draw: Draw, level: Difficulty) -> Sketch:
    """Words in groups."""
    at = draw.integer(1, 3)
    by = draw.integer(2, 4)
    key = draw.pick(
        [
            Piece("the number of letters in the word", "len(@)", "sum(1 for _ in @)", ("@[0]", "len(set(@))")),
            Piece(
                f"what the first {at} letters of the word are (of a shorter word, all)"
                if at > 1
                else "the first letter of the word",
                f"@[:{at}]",
                f"''.join(list(@)[:{at}])",
                (f"@[:{at + 1}]", f"@[-{at}:]"),
            ),
            Piece(
                f"what the last {at} letters of the word are (of a shorter word, all)"
                if at > 1
                else "the last letter of the word",
                f"@[-{at}:]",
                f"@[::-1][:{at}][::-1]",
                (f"@[-{at + 1}:]", f"@[:{at}]"),
            ),
            Piece(
                "the number of vowels (a, e, i, o, u) in the word",
                "sum(c in 'aeiou' for c in @)",
                "sum(map(@.count, 'aeiou'))",
                ("len(@)", "len(set(@) & set('aeiou'))"),
            ),
            Piece(
                f"the remainder of the number of letters divided by {by}",
                f"len(@) % {by}",
                f"len(@) - {by} * (len(@) // {by})",
                (f"len(@) % {by + 1}", f"len(@) // {by}"),
            ),
        ]
    )
    value = draw.pick(
        [
            Piece("the list of its words, in the order of `words`", "@", "list(@)", ("sorted(@)", "@[::-1]")),
            Piece(
                "the list of its words in alphabetical order",
                "sorted(@)",
                "sorted(@, reverse=True)[::-1]",
                ("@", "sorted(set(@))"),
            ),
            Piece("how many words it has", "len(@)", "sum(1 for _ in @)", ("len(set(@))", "max(map(len, @))")),
            Piece("how many different words it has", "len(set(@))", "len({w: 1 for w in @})", ("len(@)",)),
            Piece(
                "its longest word, of equally long ones the first in `words`",
                "max(@, key=len)",
                "sorted(@, key=lambda w: -len(w))[0]",
                ("max(@[::-1], key=len)", "max(@)"),
            ),
            Piece("its word that is the first in alphabetical order", "min(@)", "sorted(@)[0]", ("max(@)", "@[0]")),
            Piece(
                "how many letters its words have together",
                "sum(map(len, @))",
                "len(''.join(@))",
                ("len(@)", "sum(len(w) for w in set(@))"),
            ),
        ]
    )
    return Sketch(
        "words",
        """
        def NAME(words):
            groups = {}
            for word in words:
                if <keep:word>:
                    groups.setdefault(<key:word>, []).append(word)
            return {key: <value:group> for key, group in groups.items()}
        """,
        """
        def NAME(words):
            kept = [word for word in words if <keep:word>]
            result = {}
            for key in [<key:word> for word in kept]:
                group = [word for word in kept if <key:word> == key]
                result[key] = <value:group>
            return result
        """,
        lambda it: (it.words(0, 9),),
        (([],), (["a"],), (["tea", "eat", "tea"],), (["seed", "deed", "egg", "elm", "ice"],)),
        {"keep": words.condition(draw, level), "key": key, "value": value},
        rules=("If there are no such words, return an empty dict.",),
        steps=2,
    )


@family(
    "Write {call}, which returns a new dict with all keys of the dicts `first` and `second` (words to integers). A key "
    "that "
    "only one of them has keeps its value. For a key of both, with x its value in `first` and y in `second`, the value "
    "is "
    "{policy}. Then only entries stay whose value {keep}.",
    "{call} merges two dicts from words to integers into a new one. Where both have a key, let x be what `first` says "
    "and y "
    "what `second` says: the merged value is {policy}. Other entries are copied. At last, every entry is removed "
    "unless its "
    "value {keep}.",
    "Define a function {call} that joins the dicts `first` and `second`, whose values are integers. Conflicts, that is "
    "keys "
    "of both, get {policy}, where x is from `first` and y from `second`. Return the dict of those entries, copied or "
    "joined, "
    "whose value meets this: it {keep}.",
)
def merged(draw: Draw, level: Difficulty) -> Sketch:
    """Two dicts in one."""
    by = draw.integer(2, 9)
    policy = draw.pick(
        [
            Piece(f"x plus {by} times y", f"x + {by} * y", f"{by} * y + x", (f"{by} * x + y", "x + y")),
            Piece(f"{by} times x, minus y", f"{by} * x - y", f"-y + x * {by}", (f"{by} * y - x", "x - y")),
            Piece(
                f"the larger of x and y, with {by} added to it",
                f"max(x, y) + {by}",
                f"{by} + (x if x > y else y)",
                (f"max(x, y + {by})", "max(x, y)"),
            ),
            Piece(
                f"the smaller of x and y, with {by} taken from it",
                f"min(x, y) - {by}",
                f"(y if x > y else x) - {by}",
                (f"min(x, y - {by})", "min(x, y)"),
            ),
            Piece(
                f"x if x is at least {by}, else y",
                f"x if x >= {by} else y",
                f"y if x < {by} else x",
                (f"x if x > {by} else y", f"y if x >= {by} else x"),
                (by,),
            ),
        ]
    )
    return Sketch(
        "first, second",
        """
        def NAME(first, second):
            found = {**first, **second}
            for key in first:
                if key in second:
                    x, y = first[key], second[key]
                    found[key] = <policy>
            return {key: each for key, each in found.items() if <keep:each>}
        """,
        """
        def NAME(first, second):
            found = {}
            for key in sorted(set(first) | set(second)):
                if key in first and key in second:
                    x, y = first[key], second[key]
                    each = <policy>
                else:
                    each = first[key] if key in first else second[key]
                if <keep:each>:
                    found[key] = each
            return found
        """,
        lambda it: tuple(
            {key: it.integer(-40, 60) for key in it.draw.sample("abcdef", it.draw.integer(0, 5))} for _ in range(2)
        ),
        (({}, {}), ({"a": 1}, {}), ({}, {"b": 5}), ({"a": 3}, {"a": 3}), ({"a": 9, "b": -20}, {"a": 2, "c": 30})),
        {"policy": policy, "keep": numbers.condition(draw, level)},
        wrong=(
            """
            def NAME(first, second):
                found = {**first, **second}
                for key in first:
                    if key in second:
                        x, y = first[key], second[key]
                        found[key] = <policy>
                return found
            """,
            """
            def NAME(first, second):
                return {key: each for key, each in {**first, **second}.items() if <keep:each>}
            """,
        ),
        steps=2,
    )
