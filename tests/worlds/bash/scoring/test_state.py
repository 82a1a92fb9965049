from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from intercode.rewards.core.file_endings import FinalState, Gold
from intercode.worlds.bash.scoring.state import compare, work
from intercode_sandbox.sandbox import Change
from worlds.bash.scoring.reward_values import edited, file, folder, gold, gone, link, new, outcome, outcomes, touched


@given(outcomes, outcomes)
def test_the_part_is_1_only_without_a_difference(expected: FinalState, agent: FinalState) -> None:
    match = compare(Gold(FinalState(), expected), agent)
    assert 0 <= match.part <= 1
    assert (match.part == 1) == (not match.missing + match.unwanted + match.different)
    assert bool(match.notes) == (match.part < 1)


@given(outcomes)
def test_a_state_is_like_itself(same: FinalState) -> None:
    assert compare(Gold(FinalState(), same), same).part == 1


@pytest.mark.parametrize(
    ("right", "found"),
    [
        (new("/a", file("x")), new("/a", file("y"))),
        (new("/a", file(mode=0o755)), new("/a", file(mode=0o4111))),
        (new("/a", file()), new("/a", file(uid=1000))),
        (new("/a", file()), new("/a", replace(file(), size=7))),
        (new("/a", link("/x")), new("/a", link("/y"))),
        (new("/a", file()), new("/a", folder())),
        (new("/a", folder(0o700)), new("/a", folder(0o755))),
        (gone("/a"), edited("/a")),
        (edited("/a"), gone("/a")),
        (edited("/a"), touched("/a", entry=file("old"))),
    ],
)
def test_content_size_type_mode_owner_and_target_are_compared(right: Change, found: Change) -> None:
    match = compare(gold("", right), outcome("", found))
    assert (match.part, match.different) == (0.0, ("/a",))


def test_the_part_is_what_both_did_over_all_that_was_done() -> None:
    expected = gold("", new("/a"), new("/b"), gone("/c"))
    match = compare(expected, outcome("", new("/a"), gone("/c"), new("/d")))
    assert (match.same, match.missing, match.unwanted, match.part) == (("/a", "/c"), ("/b",), ("/d",), 0.5)
    assert match.notes == ("not done: /b", "unwanted: /d")


def test_notes_name_the_first_paths_only() -> None:
    match = compare(gold(), outcome("", *(new(f"/{number}") for number in range(7))))
    assert match.notes == ("unwanted: /0, /1, /2, /3, /4 and 2 more",)


def test_empty_directories_and_names_that_git_ignores_count() -> None:
    expected = gold("", new("/usr/a", folder()), new("/workspace/lib", file()))
    assert compare(expected, outcome()).part == 0


@pytest.mark.parametrize("mtime", [2, 3])
def test_a_touch_is_done_by_any_new_time(mtime: int) -> None:
    assert compare(gold("", touched("/a", 2)), outcome("", touched("/a", mtime))).part == 1


def test_a_touch_is_not_done_by_doing_nothing_or_by_writing() -> None:
    expected = gold("", touched("/a"))
    assert compare(expected, outcome()).missing == ("/a",)
    assert compare(expected, outcome("", edited("/a", file(), file("more", mtime=2)))).different == ("/a",)


def test_a_time_that_was_set_on_purpose_must_be_met() -> None:
    expected = replace(gold("", touched("/a", 5), new("/b")), explicit_times=frozenset(["/a"]))
    assert compare(expected, outcome("", touched("/a", 5), new("/b"))).part == 1
    assert compare(expected, outcome("", touched("/a", 6), new("/b"))).part == 0.5
    assert compare(expected, outcome("", new("/b"))).part == 0.5


def test_times_that_come_along_with_other_work_do_not_count() -> None:
    """`sed -i` rewrites files without a match, and moves the time of their directory."""
    expected = outcome("", edited("/a/match"), touched("/a/no_match"), touched("/a", entry=folder()))
    assert work(expected).keys() == {"/a/match"}


def test_a_directorys_time_alone_is_no_work() -> None:
    assert not work(outcome("", touched("/a", entry=folder())))
    assert work(outcome("", touched("/a", entry=folder())), frozenset(["/a"]))


def test_new_times_are_no_unwanted_change() -> None:
    agent = outcome("", new("/b"), touched("/a"), touched("/", entry=folder()))
    assert compare(gold("", new("/b")), agent).part == 1


def test_the_time_of_a_file_with_new_content_does_not_count() -> None:
    expected = replace(gold("", new("/a", file(mtime=7))), explicit_times=frozenset(["/a"]))
    assert compare(expected, outcome("", new("/a", file(mtime=8)))).part == 1


BY_PRODUCTS = ["/root/.bash_history", "/root/.lesshst", "/root/.wget-hsts", "/root/.cache", "/root/.cache/pip/x"]


@pytest.mark.parametrize("path", [*BY_PRODUCTS, "/a/__pycache__", "/a/__pycache__/m.cpython-311.pyc"])
def test_what_tools_leave_behind_is_forgiven(path: str) -> None:
    assert compare(gold(), outcome("", new(path))).part == 1
    assert compare(gold(), outcome("", edited(path))).part == 1


@pytest.mark.parametrize("path", BY_PRODUCTS)
def test_what_tools_leave_behind_is_compared_where_the_gold_has_it_and_missed_where_it_is_gone(path: str) -> None:
    assert compare(gold("", new(path, file("x"))), outcome("", new(path, file("y")))).part == 0
    assert compare(gold(), outcome("", gone(path))).part == 0


@pytest.mark.parametrize(
    "path", ["/root/.bashrc", "/root/.gitconfig", "/tmp/x", "/x/root/.cache", "/a/__pycache__/answer.txt", "/.cache"]
)
def test_nothing_else_is_forgiven(path: str) -> None:
    assert compare(gold(), outcome("", new(path))).unwanted == (path,)


def test_staging_is_forgiven_but_commits_stashes_and_settings_are_not() -> None:
    staged = [edited("/.git/index"), new("/.git/objects/ab", folder()), new("/.git/objects/ab/cd")]
    assert compare(gold(), outcome("", *staged)).part == 1
    for path in ["/.git/refs/stash", "/.git/refs/heads/master", "/.git/info/exclude", "/.git/config"]:
        assert compare(gold(), outcome("", *staged, new(path))).unwanted == (path,)
    assert compare(gold(), outcome("", gone("/.git", folder()), gone("/.git/index"))).part == 0


def test_the_golds_own_repository_work_is_not_compared() -> None:
    committed = [edited("/.git/index"), new("/.git/objects/1"), new("/.git/refs/heads/master", file("1"))]
    other = [edited("/.git/index"), new("/.git/objects/2"), new("/.git/refs/heads/master", file("2"))]
    assert not work(outcome("", *committed))
    assert compare(gold("", *committed, new("/a")), outcome("", *other, new("/a"))).part == 1
