"""Hidden tests from properties: arguments are drawn until the tests tell the golds from all that is nearly right."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import Any

from intercode.generate.draw import Draw
from intercode.generate.python.inputs import Inputs
from intercode.generate.python.sketch import Arguments, Sketch

DRAWN = 40
"""Arguments that are drawn for each task, and `TESTS` how many tests it gets of them at least."""

TESTS = 12

MOST_NEAR_MISSES = 6

LEAST_NEAR_MISSES = 2

LEAST_VALUES = 3
"""Different values that the tests expect, lest a function that looks at nothing passes many."""

_LITERAL = re.compile(r"""'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|(?<![\w.])\d+(?![\w.])""")
"""Texts, in which no number counts as one, and whole numbers."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """The tests of a task, and the near misses that they fail."""

    tests: tuple[str, ...]
    near_misses: tuple[str, ...]


class _Failed:
    """What code that raises gives: equal to nothing."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return False


def make_hidden_tests(sketch: Sketch, draw: Draw, name: str) -> Hidden | None:
    """Tests for *sketch* under *name*.

    None where too little is nearly right, too few values are expected, or each of them is the argument: then a
    condition may contradict itself.

    Raises:
        ValueError: If the two golds differ: then the family is at fault.
    """
    gold, second = sketch.codes
    near = list(sketch.near_misses())
    inputs = Inputs(
        draw,
        [value for piece in sketch.slots.values() for value in piece.numbers],
        "".join(piece.letters for piece in sketch.slots.values()),
    )
    arguments = list(sketch.draw_inputs(inputs, DRAWN))
    run = runner(sketch, gold)
    expected = [run(given) for given in arguments]
    run_second = runner(sketch, second)
    for given, value in zip(arguments, expected, strict=True):
        if run_second(given) != value:
            raise ValueError(f"the golds differ for {given!r}: {value!r}, not {run_second(given)!r}\n{gold}\n{second}")
    chosen = dict.fromkeys(range(len(sketch.edges)))
    failing: list[str] = []
    for code in near:
        place = _failing_place(sketch, code, arguments, expected, chosen)
        if place is not None:
            chosen[place] = None
            failing.append(code)
        if len(failing) == MOST_NEAR_MISSES:
            break
    changed = [place for place, value in enumerate(expected) if value != arguments[place][0]]
    if not changed:
        return None
    if not chosen.keys() & set(changed):
        chosen[changed[0]] = None
    shown = [repr(value) for value in expected]
    chosen.update(_others(shown, chosen))
    entry = sketch.entry.replace("NAME", name)
    tests = dict.fromkeys(_test(entry, arguments[place], shown[place]) for place in sorted(chosen))
    values = {shown[place] for place in chosen}
    if len(failing) < LEAST_NEAR_MISSES or len(values) < LEAST_VALUES:
        return None
    return Hidden(tuple(tests), tuple(failing))


def runner(sketch: Sketch, code: str) -> Callable[[Arguments], Any]:
    """What *code* gives for arguments. It is our own, so it may run here."""
    shape, space = _without_numbers(code)
    exec(_compile(shape), space)
    if sketch.setup:
        exec(_compile(sketch.setup), space)
    function = space[sketch.entry]
    return lambda given: function(*given)


def _without_numbers(code: str) -> tuple[str, dict[str, Any]]:
    """*code* with names for its whole numbers, and what these stand for: much code differs in numbers alone."""
    numbers: dict[str, Any] = {}

    def named(found: re.Match[str]) -> str:
        if not found[0].isdecimal():
            return found[0]
        name = f"_number_{len(numbers)}"
        numbers[name] = int(found[0])
        return name

    return _LITERAL.sub(named, code), numbers


@lru_cache(maxsize=8192)
def _compile(code: str) -> CodeType:
    """Code comes again and again, and takes longer to be compiled than to be run."""
    return compile(code, "<generated>", "exec")


def _failing_place(
    sketch: Sketch, code: str, arguments: Sequence[Arguments], expected: Sequence[Any], chosen: dict[int, None]
) -> int | None:
    """The place of arguments for which *code* is wrong: one of *chosen* if it can be."""
    if sketch.endless and sketch.endless in code:
        return next(iter(chosen))
    run = runner(sketch, code)
    for place in [*chosen, *(place for place in range(len(arguments)) if place not in chosen)]:
        try:
            value = run(arguments[place])
        except Exception:  # noqa: BLE001 # nearly right code may fail in any way: it is wrong then
            value = _Failed()
        if value != expected[place]:
            return place
    return None


def _others(shown: Sequence[str], chosen: Collection[int]) -> dict[int, None]:
    """As many places more as there should be tests: first those of values that no test expects yet."""
    values = {shown[place] for place in chosen}
    fresh: list[int] = []
    repeated: list[int] = []
    for place, value in enumerate(shown):
        if place not in chosen:
            (repeated if value in values else fresh).append(place)
            values.add(value)
    return dict.fromkeys([*fresh, *repeated][: max(0, TESTS - len(chosen))])


def _test(entry: str, given: Arguments, shown: str) -> str:
    return f"assert {entry}({', '.join(map(repr, given))}) == {shown}"
