"""The rewards of the Python world on values."""

from __future__ import annotations

import pytest

from intercode.worlds.python.unit_tests import PublishedRun, TestResult, exact, paper, paper_unknown


def test_the_value_is_the_fraction_passed_and_success_is_all() -> None:
    passed, failed = TestResult(True), TestResult(False, "another value")
    score = exact([passed, failed, passed])
    assert score.value == pytest.approx(2 / 3)
    assert (score.success, score.parts) == (False, {"tests": score.value})
    assert score.notes == ("test 2: another value",)
    assert exact([passed, passed]).success
    assert exact([failed] * 9).notes[-1] == "and 6 more"


def test_without_results_nothing_was_handed_in() -> None:
    score = exact([])
    assert (score.value, score.success, score.notes) == (0.0, False, ("nothing was handed in",))


def test_the_published_reward_counts_equal_answers_failures_too() -> None:
    same = "{'error': 'Error: '}"
    score = paper(PublishedRun((same, "a"), (same, "b")))
    assert (score.value, score.success) == (0.5, False)
    assert paper(PublishedRun((same,), (same,))).success


def test_where_the_published_benchmark_crashes_it_gives_nothing() -> None:
    score = paper(PublishedRun(problem="it crashes"))
    assert (score.value, score.success, score.notes) == (0.0, False, ("it crashes",))


def test_where_it_has_no_reward_the_other_stands_and_says_so() -> None:
    score = paper_unknown(exact([TestResult(True)]))
    assert (score.value, score.success) == (1.0, True)
    assert "no reward" in score.notes[0]
