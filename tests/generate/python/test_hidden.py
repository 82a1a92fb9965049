"""How hidden tests are found: what is left out for speed changes no task."""

from __future__ import annotations

from dataclasses import replace

import pytest

from intercode.generate.draw import Draw
from intercode.generate.python.families.dates import next_date
from intercode.generate.python.hidden import make_hidden_tests, runner
from intercode.generate.python.sketch import Sketch


def test_near_misses_that_search_without_end_are_known_to_fail() -> None:
    sketches = (next_date(Draw("endless", number), "hard") for number in range(100))
    sketch = next(each for each in sketches if any(each.endless in code for code in each.near_misses()))
    quick, slow = (make_hidden_tests(each, Draw("tests"), "find_day") for each in (sketch, replace(sketch, endless="")))
    assert quick is not None
    assert quick == slow
    assert any(sketch.endless in code for code in quick.near_misses)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("x + 1 + 20", 28),
        ("x ** 10 - -3", 282475252),
        ("[0, 1, 2][1:]", [1, 2]),
        ("x in (6, 7)", True),
        ("'2' + \"3\" + 'it\\'s 4'", "23it's 4"),
        ("f'{x + 1:03d}|5'", "008|5"),
        ("1.5 * x", 10.5),
        ("len('12') + x1", 3),
    ],
)
def test_code_whose_numbers_are_named_does_what_it_says(expression: str, value: object) -> None:
    code = f"def NAME(x):\n    x1 = 1\n    return {expression}\n"
    sketch = Sketch("x", code, code, lambda it: (it.integer(),), [(7,)])
    assert runner(sketch, code)((7,)) == value
