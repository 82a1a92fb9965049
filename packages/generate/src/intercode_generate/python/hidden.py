"""Hidden tests from properties: arguments are drawn until the tests tell the golds from all that is nearly right."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, filterfalse, islice
from typing import Any

from intercode_generate.draw import Draw
from intercode_generate.python.inputs import Inputs
from intercode_generate.python.pieces import Code
from intercode_generate.python.running import load, load_text
from intercode_generate.python.sketch import Arguments, Sketch

DRAWN = 40
"""Arguments that are drawn for each task, and `TESTS` how many tests it gets of them at least."""

TESTS = 12

MOST_NEAR_MISSES = 6

LEAST_NEAR_MISSES = 2

LEAST_VALUES = 3
"""Different values that the tests expect, lest a function that looks at nothing passes many."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """The tests of a task, and the near misses that they fail."""

    tests: tuple[str, ...]
    near_misses: tuple[str, ...]


class _Expected(dict[int, Any]):
    """What is right for each of *arguments*, by its place: found out when it is asked for."""

    def __init__(self, run: Callable[..., Any], arguments: Sequence[Arguments]) -> None:
        super().__init__()
        self.run, self.arguments = run, arguments

    def __missing__(self, place: int) -> Any:
        value = self[place] = self.run(*self.arguments[place])
        return value

    def is_changed(self, place: int) -> bool:
        """Return whether that is another than the (first) argument itself."""
        return bool(self[place] != self.arguments[place][0])


def make_hidden_tests(sketch: Sketch, draw: Draw, name: str) -> Hidden | None:
    """Tests for *sketch* under *name*.

    None where too little is nearly right, too few values are expected, or each of them is the argument: then a
    condition may contradict itself.

    Raises:
        ValueError: If the two golds differ in a test: then the family is at fault.
    """
    inputs = Inputs(
        draw,
        [value for piece in sketch.slots.values() for value in piece.numbers],
        "".join(piece.letters for piece in sketch.slots.values()),
    )
    arguments = list(sketch.draw_inputs(inputs, DRAWN))
    expected = _Expected(runner(sketch, sketch.golds[0]), arguments)
    chosen = dict.fromkeys(range(len(sketch.edges)))
    failing: list[str] = []
    for code in sketch.near_misses():
        place = _failing_place(sketch, code, expected, chosen)
        if place is not None:
            chosen[place] = None
            failing.append(code.text)
        if len(failing) == MOST_NEAR_MISSES:
            break
    if not any(map(expected.is_changed, chosen)):
        changed = next(filter(expected.is_changed, range(len(arguments))), None)
        if changed is None:
            return None
        chosen[changed] = None
    shown = _shown(expected, chosen)
    if len(failing) < LEAST_NEAR_MISSES or len(set(shown.values())) < LEAST_VALUES:
        return None
    _compare_golds(sketch, expected, shown)
    entry = sketch.entry.replace("NAME", name)
    tests = dict.fromkeys(_test(entry, arguments[place], shown[place]) for place in sorted(shown))
    return Hidden(tuple(tests), tuple(failing))


def runner(sketch: Sketch, code: Code) -> Callable[..., Any]:
    """Return what *code* gives for arguments. It is our own, so it may run here."""
    space = load(code)
    if sketch.setup:
        space = load_text(sketch.setup, space)
    function: Callable[..., Any] = space[sketch.entry]
    return function


def _failing_place(sketch: Sketch, code: Code, expected: _Expected, chosen: dict[int, None]) -> int | None:
    """Return the place of arguments for which *code* is wrong: one of *chosen* if it can be."""
    if sketch.endless and sketch.endless in code.text:
        return next(iter(chosen))
    run, arguments = runner(sketch, code), expected.arguments
    for place in chain(chosen, filterfalse(chosen.__contains__, range(len(arguments)))):
        right = expected[place]
        try:
            if run(*arguments[place]) != right:
                return place
        except Exception:  # noqa: BLE001 # nearly right code may fail in any way: it is wrong then
            return place
    return None


def _shown(expected: _Expected, chosen: Collection[int]) -> dict[int, str]:
    """Return what the tests show as right, by the places of their arguments.

    These are *chosen*, and as many more as there should be: first those of values that no test expects yet.
    """
    shown = {place: repr(expected[place]) for place in chosen}
    missing = TESTS - len(shown)
    values = set(shown.values())
    repeated: dict[int, str] = {}
    for place in range(len(expected.arguments)):
        if missing <= 0:
            return shown
        if place not in shown:
            text = repr(expected[place])
            if text in values:
                repeated[place] = text
            else:
                values.add(text)
                shown[place] = text
                missing -= 1
    return {**shown, **dict(islice(repeated.items(), missing))}


def _compare_golds(sketch: Sketch, expected: _Expected, places: Iterable[int]) -> None:
    run = runner(sketch, sketch.golds[1])
    for place in places:
        given, value = expected.arguments[place], expected[place]
        other = run(*given)
        if other != value:
            codes = "\n".join(gold.text for gold in sketch.golds)
            raise ValueError(f"the golds differ for {given!r}: {value!r}, not {other!r}\n{codes}")


def _test(entry: str, given: Arguments, shown: str) -> str:
    return f"assert {entry}({', '.join(map(repr, given))}) == {shown}"
