"""Whether the agent left the file system as the gold did: every changed path, compared one by one.

Compared are type, mode, owner, group, content and link target; a time only where times are what the gold is about, or
the task's criteria name them.
Not seen: extended attributes, hard links between paths, and what processes are still doing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from intercode.rewards.core.answer import is_mostly_unrequested
from intercode.rewards.core.file_endings import FinalState, Gold
from intercode.types import NO_CRITERIA, Criteria
from intercode_sandbox.sandbox import Change, Entry

_BY_PRODUCTS = re.compile(r"^/root/\.(bash_history|lesshst|wget-hsts|cache(/.*)?)$|/__pycache__(/[^/]+\.pyc)?$")
"""What tools leave behind unasked and nobody would ask for. It is forgiven where only the agent has it and it is new or
altered, never deleted. Each name is one that a program of a plain system writes by itself and where no answer is looked
for. Kept short: whatever stands here can hide something."""

WORKING_DIRECTORY = "(the working directory)"
"""Stands among the paths where a task's criteria name the working directory; no path looks like it."""

SECOND = 1_000_000_000

_REPOSITORY = "/.git"
_STAGING = re.compile(r"/\.git/(index|objects(/.*)?)$")
"""What `git add` and `git mv` write into the benchmark's repository. Commits, stashes and settings lie elsewhere."""


@dataclass(frozen=True, slots=True)
class FileStateMatch:
    """How two states compare: paths changed alike, by the gold only, by the agent only, and by both but otherwise.

    `destroyed` are those of the unwanted that are gone. Nothing is paid for a state in which something is gone that
    should be there, or in which most was not asked for: deleting everything does delete what was to go.
    """

    same: tuple[str, ...]
    missing: tuple[str, ...]
    unwanted: tuple[str, ...]
    different: tuple[str, ...]
    destroyed: tuple[str, ...] = ()

    @property
    def part(self) -> float:
        """Equal paths over all paths that either side changed; 1 where neither changed any, 0 after destruction."""
        if self.destroyed or is_mostly_unrequested(len(self.same) + len(self.unwanted), len(self.same)):
            return 0.0
        total = len(self.same) + len(self.missing) + len(self.unwanted) + len(self.different)
        return len(self.same) / total if total else 1.0

    @property
    def notes(self) -> tuple[str, ...]:
        """For people: one line for each kind of difference, with its first paths."""
        kinds = (("not done", self.missing), ("unwanted", self.unwanted), ("done differently", self.different))
        return tuple(f"{kind}: {_join_paths(paths)}" for kind, paths in kinds if paths)


def work(gold: FinalState, explicit_times: frozenset[str] = frozenset()) -> dict[str, Change]:
    """Return what the gold did and an agent has to do, by path; the benchmark's own repository left out.

    A change of nothing but the time is work where the gold set that time on purpose (*explicit_times*), or where
    changes of times of files are all that it did (`touch`). Elsewhere it comes along: `sed -i` over files without a
    match, a directory in which something was made and removed.
    """
    changes = [change for change in gold.changes if not _in_repository(change.path)]
    done = {change.path: change for change in changes if _is_more_than_time(change)}
    times = {change.path: change for change in changes if not _is_more_than_time(change)}
    if done:
        times = {path: change for path, change in times.items() if path in explicit_times}
    return done | {path: change for path, change in times.items() if _is_touch(change, explicit_times)}


def compare(
    gold: Gold, agent: FinalState, criteria: Criteria = NO_CRITERIA, expected: Mapping[str, Change] | None = None
) -> FileStateMatch:
    """Hold what the agent changed against the gold's `work` (*expected*), and what *criteria* name beyond it."""
    expected = work(gold.exact, gold.explicit_times) if expected is None else expected
    found = {change.path: change for change in agent.changes}
    done = {path for path, change in found.items() if _is_more_than_time(change)}
    same = {path for path, change in expected.items() if path in found and _is_done(change, found[path], gold)}
    if criteria.file_times:
        same = {path for path in same if _has_right_time(expected[path], found[path], gold, agent)}
    unwanted = {path for path in done - expected.keys() if not _is_forgiven(found[path], gold)}
    different = (expected.keys() & found.keys()) - same
    missing = expected.keys() - found.keys()
    destroyed = {path for path in unwanted if found[path].after is None}
    if criteria.working_directory and (gold.exact.moved_to or agent.moved_to):
        is_there = gold.exact.moved_to == agent.moved_to
        (same if is_there else missing if gold.exact.moved_to else unwanted).add(WORKING_DIRECTORY)
    return FileStateMatch(*(tuple(sorted(paths)) for paths in (same, missing, unwanted, different, destroyed)))


def _is_done(expected: Change, found: Change, gold: Gold) -> bool:
    if _substance(expected.after) != _substance(found.after):
        return False
    if _is_more_than_time(expected) or expected.after is None or found.after is None:
        return True
    if expected.path in gold.explicit_times:
        return found.after.mtime_ns == expected.after.mtime_ns
    return found.before is not None and found.after.mtime_ns != found.before.mtime_ns


def _has_right_time(expected: Change, found: Change, gold: Gold, agent: FinalState) -> bool:
    """Return whether the time of a file that the gold made or rewrote is the one that the gold gave to it.

    Where that was the time of the session's start, it is the agent's. Some tools keep whole seconds only (tar), which
    no program's own clock would hit.
    """
    if expected.after is None or found.after is None or expected.after.type != "file":
        return True
    if expected.path in gold.start_times:
        right = int(agent.started_at * SECOND)
    elif expected.path in gold.explicit_times:
        right = expected.after.mtime_ns
    else:
        return True
    return found.after.mtime_ns in (right, right // SECOND * SECOND)


def _is_more_than_time(change: Change) -> bool:
    if change.before is None or change.after is None:
        return change.before is not change.after
    return _substance(change.before) != _substance(change.after)


def _substance(entry: Entry | None) -> tuple[object, ...]:
    """Return all of an entry that counts but its time. A directory's size and digest say nothing."""
    if entry is None:
        return ()
    size = entry.size if entry.type == "file" else 0
    return (entry.type, entry.mode, entry.uid, entry.gid, size, entry.digest)


def _is_touch(change: Change, explicit: frozenset[str]) -> bool:
    """Return a directory's time moves with whatever happens in it, so it counts only where it was set on purpose."""
    return change.path in explicit or (change.after is not None and change.after.type != "directory")


def _is_forgiven(change: Change, gold: Gold) -> bool:
    """Return whether a change that only the agent made is none of its answer.

    Where the gold itself works with the repository nothing of that can be compared: commits hold the time.
    """
    if change.after is not None and _BY_PRODUCTS.search(change.path):
        return True
    if not _in_repository(change.path):
        return False
    return _is_staging(change) or _uses_repository(gold.exact.changes)


def _uses_repository(changes: Iterable[Change]) -> bool:
    inside = (change for change in changes if _in_repository(change.path) and _is_more_than_time(change))
    return any(not _is_staging(change) for change in inside)


def _is_staging(change: Change) -> bool:
    return change.after is not None and _STAGING.match(change.path) is not None


def _in_repository(path: str) -> bool:
    return path == _REPOSITORY or path.startswith(_REPOSITORY + "/")


def _join_paths(paths: tuple[str, ...], most: int = 5) -> str:
    shown = ", ".join(paths[:most])
    return shown if len(paths) <= most else f"{shown} and {len(paths) - most} more"
