"""Arguments like given ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from intercode_generate.draw import Draw
from intercode_generate.python.similar import Similar
from intercode_generate.python.sketch import Arguments


def drawn(examples: Sequence[Arguments], count: int = 200) -> list[Arguments]:
    similar = Similar(Draw("test"), examples)
    found = [similar.arguments() for _ in range(count)]
    return [each for each in found if each is not None]


def test_equal_seeds_draw_equal_arguments_and_examples_stay_as_they_are() -> None:
    examples = [([3, 1, 2], "ab"), ([5, 4], "ba")]
    assert drawn(examples) == drawn(examples)
    assert examples == [([3, 1, 2], "ab"), ([5, 4], "ba")]


@pytest.mark.parametrize(
    ("examples", "holds"),
    [
        ([([3, 1, 2], 3), ([5, 4], 2)], lambda values, n: n == len(values)),
        ([([[1, 2], [3, 4]], 2, 2), ([[5, 6], [7, 8], [9, 1]], 3, 2)], lambda m, r, c: (r, c) == (len(m), len(m[0]))),
        ([([1, 4, 9], 4), ([2, 3, 8], 8)], lambda values, x: values == sorted(values) and x in values),
        ([(1, 5), (2, 9), (3, 4)], lambda low, high: low < high),
        ([([1, 2], [3, 4]), ([1, 2, 3], [4, 5, 6])], lambda one, other: len(one) == len(other)),
        ([("ABC",), ("XYZZY",)], lambda text: text.isupper()),
        ([("101",), ("0110",)], lambda text: set(text) <= {"0", "1"}),
        ([(1011,), (100,)], lambda number: set(str(number)) <= {"0", "1"}),
        ([([[1, 2], [3, 4]],), ([[1, 2, 3], [4, 5, 6], [7, 8, 9]],)], lambda m: all(len(r) == len(m) for r in m)),
        ([(7,), (9,)], lambda number: number >= 1),
        ([({"a": 1, "b": 2}, True), ({"c": 3}, False)], lambda d, flag: isinstance(d, dict) and isinstance(flag, bool)),
        ([((1, "x"), {1, 2}), ((2, "y"), {3})], lambda pair, s: isinstance(pair[0], int) and isinstance(pair[1], str)),
    ],
)
def test_what_holds_of_all_examples_holds_of_what_is_drawn(
    examples: Sequence[Arguments], holds: Callable[..., bool]
) -> None:
    found = drawn(examples)
    assert len(found) > 50
    assert len(set(map(repr, found))) > 5
    assert all(holds(*given) for given in found)


def test_arguments_have_the_types_of_the_examples_deep_down() -> None:
    examples = [([("Ann", 3), ("Bob", 5)], 2.5), ([("Cid", 1), ("Dan", 9)], 7.25)]
    for pairs, fraction in drawn(examples):
        assert isinstance(fraction, float)
        assert all(isinstance(name, str) and isinstance(number, int) for name, number in pairs)
