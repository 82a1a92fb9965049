"""The statistics agree with SciPy's, and hold what they promise when the truth is known."""

from __future__ import annotations

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from intercode.report.statistics import bootstrap, mean_interval, pass_at, wilson


@given(st.integers(1, 5000).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials))))
def test_wilsons_interval_is_scipys(counts: tuple[int, int]) -> None:
    theirs = stats.binomtest(*counts).proportion_ci(method="wilson")
    ours = wilson(*counts)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(5, 10, 0.2366, 0.7634), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (81, 263, 0.2553, 0.3662), (0, 0, 0.0, 1.0)],
)
def test_wilsons_interval_is_that_of_the_tables(successes: int, trials: int, low: float, high: float) -> None:
    """81 of 263 is Newcombe's example (1998), the others are from tables."""
    found = wilson(successes, trials)
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize("k", [1, 2, 5])
def test_pass_at_k_is_what_drawing_k_of_the_tries_gives(k: int) -> None:
    tries = numpy.array([True, True, False, False, False, False, False])
    generator = numpy.random.default_rng(0)
    drawn = [generator.permutation(tries)[:k].any() for _ in range(4000)]
    assert pass_at(k, 7, 2) == pytest.approx(float(numpy.mean(drawn)), abs=0.03)


def test_pass_at_1_is_the_rate_and_many_tries_at_what_works_once_are_sure_to_pass() -> None:
    assert pass_at(1, 8, 3) == pytest.approx(3 / 8)
    assert pass_at(8, 8, 1) == 1.0
    assert pass_at(6, 8, 3) == 1.0  # only five failures: one of six must be another


@pytest.mark.parametrize("k", [0, 9])
def test_pass_at_more_than_was_tried_cannot_be_told(k: int) -> None:
    with pytest.raises(ValueError, match=f"pass@{k}"):
        pass_at(k, 8, 3)


def test_a_bootstrap_is_the_same_again_with_its_seed_and_another_with_another() -> None:
    sums, counts = [n % 5 * 0.7 + n / 1000 for n in range(37)], [4] * 37
    assert bootstrap(sums, counts, seed=3) == bootstrap(sums, counts, seed=3)
    assert bootstrap(sums, counts, seed=3) != bootstrap(sums, counts, seed=4)


def test_a_bootstrap_over_clusters_is_scipys_over_their_rates() -> None:
    generator = numpy.random.default_rng(5)
    sums = generator.binomial(5, generator.uniform(size=80)).astype(float)
    ours = bootstrap(list(sums), [5] * 80)
    theirs = stats.bootstrap((sums / 5,), numpy.mean, method="percentile", rng=generator, n_resamples=4000)
    assert ours is not None
    interval = theirs.confidence_interval
    assert (ours.low, ours.high) == pytest.approx((interval.low, interval.high), abs=0.012)


def test_clusters_that_all_agree_say_nothing() -> None:
    assert bootstrap([2.0, 2.0, 2.0], [4, 4, 4]) is None


def test_clusters_of_different_sizes_that_agree_but_for_rounding_say_nothing() -> None:
    assert bootstrap([0.1, 0.1 + 0.1 + 0.1], [1, 3]) is None


@pytest.mark.parametrize("tasks", [40, 3000])
def test_a_bootstrap_of_graded_rewards_is_as_wide_as_the_normal_interval(tasks: int) -> None:
    """Whether each cluster is drawn alone or those that are nearly equal together; sizes differ."""
    generator = numpy.random.default_rng(2)
    counts = generator.integers(1, 5, size=tasks)
    sums = generator.beta(2, 1, size=tasks) * counts
    mean = sums.sum() / counts.sum()
    spread = 1.96 * float(numpy.sqrt(((sums - mean * counts) ** 2).sum())) / counts.sum()
    found = bootstrap(list(sums), list(map(int, counts)))
    assert found is not None
    assert (found.low, found.high) == pytest.approx((mean - spread, mean + spread), abs=0.2 * spread)


def test_the_interval_of_a_mean_reward_holds_the_truth_about_as_often_as_it_says() -> None:
    generator = numpy.random.default_rng(3)
    drawn = numpy.where(generator.random((300, 40)) < 0.4, 1.0, generator.random((300, 40)))
    held = sum(found.low <= 0.7 <= found.high for found in (mean_interval(list(values)) for values in drawn))
    assert 0.9 <= held / 300 <= 0.99


def test_the_interval_of_a_mean_of_yes_and_no_is_wilsons() -> None:
    assert mean_interval([1.0, 0.0, 0.0]) == wilson(1, 3)


def test_rewards_that_all_agree_leave_as_much_doubt_as_yes_and_no() -> None:
    graded, below = mean_interval([0.5] * 10), mean_interval([-1.0] * 10)
    assert graded == wilson(5, 10)
    assert (below.low, below.high) == pytest.approx((-1.0, 2 * wilson(0, 10).high - 1))


def test_of_no_values_the_mean_can_be_anything() -> None:
    found = mean_interval([])
    assert (found.low, found.high) == (0.0, 1.0)
