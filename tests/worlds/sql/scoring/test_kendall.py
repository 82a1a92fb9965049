"""Kendall's tau against scipy's, bit for bit."""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from intercode.worlds.sql.scoring.kendall import inversions, tau


def scipys(first: Sequence[str], second: Sequence[str]) -> float | None:
    """As the published benchmark asks for it; scipy warns of samples that are too small."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = float(kendalltau(list(first), list(second), nan_policy="omit").statistic)
    return None if math.isnan(found) else found


words = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=4)
lists = st.lists(st.sampled_from("abcde") | words, max_size=12)


@st.composite
def shuffles(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """A list and one of its orders: what two results are, cut to the rows that both have."""
    first = draw(lists)
    return first, draw(st.permutations(first))


@given(shuffles())
def test_it_is_scipys_for_two_orders_of_one_list(both: tuple[list[str], list[str]]) -> None:
    assert tau(*both) == scipys(*both)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc") | words), max_size=12))
def test_it_is_scipys_for_any_two_lists(pairs: list[tuple[str, str]]) -> None:
    first, second = [left for left, _ in pairs], [right for _, right in pairs]
    assert tau(first, second) == scipys(first, second)


@pytest.mark.parametrize("length", [2, 499, 500, 501, 2003])
@pytest.mark.parametrize("distinct", [2, 30, 10_000])
def test_it_is_scipys_for_long_lists(length: int, distinct: int) -> None:
    """Of few values often repeated, and of many."""
    chance = random.Random(length * distinct)
    first = [f"({chance.randrange(distinct)},)" for _ in range(length)]
    second = chance.sample(first, length)
    assert tau(first, second) == scipys(first, second)
    assert tau(first, first[::-1]) == scipys(first, first[::-1])


@pytest.mark.parametrize("texts", [[], ["a"], ["a", "a", "a"]])
def test_less_than_two_distinct_texts_have_no_order(texts: list[str]) -> None:
    assert tau(texts, texts) is None
    assert scipys(texts, texts) is None


def test_the_order_is_that_of_the_code_points() -> None:
    """`(10,)` stands before `(9,)`, and a capital before every small letter."""
    assert tau(["(10,)", "(9,)"], ["(9,)", "(10,)"]) == -1
    assert tau(["B", "a", "é"], ["a", "é", "B"]) == scipys(["B", "a", "é"], ["a", "é", "B"])


@given(st.lists(st.integers(0, 9), max_size=30))
def test_inversions_are_the_pairs_in_the_wrong_order(values: list[int]) -> None:
    plainly = sum(left > right for place, left in enumerate(values) for right in values[place:])
    assert inversions(values) == plainly


def test_many_inversions_are_counted_in_little_time() -> None:
    """Pairs are never looked at one by one: these would be five thousand million."""
    assert inversions(list(range(100_000, 0, -1))) == 100_000 * 99_999 // 2


def test_lists_of_two_lengths_are_a_bug_of_the_caller() -> None:
    with pytest.raises(ValueError, match="argument 2"):
        tau(["a"], [])
