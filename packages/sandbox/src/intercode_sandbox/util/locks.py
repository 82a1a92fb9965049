"""Locks on files, between processes and threads; the kernel lets go of them when their holder dies, however it dies.

Windows has none of this kind: there nothing is locked, and nobody must write the same run twice at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

_CLOEXEC = getattr(os, "O_CLOEXEC", 0)  # on Windows descriptors are not inherited anyway


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


@contextmanager
def locked(path: Path, busy: Callable[[], None] | None = None) -> Iterator[None]:
    """Be the only one inside for *path*, a lock file that is there only meanwhile.

    When somebody else is inside, call *busy* and wait; without *busy*, raise BlockingIOError at once.
    """
    descriptor = _take(path, busy)
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink()
        # Closing alone would not do: a child forked meanwhile has a copy of the descriptor, and the lock with it.
        unlock(descriptor)
        os.close(descriptor)


def hold(path: Path) -> int | None:
    """Keep others from removing *path* until the descriptor returned is closed; None when it is not there."""
    try:
        descriptor = os.open(path, os.O_RDONLY | _CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    lock(descriptor, shared=True)
    if _names(path, descriptor):
        return descriptor
    os.close(descriptor)
    return None


@contextmanager
def unheld(path: Path) -> Iterator[None]:
    """Be sure that nobody holds *path* (see `hold`).

    Raises:
        BlockingIOError: If somebody does.
    """
    descriptor = os.open(path, os.O_RDWR | _CLOEXEC)
    try:
        lock(descriptor, wait=False)
        yield
    finally:
        os.close(descriptor)


def _take(path: Path, busy: Callable[[], None] | None) -> int:
    """Return a descriptor of *path*, locked; tried again when its last holder has removed the file in the meantime."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | _CLOEXEC, 0o600)
        try:
            _lock(descriptor, busy)
        except BaseException:
            os.close(descriptor)
            raise
        if _names(path, descriptor):
            return descriptor
        os.close(descriptor)


def _lock(descriptor: int, busy: Callable[[], None] | None) -> None:
    try:
        lock(descriptor, wait=False)
    except BlockingIOError:
        if busy is None:
            raise
        busy()
        lock(descriptor)


def _names(path: Path, descriptor: int) -> bool:
    """Return whether *path* is still the file that *descriptor* is open on."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except (FileNotFoundError, NotADirectoryError):
        return False
