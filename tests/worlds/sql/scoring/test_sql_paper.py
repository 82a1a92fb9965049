"""The published reward: rows as text, bags, tau, and every oddity that recordings show."""

from __future__ import annotations

import math
from collections import Counter
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercode.types.databases import QueryResult
from intercode.worlds.sql.scoring.paper import paper, paper_iou
from worlds.sql.scoring.row_values import FAILED, NO_ROWS, ending, result
from worlds.sql.scoring.test_kendall import scipys

A, B, C, D = ("a",), ("b",), ("c",), ("d",)


@pytest.mark.parametrize(
    ("mine", "golds", "value"),
    [
        ([A], [A], 1),
        ([A, B], [A, B], 1),
        ([A, B], [B, A], -1),
        ([A, B, C], [A, C, B], 0.33),
        ([A, B], [A], 0.5),
        ([A, A], [A], 0.5),
        ([A, A, B], [A, B, B], 0.5),
        ([A], [B], 0),
        ([A, B, C, D], [A, B], 0.5),
        ([], [], 1),
        ([], [A], 0),
        ([A], [], 0),
        ([(1, 2)], [(2, 1)], 0),
        ([(1,)], [(1.0,)], 0),
        ([(Decimal("1.5"),)], [(1.5,)], 0),
        ([(date(2020, 1, 2),)], [("2020-01-02",)], 0),
    ],
)
def test_known_values(mine: list[tuple[Any, ...]], golds: list[tuple[Any, ...]], value: float) -> None:
    score = paper(ending(result(*mine), result(*golds)))
    assert score.value == value
    assert score.success == (value == 1)


def test_where_there_is_no_tau_the_share_is_not_rounded() -> None:
    """One common row, or several equal ones, have no order: a third stays a third."""
    assert paper(ending(result(A, B), result(A, C))).value == 1 / 3
    assert paper(ending(result(A, A), result(A, A, B))).value == 2 / 3
    assert paper(ending(result(A, B), result(A, B, C))).value == 0.67


def test_half_a_hundredth_is_rounded_to_even_as_numpy_does() -> None:
    """0.165 becomes 0.16, where Python's `round` says 0.17."""
    many = [(number,) for number in range(200)]
    assert paper(ending(result(*many[:33]), result(*many))).value == 0.16


def test_the_same_order_is_not_always_a_tau_of_one() -> None:
    """The last bit is lost in scipy's two square roots, and it decides here: 0.375 would become 0.38."""
    many = [(number,) for number in range(16)]
    score = paper(ending(result(*many[:6]), result(*many)))
    assert score.parts == {"iou": 0.375, "tau": 1 - 2**-53}
    assert score.value == 0.37


def test_399_of_400_rows_are_a_success() -> None:
    rows = [(number,) for number in range(400)]
    score = paper(ending(result(*rows[:-1]), result(*rows)))
    assert score.value == 1
    assert score.success
    assert not paper_iou(ending(result(*rows[:-1]), result(*rows))).success


def test_what_is_no_list_of_rows_is_worth_nothing() -> None:
    for mine in (None, NO_ROWS, FAILED):
        for golds in (result(), result(A), FAILED):
            assert paper(ending(mine, golds)).value == 0
            assert paper_iou(ending(mine, golds)).value == 0


@pytest.mark.parametrize("golds", [FAILED, NO_ROWS])
def test_a_gold_that_fails_counts_as_one_without_rows(golds: QueryResult) -> None:
    """So an empty result scores 1."""
    assert paper(ending(result(), golds)).success
    assert paper_iou(ending(result(), golds)).success
    assert paper(ending(result(A), golds)).value == 0


def test_the_older_variant_knows_no_order_and_no_rounding() -> None:
    assert paper_iou(ending(result(A, B), result(B, A))).value == 1
    assert paper_iou(ending(result(A, B), result(B, A, C))).value == 2 / 3


def test_parts_tell_how_the_value_came_about() -> None:
    assert paper(ending(result(A, B), result(B, A, C))).parts == {"iou": 2 / 3, "tau": -1}
    assert paper(ending(result(A), result(A, C))).parts == {"iou": 1 / 2}


cells = st.sampled_from([0, 1, 2, 10, "a", "b", None])
tables = st.lists(st.tuples(cells), max_size=9)


@given(tables, tables)
def test_it_is_what_the_definition_says(mine: list[tuple[Any, ...]], golds: list[tuple[Any, ...]]) -> None:
    """Written down once more from PAPER_SEMANTICS, section 5, with scipy and without a thought for speed."""
    left, right = [str(row) for row in mine], [str(row) for row in golds]
    kinds = set(left) | set(right)
    least = sum(min(left.count(kind), right.count(kind)) for kind in kinds)
    most = sum(max(left.count(kind), right.count(kind)) for kind in kinds)
    share = least / most if most else 1.0
    common = Counter(left) & Counter(right)
    order = scipys(cut(left, common), cut(right, common)) if common else None
    expected = share if order is None else round(order * share * 100) / 100
    score = paper(ending(result(*mine), result(*golds)))
    assert score.value == expected
    assert not math.isnan(score.value)
    assert paper_iou(ending(result(*mine), result(*golds))).value == share


def cut(rows: list[str], common: Counter[str]) -> list[str]:
    return [row for place, row in enumerate(rows) if rows[:place].count(row) < common[row]]
