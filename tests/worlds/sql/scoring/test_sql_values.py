"""Values that mean the same are the same, and no others."""

from __future__ import annotations

import math
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercode.worlds.sql.scoring.values import ValueReader, plain


def agree(mine: Any, golds: Any) -> bool:
    return ValueReader([(golds,)]).read(mine) == plain(golds)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (1, 1.0), (1, Decimal("1.00")), (1, True), (0, Decimal("-0.0")), (2.5, Decimal("2.50")),
        (1, "1"), (1, "1.0"), (2.5, "2.50"), (-3, "-3"),
        (1 / 3, 0.333333333), (1e9 + 0.5, 1e9 + 1.5),
        (Decimal("0.3333"), Decimal("0.33333")), (Decimal("0.3333"), 1 / 3), (Decimal("66.6667"), 200 / 3),
        (date(2020, 1, 2), "2020-01-02"), (date(2020, 1, 2), datetime(2020, 1, 2)),
        (datetime(2020, 1, 2), "2020-01-02 00:00:00"), ("2020-01-02T00:00:00.000", "2020-01-02"),
        (datetime(2020, 1, 2, 3, 4, 5, 120_000), "2020-01-02 03:04:05.12"),
        (timedelta(hours=30, minutes=1), "30:01:00"), (timedelta(seconds=-90), "-00:01:30"),
        (timedelta(seconds=1, microseconds=500_000), "00:00:01.5"),
        (b"abc", "abc"), (None, None), (math.nan, math.nan), (math.inf, math.inf),
        (Decimal(10) ** 30, 10**30),
    ],
)  # fmt: skip
def test_these_agree(first: Any, second: Any) -> None:
    """Whichever of them is the gold's."""
    assert agree(first, second)
    assert agree(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (1, 2), (1_000_000_000, 1_000_000_001), (1, 1.001), (2.5, 2.49), (Decimal("9.99"), Decimal("9.994")),
        (Decimal("0.3333"), Decimal("0.3334")), (1 / 3, Decimal("0.33")),
        (10**18, 10**18 + 1), (Decimal(10**20), 10**20 + 1),
        ("1", "01"), (1, "01"), (1, "one"), (1, "1e0"), ("a", "A"), ("a", "a "), ("1.0", "1"),
        (None, 0), (None, ""), (None, "NULL"), (0, ""), (False, None),
        ("2020-01-02", "2020-01-03"), (datetime(2020, 1, 2, 1), date(2020, 1, 2)),
        (math.inf, -math.inf), (math.nan, 0), (math.nan, None),
    ],
)  # fmt: skip
def test_these_do_not(first: Any, second: Any) -> None:
    assert not agree(first, second)
    assert not agree(second, first)


values = (
    st.none()
    | st.integers()
    | st.floats()
    | st.decimals(allow_nan=False, allow_infinity=False, places=3)
    | st.text(max_size=5)
    | st.binary(max_size=5)
    | st.dates()
    | st.datetimes()
    | st.timedeltas(timedelta(days=-30), timedelta(days=30))
)


@given(values)
def test_every_value_agrees_with_itself(value: Any) -> None:
    assert agree(value, value)


@given(values, st.lists(values, max_size=9))
def test_a_value_that_the_gold_has_is_read_as_it_stands_there(value: Any, others: list[Any]) -> None:
    """However near to it the others are."""
    assert ValueReader([(value, *others)]).read(value) == plain(value)


@given(values, values)
def test_agreeing_is_mutual(first: Any, second: Any) -> None:
    assert agree(first, second) == agree(second, first)


def test_the_nearest_value_is_taken() -> None:
    reader = ValueReader([(100.00001,), (100.00004,)])
    assert reader.read(100.00002) == 100.00001
    assert reader.read(100.00003) == 100.00004
