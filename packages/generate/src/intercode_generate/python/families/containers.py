"""Small classes that hold things."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty
from intercode_generate.python import numbers
from intercode_generate.python.inputs import Inputs
from intercode_generate.python.objects import class_sketch
from intercode_generate.python.pieces import Piece
from intercode_generate.python.registry import family
from intercode_generate.python.sketch import Arguments, Sketch


@family(
    "Write a class {call} for a store of integers with room for `size` of them, at first empty. `add(number)` stores a "
    "number: one that "
    "{keep} is rejected (returns False, changes nothing); with a full store, {full}; what is stored returns True. "
    "`take()` removes and "
    "returns {which}; without any it returns None. `all()` returns a list of what is stored, the oldest first.",
    "Define a class {call}, a container for at most `size` integers, empty in the beginning. Its method `add(number)` "
    "refuses a number "
    "that {keep}: it returns False and nothing changes. Otherwise, if the container is full, {full}. A number that "
    "gets in returns True. "
    "`take()` removes {which} and returns it, or returns None if there is nothing. `all()` returns the numbers as a "
    "list, from the "
    "oldest to the newest.",
    "{call} makes an empty box for up to `size` integers; write the class. Methods: `add(number)` returns whether the "
    "number was put in. "
    "If a number {keep}, it is not. If it may be but the box is full, {full}. `take()` returns {which} and removes it; "
    "from an empty box "
    "it returns None. `all()` lists the content, first what came in first.",
)
def store(draw: Draw, level: Difficulty) -> Sketch:
    """Return a bounded store."""
    full = draw.pick(
        [
            Piece(
                "the oldest number is removed to make room",
                "self.kept.pop(0)",
                "del self.kept[0]",
                ("self.kept.pop()", "return False"),
            ),
            Piece(
                "the newest number is removed to make room",
                "self.kept.pop()",
                "del self.kept[-1]",
                ("self.kept.pop(0)", "return False"),
            ),
            Piece(
                "the number is rejected as well (returns False, changes nothing)",
                "return False",
                "return 0 == 1",
                ("self.kept.pop(0)", "pass"),
            ),
            Piece(
                "the smallest stored number (of equal ones the oldest) is removed to make room",
                "self.kept.remove(min(self.kept))",
                "self.kept.remove(sorted(self.kept)[0])",
                ("self.kept.remove(max(self.kept))", "self.kept.pop(0)"),
            ),
            Piece(
                "the largest stored number (of equal ones the oldest) is removed to make room",
                "self.kept.remove(max(self.kept))",
                "self.kept.remove(sorted(self.kept)[-1])",
                ("self.kept.remove(min(self.kept))", "self.kept.pop()"),
            ),
        ]
    )
    which = draw.pick(
        [
            Piece(
                "the oldest number",
                "self.kept.pop(0)",
                "self.kept.pop(-len(self.kept))",
                ("self.kept.pop()", "self.kept[0]"),
            ),
            Piece(
                "the newest number",
                "self.kept.pop()",
                "self.kept.pop(len(self.kept) - 1)",
                ("self.kept.pop(0)", "self.kept[-1]"),
            ),
            Piece(
                "the largest number (of equal ones the oldest)",
                "self.kept.pop(self.kept.index(max(self.kept)))",
                "self.kept.pop(max(range(len(self.kept)), key=lambda i: (self.kept[i], -i)))",
                ("self.kept.pop(self.kept.index(min(self.kept)))", "max(self.kept)"),
            ),
            Piece(
                "the smallest number (of equal ones the oldest)",
                "self.kept.pop(self.kept.index(min(self.kept)))",
                "self.kept.pop(min(range(len(self.kept)), key=lambda i: (self.kept[i], i)))",
                ("self.kept.pop(self.kept.index(max(self.kept)))", "min(self.kept)"),
            ),
        ]
    )

    def operations(it: Inputs) -> Arguments:
        found: list[list[object]] = [
            ["add", it.integer(-40, 60)] if it.draw.chance(0.65) else [it.draw.pick(("take", "all"))]
            for _ in range(it.draw.integer(3, 12))
        ]
        return [it.draw.integer(1, 3)], [*found, ["all"]]

    return class_sketch(
        "size",
        """
        class NAME:
            def __init__(self, size):
                self.size, self.kept = size, []

            def add(self, number):
                if <keep:number>:
                    return False
                if len(self.kept) == self.size:
                    <full>
                self.kept.append(number)
                return True

            def take(self):
                return <which> if self.kept else None

            def all(self):
                return list(self.kept)
        """,
        """
        class NAME:
            def __init__(self, size):
                self.kept = []
                self.size = size

            def take(self):
                if not self.kept:
                    return None
                return <which>

            def all(self):
                return self.kept[:]

            def add(self, number):
                if not (<keep:number>):
                    if not len(self.kept) < self.size:
                        <full>
                    self.kept += [number]
                    return True
                return False
        """,
        operations,
        (
            ([1], [["take"], ["all"]]),
            ([2], [["add", n] for n in (5, -3, 14, 7, 20, -11)] + [["all"], ["take"], ["all"]]),
            ([3], [["add", n] for n in (12, 3, 12, 8, 8)] + [["take"], ["take"], ["all"], ["take"], ["take"], ["all"]]),
        ),
        slots={"keep": numbers.condition(draw, level), "full": full, "which": which},
        rules=("`size` is at least 1. Equal numbers may be stored more than once.",),
        steps=3,
    )
