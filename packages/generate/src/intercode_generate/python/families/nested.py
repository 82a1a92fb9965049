"""Dicts in dicts, and what differs between two."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty
from intercode_generate.python import numbers
from intercode_generate.python.inputs import Inputs
from intercode_generate.python.pieces import Piece, choice
from intercode_generate.python.registry import family
from intercode_generate.python.sketch import Sketch


@family(
    "Write {call}. It compares the dicts `old` and `new`, both from words to integers, and returns a dict with an "
    "entry for "
    "each key that is in only one of them or has different values in them. For a key of both, the entry is {both}; for "
    "one "
    "that only `new` has, {added}; for one that only `old` has, {gone}.",
    "{call} tells how the dict `new` differs from the dict `old`; their values are integers. The result is a dict. A "
    "key that "
    "both have with different values leads to {both}. A key that is new leads to {added}, and one that is gone to "
    "{gone}. Keys "
    "with equal values on both sides are left out.",
    "Define {call} for two dicts of integers. Return a dict of all differences: under a key whose values differ, "
    "{both}; under "
    "a key that is missing in `old`, {added}; under a key that is missing in `new`, {gone}. What did not change is not "
    "in it.",
)
def differences(draw: Draw, level: Difficulty) -> Sketch:
    """Return what changed between two dicts."""
    by, one, other = draw.integer(2, 9), draw.integer(1, 9), draw.integer(1, 9)
    both = draw.pick(
        [
            Piece(
                f"{by} times the increase (new minus old)",
                f"{by} * (new[k] - old[k])",
                f"new[k] * {by} - old[k] * {by}",
                (f"{by} * (old[k] - new[k])", f"{by} * abs(new[k] - old[k])"),
            ),
            Piece(
                f"the new value minus {by} times the old one",
                f"new[k] - {by} * old[k]",
                f"-{by} * old[k] + new[k]",
                (f"old[k] - {by} * new[k]", "new[k] - old[k]"),
            ),
            Piece(
                f"{by} times the absolute difference",
                f"{by} * abs(new[k] - old[k])",
                f"abs({by} * new[k] - {by} * old[k])",
                (f"{by} * (new[k] - old[k])", "abs(new[k] - old[k])"),
            ),
        ]
    )
    added = Piece(f"its new value plus {one}", f"new[k] + {one}", f"{one} + new[k]", (f"new[k] - {one}", "new[k]"))
    gone = draw.pick(
        [
            Piece(
                f"its old value times {-other}", f"-{other} * old[k]", f"-(old[k] * {other})", (f"{other} * old[k]",)
            ),
            Piece(
                f"its old value minus {other}",
                f"old[k] - {other}",
                f"-{other} + old[k]",
                (f"{other} - old[k]", "old[k]"),
            ),
        ]
    )
    keep = numbers.condition(draw, level) if level != "easy" else Piece("", "True", "True", steps=0)
    only = (f"At last, every entry is dropped again unless its number {keep.text}.",) if keep.text else ()
    return Sketch(
        "old, new",
        """
        def NAME(old, new):
            found = {}
            for k in {**old, **new}:
                if k not in old:
                    found[k] = <added>
                elif k not in new:
                    found[k] = <gone>
                elif old[k] != new[k]:
                    found[k] = <both>
            return {k: each for k, each in found.items() if <keep:each>}
        """,
        """
        def NAME(old, new):
            found = {k: <both> for k in old if k in new and new[k] != old[k]}
            found.update({k: <added> for k in new if k not in old})
            found.update({k: <gone> for k in old if k not in new})
            for k in list(found):
                each = found[k]
                if not (<keep:each>):
                    del found[k]
            return found
        """,
        lambda it: tuple(
            {key: it.integer(-9, 30) for key in it.draw.sample("abcdef", it.draw.integer(0, 6))} for _ in range(2)
        ),
        (({}, {}), ({"a": 1}, {"a": 1}), ({"a": 0}, {}), ({}, {"a": 0}), ({"a": 0, "b": 3}, {"a": 5, "c": -4})),
        {"both": both, "added": added, "gone": gone, "keep": keep},
        rules=(*only, "Without differences, return an empty dict."),
        steps=2,
    )


@family(
    "Write {call}. `tree` is a dict whose values are integers or again such dicts. Return a flat dict: each integer "
    "that {keep} "
    "is in it, under the keys that lead to it, joined by `{mark}`, {order}. The value is {change}.",
    "{call} flattens nested dicts: a value in `tree` is an integer or another dict of the same kind. The result has an "
    "entry for "
    "every integer that {keep}, wherever it is. Its key is the path to it, the keys joined by `{mark}` {order}; its "
    "value is "
    "{change}.",
    "Define a function {call} that takes a dict of integers and of further such dicts, to any depth. For each integer "
    "that "
    "{keep}, the dict that it returns has {change}. The key there is made of all keys on the way, with `{mark}` "
    "between, "
    "{order}.",
)
def flattened(draw: Draw, level: Difficulty) -> Sketch:
    """Nested dicts made flat."""
    mark = draw.pick(("/", ".", "-", ":", "->", "_"))
    outer = draw.chance(0.5)
    order = choice(*(("the outermost first", "", "[::-1]") if outer else ("the innermost first", "[::-1]", "")))
    join = f"path + '{mark}' + key" if outer else f"key + '{mark}' + path"

    def tree(it: Inputs, depth: int = 0) -> dict[str, object]:
        return {
            key: tree(it, depth + 1) if depth < 3 and it.draw.chance(0.35) else it.integer(-40, 60)
            for key in it.draw.sample("abcd", it.draw.integer(0 if depth else 1, 3))
        }

    return Sketch(
        "tree",
        """
        def NAME(tree):
            found = {}

            def walk(node, path):
                for key, each in node.items():
                    if isinstance(each, dict):
                        walk(each, path + [key])
                    elif <keep:each>:
                        found['<mark>'.join((path + [key])<order>)] = <change:each>

            walk(tree, [])
            return found
        """,
        f"""
        def NAME(tree):
            found, todo = {{}}, list(tree.items())
            while todo:
                path, each = todo.pop()
                if isinstance(each, dict):
                    todo += [({join}, value) for key, value in each.items()]
                elif <keep:each>:
                    found[path] = <change:each>
            return found
        """,
        lambda it: (tree(it),),
        (({},), ({"a": {}},), ({"a": {"b": {"c": 1, "d": -1}}, "b": 12},)),
        {
            "keep": numbers.condition(draw, level),
            "change": numbers.change(draw, level),
            "mark": Piece(mark, mark, mark, ("",), steps=0),
            "order": order,
        },
        rules=("Empty dicts give no entry.",),
        steps=3,
    )
