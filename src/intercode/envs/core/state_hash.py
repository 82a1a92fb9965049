"""A short name for a state: equal states have equal names, whenever and wherever they came about."""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import sha256

from intercode.sandboxes.base import Change, Entry


def state_hash(changes: Iterable[Change], *more: str) -> str:
    """Sixteen hex digits of what differs from the image, and of *more*.

    Paths, types, modes, owners, contents and link targets count; times, inodes and the sizes of directories do not.
    """
    pairs = ((change.path, substance(change.before), substance(change.after)) for change in changes)
    differing = sorted((path, after) for path, before, after in pairs if before != after)
    return sha256(json.dumps([differing, more]).encode()).hexdigest()[:16]


def substance(entry: Entry | None) -> tuple[str | int, ...]:
    """What of an entry makes a state; nothing for what is not there."""
    return () if entry is None else (entry.type, entry.mode, entry.uid, entry.gid, entry.digest)
