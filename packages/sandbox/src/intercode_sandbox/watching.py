"""Watching what changes in a session, by looking again and again from outside."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

from intercode_sandbox.results import Change, Entry
from intercode_sandbox.session import Session


def watch(
    session: Session, folder: str = "/", *, interval: float = 0.2, seconds: float | None = None
) -> Iterator[Change]:
    """Yield what changes below *folder* from now on, each as it differs from the last look.

    It looks with `Session.changes`: what comes and goes between two looks is not seen.

    Args:
        session: The session.
        folder: Of nothing else is told.
        interval: Seconds between two looks.
        seconds: For how long. None: until the session ends, which raises as `Session.changes` does.
    """
    end = None if seconds is None else time.monotonic() + seconds
    return _looks(session, folder, _changes_below(session, folder), interval, end)


def _looks(
    session: Session, folder: str, before: Mapping[str, Change], interval: float, end: float | None
) -> Iterator[Change]:
    while end is None or time.monotonic() < end:
        time.sleep(interval)
        after = _changes_below(session, folder)
        for path in sorted(before.keys() | after.keys()):
            was, now = _entry(before, after, path), _entry(after, before, path)
            if was != now:
                yield Change(path, was, now)
        before = after


def _changes_below(session: Session, folder: str) -> Mapping[str, Change]:
    above = folder.rstrip("/") + "/"
    return {change.path: change for change in session.changes() if change.path.startswith(above)}


def _entry(look: Mapping[str, Change], other: Mapping[str, Change], path: str) -> Entry | None:
    """Return what was at *path* at one *look*: as in the image, where only the *other* look found a change."""
    return look[path].after if path in look else other[path].before
