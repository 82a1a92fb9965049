"""What some episodes amount to."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isnan, nan

import pytest
from sample_trajectories import call, episode, turn

from intercode.report.statistics import total_interval, wilson
from intercode.report.summary import by_category, by_difficulty, summarize
from intercode.types import Score


def test_rates_and_means_are_over_what_was_judged() -> None:
    summary = summarize([episode("t/1", 1.0), episode("t/2", 0.4)], "paper")
    assert (summary.rate, summary.rewards["paper"], summary.seconds) == (0.5, 0.7, 2.0)


def test_errors_count_apart_and_nowhere_else() -> None:
    summary = summarize([episode("t/1"), episode("t/2", None, status="error")], "paper")
    assert (summary.episodes, summary.errors, summary.counted, summary.rate) == (2, 1, 1, 1.0)
    assert summary.rewards["paper"] == 1.0


def test_giving_up_is_no_way_to_a_better_rate() -> None:
    summary = summarize([episode("t/1"), episode("t/2", None, status="skipped")], "paper")
    assert (summary.skipped, summary.rate, summary.rewards["paper"]) == (1, 0.5, 0.5)


def test_tasks_without_gold_are_not_scored() -> None:
    summary = summarize([episode("t/1"), episode("t/2", None)], "paper")
    assert (summary.unscored, summary.rate) == (1, 1.0)


def test_tasks_that_are_left_out_of_scores_do_not_count_even_where_they_are_given_up() -> None:
    left_out = episode("t/2", None, status="skipped")
    left_out = replace(left_out, task=replace(left_out.task, excluded="its server is gone"))
    summary = summarize([episode("t/1"), left_out], "paper")
    assert (summary.unscored, summary.counted, summary.rate) == (1, 1, 1.0)


def test_of_nothing_there_is_no_rate() -> None:
    summary = summarize([], "paper")
    assert (summary.rate, summary.turns, summary.rewards["paper"], summary.interval) == (None, None, None, None)
    assert summary.reward_intervals["paper"] is None


def test_tasks_played_once_get_wilsons_interval() -> None:
    summary = summarize([episode(f"t/{n}", float(n < 3)) for n in range(10)], "exact")
    assert summary.interval == wilson(3, 10)


def test_repeats_of_a_task_are_not_taken_for_independent_episodes() -> None:
    """Ten tasks, each always or never solved: fifty episodes say no more than ten."""
    episodes = [episode(f"t/{task}", float(task < 5), repeat=repeat) for task in range(10) for repeat in range(5)]
    summary = summarize(episodes, "exact")
    naive = wilson(25, 50)
    assert summary.interval is not None
    assert summary.high - summary.low > 1.5 * (naive.high - naive.low)
    assert summary.by_repeat == (0.5,) * 5


def test_repeats_that_all_end_alike_still_leave_doubt() -> None:
    summary = summarize([episode(f"t/{n}", repeat=repeat) for n in range(4) for repeat in range(3)], "exact")
    assert summary.interval == wilson(4, 4)


def test_pass_at_k_is_over_tasks_and_leaves_out_those_with_too_few_tries() -> None:
    episodes = [episode("t/a", float(repeat == 0), repeat=repeat) for repeat in range(4)]
    episodes += [episode("t/b", 0.0, repeat=repeat) for repeat in range(3)]
    episodes += [episode("t/b", None, repeat=3, status="error")]
    summary = summarize(episodes, "exact")
    assert summary.pass_at == pytest.approx({1: 1 / 8, 2: 1 / 4, 4: 1.0})


def test_pass_at_k_has_an_interval_over_tasks() -> None:
    """Of four tasks two always succeed and two in one try of two."""
    wins = {"a": (1.0, 1.0), "b": (1.0, 1.0), "c": (1.0, 0.0), "d": (0.0, 1.0)}
    episodes = [
        episode(f"t/{name}", value, repeat=n) for name, values in wins.items() for n, value in enumerate(values)
    ]
    summary = summarize(episodes, "exact")
    assert summary.pass_at == {1: 0.75, 2: 1.0}
    assert 0.5 <= summary.pass_at_intervals[1].low < 0.75 < summary.pass_at_intervals[1].high <= 1.0
    assert summary.pass_at_intervals[2] == wilson(4, 4)


def test_mean_rewards_have_an_interval_under_both_scorings() -> None:
    summary = summarize([episode(f"t/{n}", n / 10) for n in range(11)], "exact")
    assert [*summary.reward_intervals] == ["exact", "paper"]
    for interval in summary.reward_intervals.values():
        assert interval is not None
        assert 0.2 < interval.low < 0.5 < interval.high < 0.8


def test_tries_at_a_task_are_alike_to_the_interval_of_rewards_too() -> None:
    """Twenty tasks with a reward of their own each: five tries say no more than one."""
    once = [episode(f"t/{task}", task / 20) for task in range(20)]
    often = [episode(f"t/{task}", task / 20, repeat=repeat) for task in range(20) for repeat in range(5)]
    first, second = (summarize(episodes, "exact").reward_intervals["exact"] for episodes in (once, often))
    assert first is not None
    assert second is not None
    assert (first.low, first.high) == pytest.approx((second.low, second.high))


def test_a_seed_gives_the_same_intervals_again() -> None:
    episodes = [episode(f"t/{n}", 1 / (n + 1)) for n in range(40)]
    intervals = [summarize(episodes, "exact", seed=seed).reward_intervals for seed in (1, 1, 2)]
    assert intervals[0] == intervals[1] != intervals[2]


def test_without_repeats_there_is_no_pass_at_k() -> None:
    assert summarize([episode("t/1"), episode("t/2")], "exact").pass_at == {}


def test_an_action_fails_by_its_exit_status_or_by_time_and_handing_in_is_none() -> None:
    played = episode("t/1", 1.0, turn("ls"), turn("foo", exit_code=127), turn("submit", exit_code=None, value=1.0))
    summary = summarize([played], "exact")
    assert (summary.counts.actions, summary.counts.errors, summary.action_errors) == (2, 1, 0.5)


def test_what_models_took_is_summed_and_an_unknown_price_stays_unknown() -> None:
    priced = episode("t/1", 1.0, turn("ls", calls=(call("ls", cost=0.25),)), turn("ls", calls=(call("ls", cost=0.5),)))
    assert summarize([priced], "exact").usage.cost == 0.75
    unpriced = episode("t/2", 1.0, turn("ls", calls=(call("ls", cost=None),)))
    summary = summarize([priced, unpriced], "exact")
    assert (summary.usage.prompt_tokens, summary.usage.cost) == (30, None)


def test_difficulties_come_from_easy_to_hard() -> None:
    levels = [episode(f"t/{level}", difficulty=level) for level in ("odd", "hard", "easy", "", "medium")]
    assert list(by_difficulty(levels, "paper")) == ["easy", "medium", "hard", "none", "odd"]


def test_without_difficulties_or_categories_there_is_nothing_to_split() -> None:
    assert by_difficulty([episode()], "paper") == {}
    assert by_category([episode()], "paper") == {}


@pytest.mark.parametrize("value", [nan, inf, -7.0, 1e300])
def test_of_what_is_no_reward_there_is_no_interval(value: float) -> None:
    """A file may hold any number."""
    odd = replace(episode("t/1"), scores={"exact": Score(value, False), "paper": Score(0.5, False)})
    found = summarize([odd, odd], "exact")
    assert found.reward_intervals["exact"] is None
    assert found.reward_intervals["paper"] is not None
    assert isnan(total_interval(value, 2).low)
