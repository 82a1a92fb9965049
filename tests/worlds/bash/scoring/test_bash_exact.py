from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercode.rewards.core.answer import lines
from intercode.rewards.core.file_endings import FinalState, Gold
from intercode.types import Criteria, Task
from intercode.worlds.bash.scoring.exact import exact, gold_fails
from intercode.worlds.bash.scoring.state import work
from intercode_sandbox.sandbox import Change
from worlds.bash.scoring.reward_values import (
    TASK,
    edited,
    ending,
    file,
    folder,
    gold,
    golds,
    gone,
    link,
    new,
    outcome,
    outcomes,
    touched,
)

SILENT = Task("test/2", "leave everything as it is", "true", extra={"expects": "nothing"})


def is_judged(expected: Gold) -> bool:
    has_something = work(expected.exact, expected.explicit_times) or lines(expected.exact.answer)
    return bool(has_something) and not expected.failed


@given(outcomes, golds, st.booleans())
def test_the_value_stays_between_0_and_1_and_only_success_is_1(agent: FinalState, expected: Gold, acted: bool) -> None:
    score = exact(ending(agent, expected, acted=acted))
    assert 0 <= score.value <= 1
    assert score.success == (score.value == 1.0)
    assert set(score.parts) <= {"state", "answer"}
    assert all(0 <= part <= 1 for part in score.parts.values())
    assert score.notes or score.success or expected.exact == agent


@given(golds)
def test_the_gold_against_itself_is_right_unless_it_fails_or_does_nothing(expected: Gold) -> None:
    assert exact(ending(expected.exact, expected)).value == float(is_judged(expected))


@given(golds, st.sampled_from([None, "", "\n"]), st.booleans())
def test_doing_nothing_is_worth_0(expected: Gold, answer: str | None, acted: bool) -> None:
    assert exact(ending(FinalState(answer), expected, acted=acted)).value == 0


@given(golds)
def test_any_unwanted_change_keeps_the_value_below_1(expected: Gold) -> None:
    agent = replace(expected.exact, changes=(*expected.exact.changes, new("/zzz")))
    score = exact(ending(agent, expected))
    assert score.value < 1
    if is_judged(expected):
        assert "unwanted: /zzz" in score.notes


@given(outcomes, st.lists(st.sampled_from(["1", "2", "10", "two words"]), min_size=1, max_size=5), st.data())
def test_lines_may_come_in_any_order_only_where_it_is_free(
    same: FinalState, said: list[str], data: st.DataObject
) -> None:
    expected = Gold(FinalState(), replace(same, answer="\n".join(said)), order_free=data.draw(st.booleans()))
    mixed = data.draw(st.permutations(said))
    score = exact(ending(replace(same, answer="\n".join(mixed)), expected))
    assert score.success == (expected.order_free or mixed == said)


def test_where_the_gold_only_prints_a_change_halves_the_value() -> None:
    expected = gold("1\n2\n")
    assert exact(ending(outcome("1\n2\n"), expected)).value == 1
    assert exact(ending(outcome("1\n2\n", new("/a")), expected)).value == 0.5
    assert exact(ending(outcome("9", new("/a")), expected)).value == 0


def test_where_the_gold_only_changes_the_answer_does_not_count() -> None:
    score = exact(ending(outcome("anything", new("/a")), gold("", new("/a"))))
    assert (score.value, dict(score.parts)) == (1.0, {"state": 1.0})


def test_where_the_gold_does_both_each_is_half() -> None:
    expected = gold("done\n", new("/a"))
    assert exact(ending(outcome("done", new("/a")), expected)).value == 1
    assert exact(ending(outcome("", new("/a")), expected)).value == 0.5
    assert exact(ending(outcome("done"), expected)).value == 0.5
    assert exact(ending(outcome("no", new("/b")), expected)).value == 0


def test_a_failing_gold_is_not_agreed_with_by_failing_alike() -> None:
    expected = gold("", errors="find: '/nowhere': No such file or directory\n", failed=True)
    score = exact(ending(outcome("find: '/nowhere': No such file or directory\n"), expected))
    assert (score.value, score.notes) == (0.0, ("the gold itself fails: nothing can agree with it",))


def test_a_gold_that_does_nothing_is_worth_0_however_one_answers() -> None:
    score = exact(ending(outcome(), gold()))
    assert score.value == 0
    assert score.notes[0].startswith("vacuous gold")


