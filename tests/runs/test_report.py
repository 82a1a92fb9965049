"""What a run amounts to."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest

from intercode.runs.report import by_difficulty, summarize, wilson
from intercode.types import Score, Scores, TaskView, Trajectory

RIGHT, WRONG = Score(1.0, True), Score(0.4, False)


def episode(
    score: Score | None, status: Literal["submitted", "skipped", "error"] = "submitted", level: str = "easy"
) -> Trajectory:
    scores: Scores | None = None if score is None else {"paper": score, "exact": replace(score, value=score.value / 2)}
    return Trajectory(TaskView("t/1", "?", "bash", difficulty=level), "x", status, (), scores=scores, seconds=2.0)


def test_rates_and_means_are_over_what_was_judged() -> None:
    summary = summarize([episode(RIGHT), episode(WRONG)], "paper")
    assert (summary.rate, summary.rewards["paper"], summary.rewards["exact"]) == (0.5, 0.7, 0.35)
    assert summary.seconds == 2.0


def test_errors_count_apart_and_nowhere_else() -> None:
    summary = summarize([episode(RIGHT), episode(None, "error")], "paper")
    assert (summary.episodes, summary.errors, summary.counted, summary.rate) == (2, 1, 1, 1.0)
    assert summary.rewards["paper"] == 1.0


def test_giving_up_is_no_way_to_a_better_rate() -> None:
    summary = summarize([episode(RIGHT), episode(None, "skipped")], "paper")
    assert (summary.skipped, summary.rate, summary.rewards["paper"]) == (1, 0.5, 0.5)


def test_tasks_without_gold_are_not_scored() -> None:
    summary = summarize([episode(RIGHT), episode(None)], "paper")
    assert (summary.unscored, summary.rate) == (1, 1.0)


def test_of_nothing_there_is_no_rate() -> None:
    summary = summarize([], "paper")
    assert (summary.rate, summary.turns, summary.rewards["paper"]) == (None, None, None)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(5, 10, 0.2366, 0.7634), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (81, 263, 0.2553, 0.3662), (0, 0, 0.0, 1.0)],
)
def test_the_interval_is_wilsons(successes: int, trials: int, low: float, high: float) -> None:
    """81 of 263 is Newcombe's example (1998), the others are from tables."""
    assert wilson(successes, trials) == pytest.approx((low, high), abs=5e-5)


def test_difficulties_come_from_easy_to_hard() -> None:
    levels = [episode(RIGHT, level=level) for level in ("odd", "hard", "easy", "", "medium")]
    assert list(by_difficulty(levels, "paper")) == ["easy", "medium", "hard", "none", "odd"]


def test_without_difficulties_there_is_nothing_to_split() -> None:
    assert by_difficulty([episode(RIGHT, level="")], "paper") == {}
