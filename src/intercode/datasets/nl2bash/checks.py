"""Judges the few tasks of nl2bash-verified in which a name or a form is free, or the time is asked.

`exact` judges all others.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from posixpath import dirname, join, normpath
from typing import Protocol

from intercode.types import Score, Scores, Task
from intercode_sandbox.sandbox import Change

FOLDERS = {
    "fs1/57": "/testbed/dir3/subdir1/subsubdir1/FooBar",
    "fs2/40": "/system/folder1",
    "fs3/53": "/workspace/dir1",
}

DATED = "/system/folder3/temp/empty.txt"
"""The file to which fs2/42 wants the time to be appended."""

BEFORE = "what was written before\n"
"""What is in it."""

COMMANDS = re.compile(r"\b(?:CMD|COMMAND)$")
FOREST = re.compile(r"\bps (?:\S+ )*(?:--forest|-?[a-z]*x[a-z]*f|[a-z]*f[a-z]*|-[a-z]*H)(?: |$)")
"""A line of `ps` about itself, where it was told to draw a tree: f without a dash, or with x behind one."""

BRANCHES = re.compile(r"-pstree (?:-\w*a\w*|--arguments)(?: |,|$)")
"""A line of `pstree` about itself, where it was told to show arguments."""

APART = timedelta(seconds=10)
"""Between the time that was written and that of the file: commands that write it may wait for a processor."""


class CheckedResult(Protocol):
    """What is looked at of an episode's result."""

    @property
    def task(self) -> Task:
        """The task."""

    @property
    def answer(self) -> str | None:
        """Return what the last action showed."""

    @property
    def changes(self) -> tuple[Change, ...]:
        """The differences from the image."""

    @property
    def scores(self) -> Scores | None:
        """The scores by comparison with the golds."""

    def read(self, path: str) -> bytes:
        """Return the content of a file in the sandbox."""


def reward(result: CheckedResult) -> Score | float:
    """Return what the task's `check` says; without one, the score by comparison with the golds."""
    if result.task.extra.get("check") == "date_and_one":
        return float(_is_date_and_one(result))
    if result.task.extra.get("check") == "link_and_root":
        return float(_is_link_and_root(result.changes, FOLDERS[result.task.id.partition("/")[2]]))
    if result.task.extra.get("check") == "process_tree" and _is_process_tree(result):
        return 1.0
    return result.scores["exact"] if result.scores else 0.0


def _is_process_tree(result: CheckedResult) -> bool:
    """Whether nothing was changed, and a program that shows itself with its arguments shows a tree of processes."""
    heading, *lines = (result.answer or "").splitlines() or [""]
    tree = FOREST if COMMANDS.search(heading) else BRANCHES
    return not result.changes and any(tree.search(line) for line in lines)


def _is_link_and_root(changes: tuple[Change, ...], folder: str) -> bool:
    """Return whether one link of any name is new, and nothing else.

    In *folder* to the root, or in the root to *folder*.
    """
    made = [change for change in changes if not _is_of_the_time_alone(change)]
    if len(made) != 1 or made[0].before is not None or made[0].after is None or made[0].after.type != "symlink":
        return False
    path = "/" + made[0].path.strip("/")
    leads_to = normpath(join(dirname(path), made[0].after.digest))  # a link's digest is its target
    return (dirname(path), "/" + leads_to.strip("/")) in ((folder, "/"), ("/", folder))


def _is_date_and_one(result: CheckedResult) -> bool:
    """Return whether the time and ` 1` are shown, and are new in the file: in two formats, if somebody likes that."""
    made = [change for change in result.changes if not _is_of_the_time_alone(change)]
    if [change.path for change in made] != [DATED] or made[0].after is None or made[0].after.type != "file":
        return False
    written = datetime.fromtimestamp(made[0].after.mtime_ns / 1e9, UTC)
    text = result.read(DATED).decode("utf-8", "replace")
    lines = (text.removeprefix(BEFORE), result.answer or "")
    return text.startswith(BEFORE) and all(_says(line.removesuffix("\n"), written) for line in lines)


def _says(line: str, when: datetime) -> bool:
    """Return whether *line* is the time *when*, in any usual format, and ` 1` behind it."""
    text, blank, one = line.rpartition(" ")
    zones = (moment.astimezone(zone) for moment in (when, when - APART) for zone in (UTC, None))
    return "\n" not in line and (blank, one) == (" ", "1") and any(_names(text, moment) for moment in zones)


def _names(text: str, moment: datetime) -> bool:
    """Return whether *text* has the year, the month, the day, the hour and the minute; the month may be a word.

    Each of them is a number of its own: at 11:28 on the 28th of November, 2026-11-28 has no hour and no minute.
    """
    left = Counter(map(int, re.findall(r"\d{1,4}", text)))
    left.subtract([moment.day, moment.minute])
    if f"{moment:%b}".lower() not in text.lower():
        left.subtract([moment.month])
    for whole, short in ((moment.year, moment.year % 100), (moment.hour, (moment.hour - 1) % 12 + 1)):
        left.subtract([whole if left[whole] > 0 else short])
    return min(left.values()) >= 0


def _is_of_the_time_alone(change: Change) -> bool:
    """Return a folder gets a new time when something in it is made."""
    before, after = change.before, change.after
    if before is None or after is None or not before.type == after.type == "directory":
        return False
    return (before.mode, before.uid, before.gid) == (after.mode, after.uid, after.gid)
