"""What goes wrong, turn by turn."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sample_trajectories import call, episode, turn

from intercode.report.actions import actions, error_of, first_word, steps
from intercode.report.statistics import wilson
from intercode.report.summary import summarize
from intercode.types import Action, Observation, Turn
from intercode.types.conversation import Reply
from intercode.view.rows import COLUMNS, as_row

WRONG = turn("foo", "bash: foo: command not found", exit_code=127, state="a")


def test_errors_are_counted_by_turn_and_by_kind_with_an_example() -> None:
    found = actions([episode("t/1", 0.0, turn("ls"), WRONG), episode("t/2", 1.0, WRONG, turn("ls"))], "exact")
    assert [(at.steps, at.errors) for at in found.by_turn] == [(2, 1), (2, 1)]
    assert [at.interval for at in found.by_turn] == [wilson(1, 2)] * 2
    assert found.errors == {"command not found": 2}
    assert found.examples == {"command not found": "t/1"}


def test_the_example_of_an_error_is_the_very_try_that_had_it() -> None:
    tries = [episode("t/1", 1.0, turn("ls")), episode("t/1", 0.0, WRONG, repeat=1)]
    assert actions(tries, "exact").examples == {"command not found": "t/1:1"}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("cat: /x: No such file or directory", "no such file or directory"),
        ("some output\nbash: -c: line 1: syntax error near unexpected token `('", "syntax error"),
        ("Error executing query: 1054 (42S22): Unknown column 'agee' in 'field list'", "unknown column"),
        ("Error executing query: 1146 (42S02): Table 'a.b' doesn't exist", "unknown table"),
        ("find: unknown predicate `-nam'", "wrong usage"),
        ("ZeroDivisionError: division by zero", "ZeroDivisionError"),
        ("who knows", "exit status 1"),
    ],
)
def test_errors_are_called_by_what_their_messages_have_in_common(text: str, kind: str) -> None:
    assert error_of(turn("x", text, exit_code=1), "bash") == kind


def test_what_ran_well_is_no_error_whatever_it_prints() -> None:
    assert error_of(turn("cat log", "command not found"), "bash") == ""


def test_running_out_of_time_is_an_error_and_a_reply_without_code_is_counted_apart() -> None:
    late = Turn(Action("execute", "sleep 99"), Observation("", None, timed_out=True))
    assert [error_of(late, "bash"), error_of(turn(""), "bash")] == ["timed out", ""]


def test_every_report_means_the_same_by_an_action_error() -> None:
    played = [
        episode("t/1", 0.0, turn("ls"), WRONG, turn("")),
        episode("t/2", 0.0, turn("diff a b", exit_code=1), turn("diff a b", exit_code=2)),
    ]
    found, counts = actions(played, "exact"), summarize(played, "exact").counts
    assert (counts.turns, counts.actions, counts.errors, counts.no_code, counts.repeated) == (5, 4, 2, 1, 1)
    assert sum(at.errors for at in found.by_turn) == sum(found.errors.values()) == counts.errors
    assert sum(as_row(each, "exact")[COLUMNS.index("failed")] for each in played) == counts.errors
    assert [(at.error_rate, at.nothing) for at in found.by_turn] == [(0.0, 0), (1.0, 0), (None, 1)]


def test_what_is_odd_and_no_error_is_counted_with_an_example() -> None:
    cut = (replace(call("Let me"), reply=Reply("Let me", finish_reason="length")),)
    played = [
        episode("t/1", 0.0, turn("ls"), turn("", calls=cut)),
        episode("t/2", 0.0, turn("ls"), turn("ls")),
        episode("t/3", None, status="refused"),
    ]
    assert [(each.name, each.count, each.of, each.example) for each in actions(played, "exact").oddities] == [
        ("no code in the reply", 1, 4, "t/1"),
        ("reply cut", 1, 4, "t/1"),
        ("action repeated", 1, 4, "t/2"),
        ("refused", 1, 3, "t/3"),
    ]


def test_the_same_action_again_is_a_repetition_and_another_is_none() -> None:
    found = list(steps(episode("t/1", 0.0, turn("ls /"), turn("ls"), turn("ls / ")), "exact"))
    assert [step.repeated for step in found] == [False, False, True]


def test_looking_around_is_exploring_unless_it_is_the_last_action_or_changes_something() -> None:
    looked = [turn("ls", state="a"), turn("cat x > y", state="b"), turn("rm y", state="c"), turn("cat x", state="c")]
    found = list(steps(episode("t/1", 1.0, *looked, turn("submit", value=1.0)), "exact"))
    assert [step.explores for step in found] == [True, False, False, False]


def test_in_sql_showing_and_describing_is_exploring_and_selecting_is_not() -> None:
    queries = [turn("SHOW TABLES"), turn("desc shops;"), turn("SELECT 1"), turn("select 2")]
    found = list(steps(episode("t/1", 1.0, *queries, world="sql"), "exact"))
    assert [step.explores for step in found] == [True, True, False, False]


def test_reward_gained_is_the_rise_of_the_best_so_far() -> None:
    judged = [turn("a", value=0.5), turn("b", value=0.25), turn("c"), turn("submit", value=0.75)]
    found = list(steps(episode("t/1", 0.75, *judged), "exact"))
    assert [step.gain for step in found] == [0.5, 0.0, 0.25]


def test_turns_that_were_not_judged_gain_nothing_that_could_be_known() -> None:
    found = actions([episode("t/1", 1.0, turn("a"), turn("b"), turn("submit", value=1.0))], "exact")
    assert [at.gain for at in found.by_turn] == [None, 1.0]


def test_recovery_is_a_sound_action_after_an_error_and_a_good_end_in_spite_of_one() -> None:
    recovered = episode("t/1", 1.0, WRONG, WRONG, turn("ls", value=1.0))
    lost = episode("t/2", 0.0, turn("ls"), WRONG)
    clean = episode("t/3", 1.0, turn("ls", value=1.0))
    found = actions([recovered, lost, clean], "exact").recovery
    assert (found.sound, found.won, found.won_without) == ((2, 1), (2, 1), (1, 1))
    assert (found.intervals["won"], found.intervals["won_without"]) == (wilson(1, 2), wilson(1, 1))


def test_first_words_are_those_of_commands_and_statements() -> None:
    assert [first_word(turn(code)) for code in ("ls -l", "  SELECT 1", "(cd x; ls)", "", "/bin/ls")] == [
        "ls",
        "select",
        "cd",
        "(no code)",
        "bin",
    ]


def test_what_the_machine_broke_is_not_the_agents_doing() -> None:
    assert actions([episode("t/1", None, WRONG, status="error")], "exact").steps == 0
