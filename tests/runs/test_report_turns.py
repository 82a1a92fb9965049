"""Success by turn."""

from __future__ import annotations

from sample_trajectories import episode, turn

from intercode.report.turns import by_turn, first_success, length

LATE = episode("t/1", 1.0, turn("ls", value=0.2), turn("cat", value=1.0))
AT_ONCE = episode("t/2", 1.0, turn("ls"), turn("submit", value=1.0))
NEVER = episode("t/3", 0.0, turn("a"), turn("b"), turn("", exit_code=None), turn("submit", value=0.0))


def test_an_episode_has_succeeded_from_the_first_turn_that_was_judged_a_success() -> None:
    assert [first_success(each, "exact") for each in (LATE, AT_ONCE, NEVER)] == [2, 1, None]


def test_handing_in_is_no_turn_and_a_reply_without_code_is_one() -> None:
    assert [length(each) for each in (LATE, AT_ONCE, NEVER)] == [2, 1, 3]


def test_an_answer_handed_in_without_any_action_counts_for_the_first_turn() -> None:
    assert first_success(episode("t/4", 1.0, turn("submit 42", value=1.0)), "exact") == 1


def test_rates_rise_with_turns_and_those_going_on_become_fewer() -> None:
    found = by_turn([LATE, AT_ONCE, NEVER], "exact")
    assert [at.rate for at in found] == [1 / 3, 2 / 3, 2 / 3]
    assert [at.going_on for at in found] == [3, 2, 1]
    assert all(at.interval.low <= at.rate <= at.interval.high for at in found)


def test_what_the_machine_broke_counts_at_no_turn() -> None:
    assert by_turn([LATE, episode("t/5", None, turn("ls"), status="error")], "exact")[-1].rate == 1.0


def test_of_nothing_there_are_no_turns() -> None:
    assert by_turn([], "exact") == ()
