"""Two runs on the same tasks."""

from __future__ import annotations

from pathlib import Path

import pytest
from sample_trajectories import episode, run

from intercode.errors import UserError
from intercode.report.comparison import compare_runs
from intercode.report.paired import MCNEMAR, STUDENT, Verdict, mcnemar, student, tango
from intercode.report.statistics import wilson
from intercode.report.tables_comparison import make_tables


def test_pairs_are_by_task_and_the_difference_is_of_the_second_against_the_first(tmp_path: Path) -> None:
    first = run(tmp_path / "a", [episode("t/1", 0.0), episode("t/2", 0.0), episode("t/3", 1.0), episode("t/4", 1.0)])
    second = run(tmp_path / "b", [episode("t/4", 0.0), episode("t/3", 1.0), episode("t/2", 1.0), episode("t/1", 1.0)])
    found = compare_runs(first, second, "exact")
    assert (found.tasks("won"), found.tasks("lost"), found.tasks("same")) == (["t/1", "t/2"], ["t/4"], ["t/3"])
    assert (found.rates, found.difference) == ((0.5, 0.75), 0.25)
    assert found.intervals == (wilson(2, 4), wilson(3, 4))
    assert found.verdict == Verdict(tango(2, 1, 4), mcnemar(2, 1), MCNEMAR)


def test_the_mean_rewards_of_both_have_intervals(tmp_path: Path) -> None:
    first = run(tmp_path / "a", [episode(f"t/{n}", n / 10) for n in range(11)])
    second = run(tmp_path / "b", [episode(f"t/{n}", 1.0) for n in range(11)])
    found = compare_runs(first, second, "exact")
    assert (found.rewards[1], found.reward_intervals[1]) == (1.0, wilson(11, 11))
    assert 0.2 < found.reward_intervals[0].low < found.rewards[0] < found.reward_intervals[0].high < 0.8
    (both, _) = make_tables(found, first, second, "exact")
    assert both.to_json()[1]["95 %, reward"] == wilson(11, 11).to_json()


def test_tasks_that_do_not_count_in_both_are_left_out_and_named(tmp_path: Path) -> None:
    first = run(tmp_path / "a", [episode("t/1", 1.0), episode("t/2", 1.0)])
    broken = episode("t/2", None, status="error", error="SandboxError: gone")
    second = run(tmp_path / "b", [episode("t/1", 1.0), broken, episode("t/3", 1.0)])
    found = compare_runs(first, second, "exact")
    assert found.left_out == ("t/2", "t/3")
    assert (found.rates, found.verdict.p) == ((1.0, 1.0), 1.0)


def test_runs_without_a_common_task_cannot_be_compared(tmp_path: Path) -> None:
    first, second = run(tmp_path / "a", [episode("t/1")]), run(tmp_path / "b", [episode("t/2")])
    with pytest.raises(UserError, match="no judged task in common"):
        compare_runs(first, second, "exact")


def test_several_tries_at_a_task_are_one_pair(tmp_path: Path) -> None:
    tries = [episode(f"t/{task}", float(repeat < task), repeat=repeat) for task in range(5) for repeat in range(4)]
    once = [episode(f"t/{task}", 0.0) for task in range(5)]
    found = compare_runs(run(tmp_path / "a", once), run(tmp_path / "b", tries), "exact")
    assert len(found.pairs) == 5
    assert (found.rates, found.tasks("won")) == ((0.0, 0.5), ["t/1", "t/2", "t/3", "t/4"])
    assert found.intervals[0] == wilson(0, 5)
    assert 0.0 < found.intervals[1].low < 0.5 < found.intervals[1].high < 1.0
    assert found.verdict == student([0.0, 0.25, 0.5, 0.75, 1.0])
    assert (found.verdict.procedure, found.verdict.is_shown) == (STUDENT, True)
    assert 0.0 < found.verdict.interval.low < 0.5 < found.verdict.interval.high < 1.0


def test_the_words_claim_a_difference_only_where_chance_would_hardly_make_one(tmp_path: Path) -> None:
    first = run(tmp_path / "a", [episode(f"t/{n}", 0.0) for n in range(20)])
    for won, says in ((10, "solves 50.0 points more"), (3, "no difference is shown")):
        second = run(tmp_path / f"b{won}", [episode(f"t/{n}", float(n < won)) for n in range(20)])
        found = compare_runs(first, second, "exact")
        assert says in make_tables(found, first, second, "exact")[1].note
        assert found.verdict.procedure in make_tables(found, first, second, "exact")[1].note