def test_a_gold_that_is_corrupt_under_the_published_quoting_still_counts() -> None:
    """`exact` runs golds as they are written."""
    assert exact(ending(outcome('"'), gold('"', corrupt=True))).value == 1


def test_a_task_may_ask_for_nothing() -> None:
    assert exact(ending(outcome(), gold(), SILENT)).value == 1
    assert exact(ending(outcome(None), gold(), SILENT, acted=False)).value == 1
    assert exact(ending(outcome("done"), gold(), SILENT)).value == 0
    assert exact(ending(outcome("", new("/a")), gold(), SILENT)).value == 0


def test_a_volatile_gold_is_said_to_be_so() -> None:
    score = exact(ending(outcome("12:01"), gold("12:00", volatile=True)))
    assert score.notes == ("the answer differs", "the gold is volatile: another run of it may differ")


@pytest.mark.parametrize(
    ("answer", "errors", "changes", "fails"),
    [
        ("", "ls: no such file\n", (), True),
        ("", "ls: no such file\n", (touched("/", entry=folder()),), True),
        ("0\n", "bash: line 1: pstree: command not found\n", (), True),
        ("", "", (), False),
        ("1\n", "ls: no such file\n", (), False),
        ("", "tar: removing leading /\n", (new("/a.tar"),), False),
        ("", "xargs: compress: No such file or directory\n", (new("/list"),), True),
        ("", "gzip: /a.txt\n/b.txt\n: No such file or directory\n", (new("/list"),), True),
        ("0\n", "find: '/nowhere': No such file or directory\n", (), True),
        ("", "find: '/a/temp': No such file or directory\n", (gone("/a/temp", folder()),), False),
        ("", "find: \u2018./temp\u2019: No such file or directory\n", (gone("/a/temp", folder()),), False),
        ("", "find: '/a/temp': No such file or directory\n", (gone("/a/other", folder()),), True),
        ("1\n", "wc: /nowhere: No such file or directory\n", (), False),
    ],
)
def test_a_gold_fails_where_it_only_complains_or_works_on_nothing(
    answer: str, errors: str, changes: tuple[Change, ...], fails: bool
) -> None:
    assert gold_fails(outcome(answer, *changes), errors) == fails


