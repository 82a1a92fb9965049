"""Slopes of the plots that say how cost grows."""

from __future__ import annotations

import pytest
from benchmarks.growth import slopes


def test_what_grows_as_fast_as_its_size_has_slope_one() -> None:
    points = [(float(10**n), 3.0 * 10**n) for n in range(4)]
    assert slopes.fit(points) == pytest.approx(1)
    assert slopes.last(points) == pytest.approx(1)


def test_what_does_not_grow_has_slope_zero() -> None:
    assert slopes.fit([(1, 5.0), (10, 5.0), (100, 5.0)]) == pytest.approx(0)


def test_growth_that_a_constant_hides_at_first_shows_at_the_end() -> None:
    points = [(float(10**n), 100.0 + 4.0 ** (2 * n)) for n in range(5)]
    assert slopes.fit(points) < 1
    assert slopes.last(points) > 1


def test_curves_take_the_least_time_of_each_size() -> None:
    parts = {"diff": {"median": 2.0, "minimum": 1.0}}
    assert slopes.curves({"points": [{"size": 10, "parts": parts}]}) == {"diff": [(10, 1.0)]}
