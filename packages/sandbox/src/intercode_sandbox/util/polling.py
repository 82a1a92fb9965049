"""Waiting for one descriptor, whatever its number: `select()` refuses those from 1024 on."""

from __future__ import annotations

import select
from collections.abc import Iterable
from math import inf


def readable(descriptor: int, seconds: float) -> bool:
    """Whether there is something to read on *descriptor*, or its end, within so many seconds (`inf`: for ever)."""
    return _happens(select.POLLIN, descriptor, seconds)


def writable(descriptor: int, seconds: float) -> bool:
    """Return whether there is room to write to *descriptor*, or nobody to read, within so many seconds."""
    return _happens(select.POLLOUT, descriptor, seconds)


def readable_of(descriptors: Iterable[int], seconds: float) -> set[int]:
    """Return those of *descriptors* on which there is something to read, or the end, within so many seconds."""
    poll = select.poll()
    for descriptor in descriptors:
        poll.register(descriptor, select.POLLIN)
    return {descriptor for descriptor, _ in poll.poll(max(0.0, seconds) * 1000)}


def _happens(event: int, descriptor: int, seconds: float) -> bool:
    poll = select.poll()
    poll.register(descriptor, event)
    return bool(poll.poll(None if seconds == inf else max(0.0, seconds) * 1000))
