"""A short name for a state: equal states have equal names, whenever and wherever they came about."""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import sha256

from intercode_sandbox.sandbox import Change, Entry


def state_hash(changes: Iterable[Change], *more: str) -> str:
    """Sixteen hex digits of what differs from the image, and of *more*.

    Paths, types, modes, owners, contents and link targets count; times, inodes and the sizes of directories do not.
    """
    pairs = ((change.path, substance(change.before), substance(change.after)) for change in changes)
    differing = sorted((path, after) for path, before, after in pairs if before != after)
    return sha256(json.dumps([differing, more]).encode()).hexdigest()[:16]


def substance(entry: Entry | None) -> tuple[str | int, ...]:
    """Return what of an entry makes a state; nothing for what is not there."""
    return () if entry is None else (entry.type, entry.mode, entry.uid, entry.gid, entry.digest)


class StateHasher:
    """Computes `state_hash`, and remembers the last one: most actions change nothing."""

    def __init__(self) -> None:
        self._last: tuple[list[Change], tuple[str, ...], str] | None = None

    def hash(self, changes: list[Change], *more: str) -> str:
        """Return the same as `state_hash`."""
        if self._last is None or self._last[0] != changes or self._last[1] != more:
            self._last = changes, more, state_hash(changes, *more)
        return self._last[2]
