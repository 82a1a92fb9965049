"""Judges the few tasks of nl2bash-verified in which a name is free; all others are judged by `exact`."""

from __future__ import annotations

from posixpath import dirname, join, normpath

from intercode.rewards.base import EpisodeResult
from intercode.sandboxes.base import Change
from intercode.types import Score

FOLDERS = {
    "fs1/57": "/testbed/dir3/subdir1/subsubdir1/FooBar",
    "fs2/40": "/system/folder1",
    "fs3/53": "/workspace/dir1",
}


def reward(result: EpisodeResult) -> Score | float | None:
    """What the task's `check` says; without one, the score by comparison with the golds."""
    if result.task.extra.get("check") == "link_and_root":
        return float(_is_link_and_root(result.changes, FOLDERS[result.task.id.partition("/")[2]]))
    return result.scores["exact"] if result.scores else None


def _is_link_and_root(changes: tuple[Change, ...], folder: str) -> bool:
    """Whether one link of any name is new, and nothing else: in *folder* to the root, or in the root to *folder*."""
    # The digest of a link is its target.
    made = [change for change in changes if not _is_only_time(change)]
    if len(made) != 1 or made[0].before is not None or made[0].after is None or made[0].after.type != "symlink":
        return False
    path = "/" + made[0].path.strip("/")
    leads_to = normpath(join(dirname(path), made[0].after.digest))
    return (dirname(path), leads_to) in ((folder, "/"), ("/", folder))


def _is_only_time(change: Change) -> bool:
    """A folder gets a new time when something in it is made."""
    before, after = change.before, change.after
    return bool(before and after and before.type == after.type == "directory" and before.mode == after.mode)
