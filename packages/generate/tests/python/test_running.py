"""Code that is put together of compiled pieces does what its text says."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty
from intercode_generate.python.hidden import runner
from intercode_generate.python.inputs import Inputs
from intercode_generate.python.pieces import Code
from intercode_generate.python.registry import FAMILIES
from intercode_generate.python.running import load
from intercode_generate.python.sketch import Arguments, Sketch

FAMILY_NAMES = {family.name: family for family in FAMILIES.all()}


def outcome(run: Callable[..., Any], given: Arguments) -> object:
    try:
        return run(*given)
    except Exception as error:  # noqa: BLE001 # nearly right code may fail in any way
        return type(error)


def as_text(sketch: Sketch, code: Code) -> Callable[..., Any]:
    """*code* as it stands, compiled as a whole."""
    space: dict[str, Any] = {}
    exec(code.text + "\n" + sketch.setup, space)
    found: Callable[..., Any] = space[sketch.entry]
    return found


def sketches(name: str, level: Difficulty, count: int) -> Sequence[Sketch]:
    make = inspect.unwrap(FAMILY_NAMES[name].make)
    return [make(Draw("running", name, level, number), level) for number in range(count)]


@pytest.mark.parametrize("name", sorted(FAMILY_NAMES))
def test_code_of_families_does_what_its_text_says(name: str) -> None:
    """Golds agree on all arguments, also where no test asks, and no code changes its arguments."""
    for level in FAMILY_NAMES[name].difficulties:
        for sketch in sketches(name, level, 2):
            arguments = list(sketch.draw_inputs(Inputs(Draw("arguments", name, level)), 12))
            before = copy.deepcopy(arguments)
            right = [outcome(as_text(sketch, sketch.golds[0]), given) for given in arguments]
            assert right == [outcome(runner(sketch, sketch.golds[1]), given) for given in arguments]
            for code in [sketch.golds[0], *sketch.near_misses()]:
                if not sketch.endless or sketch.endless not in code.text:
                    run, plain = runner(sketch, code), as_text(sketch, code)
                    assert [outcome(run, given) for given in arguments] == [
                        outcome(plain, given) for given in arguments
                    ]
            assert arguments == before


@pytest.mark.parametrize(
    ("template", "piece"),
    [
        ("<k:x>", "@ + 1"),
        ("2 * <k:x>", "@ + 1"),
        ("2 * <k:x>", "(@ + 1)"),
        ("2 * (<k:x>)", "@ + 1"),
        ("-<k:x>", "@ ** 2"),
        ("<k:x> ** 2", "-@"),
        ("9 < <k:x>", "@ < 1"),
        ("not <k:x>", "@ < 1 or @ > 9"),
        ("x > 1 and <k:x>", "@ < 1 or @ > 9"),
        ("x > 1 or <k:x>", "@ < 1 and @ > 9"),
        ("[y for y in [x] if <k:y>]", "@ < 1 or @ > 9"),
        ("<k:x> if x < 99 else 7", "1 if @ > 99 else 2"),
        ("x if x > 99 else <k:x>", "1 if @ > 99 else 2"),
        ("[<k:x>]", "@, 1"),
        ("[<k:x>]", "y * 2 for y in [@]"),
        ("[<k:y> for y in [1, 2]]", "[y for y in [@]]"),
        ("[<k:y> for y in [1, 2]]", "sum(y * @ for y in [3])"),
        ("'<k:x>'", "@ + 1"),
        ("'<k:x>' + str(<k:x> + 1) + '2'", "@ + 1"),
        ("f'{<k:x>}|2' + '3' + str(<k:x>)", "@ + 4"),
        ("[1, '2', <k:x>, 3, '4', <k:x>]", "[@, 6, '7', _]"),
        ("[x]<k:x>", "[@ - @:]"),
        ("(lambda z: <k:z>)(x)", "z + @"),
        ("<k:x>", "@ + x"),
        ("<k>", "x + _"),
        ("2 * <k>", "x + _"),
        ("[<k> for x in [1, 2]]", "x + _"),
        ("<k:x>", "@ + sum(x for x in [x, 1])"),
        ("<k:x>", "@ + sum(_.real for real in [x, 1])"),
        ("[<k:x>]", "@, x"),
        ("[<k:x> for abs in [str]]", "abs(@)"),
        ("<k:x>", "(y := @) + y"),
        ("<k:x>", "f'{@ + 1:03d}|5'"),
        ("<k:x>", "'2' + \"3\" + 'it\\'s 4' + str(@)"),
    ],
)
def test_a_piece_means_in_its_slot_what_its_text_means_there(template: str, piece: str) -> None:
    code = Code(f"def NAME(x):\n    _ = 8\n    return {template}\n", {"k": piece})
    plain: dict[str, Any] = {}
    exec(code.text, plain)
    assert load(code)["NAME"](5) == plain["NAME"](5)


def test_a_piece_means_in_a_class_what_its_text_means_there() -> None:
    code = Code(
        "class NAME:\n    def __init__(self):\n        self.__n = 3\n        self.n = <k>\n", {"k": "self.__n + 1"}
    )
    assert load(code)["NAME"]().n == 4


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("x + 1 + 20", 28),
        ("x ** 10 - -3", 282475252),
        ("[0, 1, 2][1:]", [1, 2]),
        ("x in (6, 7)", True),
        ("'2' + \"3\" + 'it\\'s 4'", "23it's 4"),
        ("f'{x + 1:03d}|5'", "008|5"),
        ("r'a4' + 'b'", "a4b"),
        ("1.5 * x", 10.5),
        ("len('12') + x1", 3),
    ],
)
def test_code_whose_literals_are_named_does_what_it_says(expression: str, value: object) -> None:
    code = Code(f"def NAME(x):\n    x1 = 1\n    return {expression}\n", {})
    assert load(code)["NAME"](7) == value