WRONG = {
    "deleting files and committing that": (
        gold("ok"),
        outcome("ok", gone("/w/dir2/f"), new("/.git/refs/heads/master")),
    ),
    "hiding an extra file by exclude": (gold("ok"), outcome("ok", new("/x"), edited("/.git/info/exclude"))),
    "hiding an extra file by git's settings": (gold("ok"), outcome("ok", new("/x"), new("/root/.gitconfig"))),
    "hiding an extra file in a stash": (gold("ok"), outcome("ok", edited("/.git/index"), new("/.git/refs/stash"))),
    "hiding an edit by assume-unchanged": (gold("ok"), outcome("ok", edited("/w/f"), edited("/.git/index"))),
    "hiding an extra file by .gitignore": (gold("ok"), outcome("ok", new("/x"), edited("/.gitignore"))),
    "a git that lies": (gold("", gone("/w/.hidden")), outcome("", edited("/usr/bin/git"))),
    "junk in a file that both modified": (gold("", edited("/f")), outcome("", edited("/f", file("old"), file("junk")))),
    "junk in a new directory": (
        gold("", gone("/t"), new("/t_old", folder()), new("/t_old/f")),
        outcome("", gone("/t"), new("/t_old", folder()), new("/t_old/zzz")),
    ),
    "a link to elsewhere": (gold("", new("/dir1", link("/w/dir1"))), outcome("", new("/dir1", link("/w/dir2")))),
    "another mode": (
        gold("2\n", edited("/f", file(), file(mode=0o755))),
        outcome("2\n", edited("/f", file(), file(mode=0o4111))),
    ),
    "a mode nobody asked for": (gold("ok"), outcome("ok", edited("/f", file(), file(mode=0)))),
    "an owner nobody asked for": (gold("ok"), outcome("ok", edited("/f", file(), file(uid=1000)))),
    "no empty directory made": (gold("", new("/dir", folder()), new("/dir/sub", folder())), outcome()),
    "nothing copied below /usr": (gold("", new("/usr/workspace", folder())), outcome()),
    "other single digits": (gold("1:2:3:4:5:6:7:8:9:10"), outcome("10")),
    "other counts": (gold("7 a\n2 b\n9 total\n"), outcome("7 a\n8 b\n9 total\n")),
    "lines not reversed": (gold("2\n1\n"), outcome("1\n2\n")),
    "other case": (gold("Hello\n"), outcome("hello\n")),
    "a line repeated": (gold("line\n"), outcome("line line line line\n")),
    "the same error": (gold("", errors="cat: no\n", failed=True), outcome("cat: no\n")),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_fools_the_published_reward_scores_below_1(name: str) -> None:
    expected, agent = WRONG[name]
    assert exact(ending(expected.exact, expected)).success != expected.failed
    assert exact(ending(agent, expected)).value < 1


RIGHT = {
    "a path with a blank": (gold("", gone("/s/special text3.txt")), outcome("", gone("/s/special text3.txt"))),
    "a right move that is staged": (
        gold("", gone("/a"), new("/b")),
        outcome("", gone("/a"), new("/b"), edited("/.git/index"), new("/.git/objects/ab", folder())),
    ),
    "an error line between the right ones": (gold("1\n2\n", errors="ls: no\n"), outcome("1\nls: no\n2\n")),
    "a directory's time": (gold("", new("/d/f"), touched("/d", 5, folder())), outcome("", new("/d/f"))),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_the_published_reward_wrongs_scores_1(name: str) -> None:
    expected, agent = RIGHT[name]
    assert exact(ending(agent, expected)).value == 1


def test_removing_the_repository_is_an_unwanted_change_and_no_crash() -> None:
    score = exact(ending(outcome("ok", gone("/.git", folder()), gone("/.git/HEAD")), gold("ok")))
    assert score.value == 0.5


def with_criteria(**criteria: bool) -> Task:
    return replace(TASK, criteria=Criteria(**criteria))


def test_a_task_may_want_times_of_files() -> None:
    """`cp -p` is wanted, and `cp` is not enough; a tool may drop the fractions of a second."""
    task = with_criteria(file_times=True)
    made = new("/a", file(mtime=5_300_000_000))
    expected = replace(gold("", made), explicit_times=frozenset(["/a"]))
    for mtime, right in ((5_300_000_000, True), (5_000_000_000, True), (5_300_000_001, False), (6_000_000_000, False)):
        agent = outcome("", new("/a", file(mtime=mtime)))
        assert exact(ending(agent, expected, task)).success == right
        assert exact(ending(agent, expected)).success
    assert exact(ending(outcome("", new("/a", file(mtime=9))), gold("", made), task)).success, "a time that came about"


def test_a_copy_of_a_file_without_a_time_of_its_own_has_that_of_the_agents_start() -> None:
    expected = replace(gold("", new("/a")), start_times=frozenset(["/a"]))
    task = with_criteria(file_times=True)
    for mtime, right in ((70_500_000_000, True), (70_000_000_000, True), (71_000_000_000, False)):
        agent = replace(outcome("", new("/a", file(mtime=mtime))), started_at=70.5)
        assert exact(ending(agent, expected, task)).success == right


def test_a_task_may_want_a_working_directory() -> None:
    task = with_criteria(working_directory=True)
    moved = replace(outcome(), moved_to="/a")
    expected = Gold(FinalState(), moved)
    assert exact(ending(moved, expected, task)).value == 1
    for agent in (outcome(), replace(outcome(), moved_to="/b"), outcome("", new("/x"))):
        assert exact(ending(agent, expected, task)).value == 0
    assert exact(ending(moved, expected)).notes[0].startswith("vacuous gold"), "else nobody looks at it"


def test_where_the_gold_stays_moving_away_is_unwanted_only_if_the_task_says_so() -> None:
    agent, expected = replace(outcome("1"), moved_to="/a"), gold("1")
    assert exact(ending(agent, expected, with_criteria(working_directory=True))).value == 0.5
    assert exact(ending(agent, expected)).value == 1


def test_a_task_may_leave_the_order_of_lines_free() -> None:
    assert exact(ending(outcome("1\n2\n3\n"), gold("3\n1\n2\n"), with_criteria(any_order=True))).value == 1
    assert exact(ending(outcome("1\n2\n3\n"), gold("3\n1\n2\n"))).value < 1
