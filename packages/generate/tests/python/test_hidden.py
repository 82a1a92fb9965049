"""How hidden tests are found: what is left out for speed changes no task, and what asks for nothing is dropped."""

from __future__ import annotations

from dataclasses import replace

import pytest

from intercode_generate.draw import Draw
from intercode_generate.python.families.dates import next_date
from intercode_generate.python.hidden import make_hidden_tests
from intercode_generate.python.sketch import Sketch


def test_near_misses_that_search_without_end_are_known_to_fail() -> None:
    sketches = (next_date(Draw("endless", number), "hard") for number in range(100))
    sketch = next(each for each in sketches if any(each.endless in code.text for code in each.near_misses()))
    quick, slow = (make_hidden_tests(each, Draw("tests"), "find_day") for each in (sketch, replace(sketch, endless="")))
    assert quick is not None
    assert quick == slow
    assert any(sketch.endless in code for code in quick.near_misses)


def replacing(condition: str) -> Sketch:
    """A behaviour that makes numbers 0 that meet *condition*, with two near misses, and three values at its edges."""
    code = "def NAME(xs):\n    return [0 if {} else x for x in xs]\n"
    edges = [([1],), ([2, 3],), ([4],)]
    wrong = (code.format("x == 1"), code.format("x == 2"))
    right = code.format(condition)
    return Sketch("xs", right, right, lambda it: (it.integers(1, 3, 1, 50),), edges, wrong=wrong)


def test_a_condition_that_contradicts_itself_makes_no_task() -> None:
    """The near misses alone would let it pass: each of them changes something."""
    assert make_hidden_tests(replacing("x > 60 and x < 5"), Draw("tests"), "zeros") is None


def test_at_least_one_test_fails_who_gives_back_the_argument() -> None:
    hidden = make_hidden_tests(replacing("20 < x < 26"), Draw("tests", 1), "zeros")
    assert hidden is not None
    with pytest.raises(AssertionError):
        exec("\n".join(hidden.tests), {"zeros": lambda xs: xs})


def test_golds_that_differ_in_a_test_are_an_error() -> None:
    sketch = replace(replacing("20 < x < 26"), second="def NAME(xs):\n    return xs[::-1]\n")
    with pytest.raises(ValueError, match="the golds differ"):
        make_hidden_tests(sketch, Draw("tests", 1), "zeros")
