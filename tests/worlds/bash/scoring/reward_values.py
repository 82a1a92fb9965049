"""Short ways to write the values that rewards judge."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from intercode.rewards.core.file_endings import BashEnding, FinalState, Gold
from intercode.types import Task
from intercode_sandbox.sandbox import Change, Entry

TASK = Task("test/1", "do it", "true")


def file(digest: str = "d", mode: int = 0o644, *, uid: int = 0, mtime: int = 1) -> Entry:
    return Entry("file", mode, uid, 0, len(digest), mtime, digest)


def folder(mode: int = 0o755, *, mtime: int = 1) -> Entry:
    return Entry("directory", mode, 0, 0, 40, mtime)


def link(target: str) -> Entry:
    return Entry("symlink", 0o777, 0, 0, len(target), 1, target)


def new(path: str, entry: Entry | None = None) -> Change:
    return Change(path, None, entry or file())


def gone(path: str, entry: Entry | None = None) -> Change:
    return Change(path, entry or file(), None)


def edited(path: str, before: Entry | None = None, after: Entry | None = None) -> Change:
    return Change(path, before or file("old"), after or file("new"))


def touched(path: str, mtime: int = 2, entry: Entry | None = None) -> Change:
    before = entry or file()
    return Change(path, before, replace(before, mtime_ns=mtime))


def outcome(answer: str | None = "", *changes: Change) -> FinalState:
    return FinalState(answer, tuple(sorted(changes, key=lambda change: change.path)))


def gold(
    answer: str | None = "",
    *changes: Change,
    errors: str = "",
    failed: bool = False,
    corrupt: bool = False,
    volatile: bool = False,
) -> Gold:
    return Gold(FinalState(), outcome(answer, *changes), errors, corrupt=corrupt, failed=failed, volatile=volatile)


def ending(agent: FinalState, expected: Gold, task: Task = TASK, *, acted: bool = True) -> BashEnding:
    return BashEnding(task, agent, expected, acted)


PATHS = ["/", "/a", "/a/b", "/a/b.txt", "/a c", "/etc/x", "/root/.cache", "/root/.cache/z", "/.git/index", "/.git/HEAD"]
LINES = ["", " ", "1", "2", "10", "two words", "é", "ls: no"]

entries = st.builds(
    Entry,
    st.sampled_from(["file", "directory", "symlink"]),
    st.sampled_from([0o644, 0o755]),
    st.integers(0, 1),
    st.just(0),
    st.just(1),
    st.integers(0, 2),
    st.sampled_from(["", "x", "y"]),
)
changes = st.builds(Change, st.sampled_from(PATHS), st.none() | entries, st.none() | entries).filter(
    lambda change: change.before != change.after
)
texts = st.lists(st.sampled_from(LINES), max_size=6).map("\n".join)
outcomes = st.builds(
    lambda answer, found: outcome(answer, *found),
    st.none() | texts,
    st.lists(changes, max_size=5, unique_by=lambda change: change.path),
)
golds = st.builds(
    Gold,
    paper=outcomes,
    exact=outcomes,
    errors=st.sampled_from(["", "ls: no\n", "ls: no\nls: no\n"]),
    corrupt=st.booleans(),
    failed=st.booleans(),
    volatile=st.booleans(),
    order_free=st.booleans(),
    explicit_times=st.frozensets(st.sampled_from(PATHS), max_size=2),
)
