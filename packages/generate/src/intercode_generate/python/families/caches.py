"""Caches, which forget."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty
from intercode_generate.python import numbers
from intercode_generate.python.inputs import Inputs
from intercode_generate.python.objects import class_sketch
from intercode_generate.python.pieces import Piece, choice, number
from intercode_generate.python.registry import family
from intercode_generate.python.sketch import Arguments, Sketch


@family(
    "Write a class {call} for a cache of at most `size` entries. `put(key, value)` stores a value and returns None: a "
    "new key in a full "
    "cache first pushes out {which}. `get(key)` returns the value, or {none} if the key is not there. `keys()` returns "
    "the list of keys, "
    "{order}. {uses}",
    "Define a class {call}. It remembers values (integers) by keys (texts), for no more than `size` keys. `put(key, "
    "value)` returns None. "
    "It changes the value of a known key; before it adds a new one to a full cache, it forgets {which}. `get(key)` "
    "gives the value for "
    "the key and {none} for an unknown one. `keys()` gives the known keys as a list {order}. {uses}",
    "{call} is to be a class. Its objects hold up to `size` entries, each an integer under a text. Methods: `put(key, "
    "value)` adds or "
    "changes an entry and returns None; if a new one does not fit, {which} is removed before. `get(key)` returns an "
    "entry's integer, or "
    "{none} where there is none. `keys()` returns all keys in a list {order}. {uses}",
)
def cache(draw: Draw, level: Difficulty) -> Sketch:
    """Return a cache that forgets."""
    uses = choice(
        *(
            ("An entry is used when it is put, changed or got.", "self.touch(key)", "pass")
            if draw.chance(0.5)
            else ("An entry is used when it is put or changed; getting it is no use.", "pass", "self.touch(key)")
        )
    )
    which = draw.pick(
        [
            Piece(
                "the entry whose last use is longest ago",
                "next(iter(self.kept))",
                "list(self.kept)[0]",
                ("next(reversed(self.kept))", "min(self.kept)"),
            ),
            Piece(
                "the entry that was used last",
                "next(reversed(self.kept))",
                "list(self.kept)[-1]",
                ("next(iter(self.kept))", "max(self.kept)"),
            ),
            Piece(
                "the entry with the smallest value, of several such the one whose last use is longest ago",
                "min(self.kept, key=self.kept.get)",
                "sorted(self.kept, key=lambda k: self.kept[k])[0]",
                ("max(self.kept, key=self.kept.get)", "next(iter(self.kept))"),
            ),
            Piece(
                "the entry with the largest value, of several such the one whose last use is longest ago",
                "max(self.kept, key=self.kept.get)",
                "sorted(self.kept, key=lambda k: -self.kept[k])[0]",
                ("min(self.kept, key=self.kept.get)", "next(iter(self.kept))"),
            ),
        ]
    )
    order = draw.pick(
        [
            Piece("in alphabetical order", "sorted(@)", "sorted(list(@))", ("list(@)", "sorted(@)[::-1]"), steps=0),
            Piece(
                "in reverse alphabetical order",
                "sorted(@)[::-1]",
                "sorted(@, reverse=True)",
                ("sorted(@)", "list(@)"),
                steps=0,
            ),
            Piece(
                "with the one whose last use is longest ago first",
                "list(@)",
                "[key for key in @]",
                ("sorted(@)", "list(@)[::-1]"),
                steps=0,
            ),
            Piece(
                "with the one that was used last first",
                "list(@)[::-1]",
                "list(reversed(list(@)))",
                ("list(@)", "sorted(@)"),
                steps=0,
            ),
        ]
    )
    none = draw.integer(-5, 0)
    change = numbers.change(draw, level) if level != "easy" else Piece("", "@", "@", steps=0)
    rules = (f"`put` does not store the number itself, but this: {change.text}.",) if change.text else ()

    def operations(it: Inputs) -> Arguments:
        found: list[list[object]] = []
        for _ in range(it.draw.integer(4, 12)):
            key = it.draw.pick("abcd")
            found.append(
                it.draw.pick([["put", key, it.integer(-9, 30)], ["put", key, it.draw.integer(1, 3)], ["get", key]])
            )
        return [it.draw.integer(1, 3)], [*found, ["keys"]]

    body = """
            def touch(self, key):
                self.kept[key] = self.kept.pop(key)

            def keys(self):
                return <order:self.kept>
    """
    return class_sketch(
        "size",
        f"""
        class NAME:
            def __init__(self, size):
                self.size, self.kept = size, {{}}

            def put(self, key, value):
                if key not in self.kept and len(self.kept) == self.size:
                    del self.kept[<which>]
                self.kept.pop(key, None)
                self.kept[key] = <change:value>

            def get(self, key):
                if key not in self.kept:
                    return <none>
                <uses>
                return self.kept[key]
{body}
        """,
        """
        class NAME:
            def __init__(self, size):
                self.size = size
                self.kept = {}

            def touch(self, key):
                value = self.kept[key]
                del self.kept[key]
                self.kept[key] = value

            def put(self, key, value):
                value = <change:value>
                if key in self.kept:
                    del self.kept[key]
                elif not len(self.kept) < self.size:
                    self.kept.pop(<which>)
                self.kept.update({key: value})

            def keys(self):
                return <order:self.kept>

            def get(self, key):
                if key in self.kept:
                    <uses>
                return self.kept.get(key, <none>)
        """,
        operations,
        (
            ([1], [["keys"], ["get", "a"]]),
            ([2], [["put", "a", 1], ["put", "b", 2], ["get", "a"], ["put", "c", 3], ["keys"]]),
            (
                [2],
                [
                    ["put", "b", 5],
                    ["put", "a", 4],
                    ["put", "b", 1],
                    ["put", "c", 3],
                    ["get", "a"],
                    ["get", "b"],
                    ["keys"],
                ],
            ),
            (
                [3],
                [
                    ["put", "b", 5],
                    ["put", "a", 4],
                    ["put", "c", 1],
                    ["put", "a", 3],
                    ["get", "b"],
                    ["put", "d", 2],
                    ["keys"],
                ],
            ),
        ),
        slots={"uses": uses, "which": which, "order": order, "none": number(none), "change": change},
        rules=(*rules, "`size` is at least 1."),
        steps=3,
    )
