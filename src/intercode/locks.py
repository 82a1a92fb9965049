"""Locks on open files, between processes; the kernel lets go of them when their holder dies, however it dies.

Windows has none of this kind: there nothing is locked, and nobody must write the same run twice at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def _system_locks() -> Any:
    try:
        return import_module("fcntl")
    except ImportError:  # on Windows
        return None


_fcntl = _system_locks()


def lock(descriptor: int, *, shared: bool = False, wait: bool = True) -> None:
    """Take the lock of the open file *descriptor*, with others that want it *shared*.

    Raises:
        BlockingIOError: If somebody else has it, unless told to *wait*.
    """
    if _fcntl is not None:
        kind = _fcntl.LOCK_SH if shared else _fcntl.LOCK_EX
        _fcntl.flock(descriptor, kind if wait else kind | _fcntl.LOCK_NB)


def unlock(descriptor: int) -> None:
    """Let go of it before it is closed: a child forked meanwhile has a copy, and the lock with it."""
    if _fcntl is not None:
        _fcntl.flock(descriptor, _fcntl.LOCK_UN)
