"""Judges the few tasks of nl2bash-verified in which a name is free; all others are judged by `exact`."""

from __future__ import annotations

from posixpath import dirname, join, normpath
from typing import Protocol

from intercode.sandboxes.base import Change
from intercode.types import Score, Scores, Task

FOLDERS = {
    "fs1/57": "/testbed/dir3/subdir1/subsubdir1/FooBar",
    "fs2/40": "/system/folder1",
    "fs3/53": "/workspace/dir1",
}


class Result(Protocol):
    """What is looked at of an episode's result."""

    @property
    def task(self) -> Task:
        """The task."""

    @property
    def changes(self) -> tuple[Change, ...]:
        """The differences from the image."""

    @property
    def scores(self) -> Scores | None:
        """The scores by comparison with the golds."""


def reward(result: Result) -> Score | float:
    """What the task's `check` says; without one, the score by comparison with the golds."""
    if result.task.extra.get("check") == "link_and_root":
        return float(_is_link_and_root(result.changes, FOLDERS[result.task.id.partition("/")[2]]))
    return result.scores["exact"] if result.scores else 0.0


def _is_link_and_root(changes: tuple[Change, ...], folder: str) -> bool:
    """Whether one link of any name is new, and nothing else: in *folder* to the root, or in the root to *folder*."""
    made = [change for change in changes if not _is_of_the_time_alone(change)]
    if len(made) != 1 or made[0].before is not None or made[0].after is None or made[0].after.type != "symlink":
        return False
    path = "/" + made[0].path.strip("/")
    leads_to = normpath(join(dirname(path), made[0].after.digest))  # a link's digest is its target
    return (dirname(path), "/" + leads_to.strip("/")) in ((folder, "/"), ("/", folder))


def _is_of_the_time_alone(change: Change) -> bool:
    """A folder gets a new time when something in it is made."""
    before, after = change.before, change.after
    if before is None or after is None or not before.type == after.type == "directory":
        return False
    return (before.mode, before.uid, before.gid) == (after.mode, after.uid, after.gid)
