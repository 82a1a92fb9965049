"""Whether a difference of pairs is chance: interval and p-value are one procedure's, checked against SciPy."""

from __future__ import annotations

from math import isclose, sqrt

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from intercode.report.paired import MCNEMAR, STUDENT, judge, mcnemar, student, tango


def test_the_interval_holds_0_exactly_where_the_p_value_is_not_below_5_percent() -> None:
    """Of all splits of up to 45 pairs."""
    for pairs in range(1, 46):
        for won in range(pairs + 1):
            for lost in range(pairs + 1 - won):
                interval, p = tango(won, lost, pairs), mcnemar(won, lost)
                assert (interval.low > 0 or interval.high < 0) == (p < 0.05), (won, lost, pairs)
                assert -1 <= interval.low <= (won - lost) / pairs <= interval.high <= 1


@given(st.lists(st.sampled_from([-1.0, -0.75, -0.5, -0.2, 0.0, 0.2, 0.25, 0.5, 1.0]), min_size=1, max_size=60))
def test_neither_do_they_contradict_each_other_for_rates(differences: list[float]) -> None:
    found = judge(differences)
    assert (found.interval.low > 0 or found.interval.high < 0) == found.is_shown == (found.p < 0.05)


def test_a_published_example() -> None:
    """Airway reactivity of 21 children, 7 against 1: the intervals and tests of Fagerland, Lydersen and Laake."""
    found = tango(7, 1, 21)
    assert (found.low, found.high) == pytest.approx((0.026, 0.517), abs=5e-4)
    assert mcnemar(7, 1) == pytest.approx(0.034, abs=5e-4)


@pytest.mark.parametrize(("won", "lost", "pairs"), [(7, 1, 21), (3, 9, 40), (5, 0, 10), (0, 12, 30), (6, 6, 20)])
def test_tangos_ends_are_where_the_score_of_the_likeliest_truth_is_196(won: int, lost: int, pairs: int) -> None:
    """With the share of lost pairs found by search instead of by formula."""

    def score(difference: float) -> float:
        def unlikely(share: float) -> float:
            shares = numpy.array([share + difference, share, 1 - 2 * share - difference])
            return -float(numpy.log(shares.clip(1e-300)) @ [won, lost, pairs - won - lost])

        bounds = (max(0.0, -difference), (1 - difference) / 2)
        share = optimize.minimize_scalar(unlikely, bounds=bounds, method="bounded", options={"xatol": 1e-12}).x
        variance = pairs * (2 * share + difference - difference**2)
        return float((won - lost - pairs * difference) / sqrt(variance))

    found = tango(won, lost, pairs)
    assert score(found.low) == pytest.approx(1.96, abs=2e-3)
    assert score(found.high) == pytest.approx(-1.96, abs=2e-3)


@pytest.mark.parametrize(("up", "down"), [(0.2, 0.05), (0.1, 0.1), (0.3, 0.0)])
def test_the_interval_of_a_paired_difference_holds_the_truth_as_often_as_it_says(up: float, down: float) -> None:
    generator = numpy.random.default_rng(1)
    drawn = generator.multinomial(60, [up, down, 1 - up - down], size=3000)
    intervals = [tango(int(won), int(lost), 60) for won, lost, _ in drawn]
    held = sum(interval.low <= up - down <= interval.high for interval in intervals) / 3000
    assert 0.93 <= held <= 0.99


@pytest.mark.parametrize("pairs", [8, 20, 100])
def test_where_there_is_no_difference_one_is_shown_in_one_case_of_twenty(pairs: int) -> None:
    """By all that can happen, weighed: it may be a little more, never much."""
    for share in (0.05, 0.2, 0.5, 0.8):
        chance = 0.0
        for decided in range(pairs + 1):
            won = numpy.arange(decided + 1)
            shown = numpy.array([mcnemar(int(each), decided - int(each)) < 0.05 for each in won])
            chance += stats.binom.pmf(decided, pairs, share) * stats.binom.pmf(won, decided, 0.5)[shown].sum()
        assert chance < 0.06


@given(st.lists(st.floats(-1, 1).map(lambda each: round(each, 2)), min_size=2, max_size=80))
def test_students_t_is_scipys(differences: list[float]) -> None:
    if len(set(differences)) < 2:
        return
    found, theirs = student(differences), stats.ttest_1samp(differences, 0.0)
    low, high = theirs.confidence_interval()
    assert isclose(found.p, theirs.pvalue, abs_tol=1e-7)
    assert (found.interval.low, found.interval.high) == pytest.approx((max(-1, low), min(1, high)), abs=1e-7)


def test_which_procedure_it_is_goes_by_the_differences() -> None:
    """Of equal ones t knows no spread: they are taken for the parts of pairs won, which is on the safe side."""
    assert judge([1.0, 0.0, -1.0]).procedure == MCNEMAR
    assert judge([0.5, 0.0, -1.0]).procedure == STUDENT
    same = judge([0.5] * 6)
    assert same.procedure == MCNEMAR
    assert same.interval.low < 0.5 < same.interval.high < 1


def test_a_difference_of_nothing_can_be_anything() -> None:
    found = tango(0, 0, 0)
    assert ((found.low, found.high), mcnemar(0, 0)) == ((-1.0, 1.0), 1.0)
    assert mcnemar(6000, 4000) < 1e-80
