"""Opening files in a folder as if it were the root of all: no link in it leads out, whoever changes it meanwhile.

Python has no `openat2`; this is the one call of it that is needed (Linux 5.6 and later).
"""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

_OPENAT2 = 437  # on every architecture
_NO_LINKS, _IN_ROOT = 0x04, 0x10
_ATTEMPTS = 64
"""The kernel says EAGAIN when folders are moved while it looks; a hostile program may go on with that for ever."""


@cache
def _libc() -> ctypes.CDLL:
    """Loaded on first use: Windows has none, and this module is imported there too."""
    return ctypes.CDLL(None, use_errno=True)


class _OpenHow(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


def open_in(root: int, path: str, flags: int, *, mode: int = 0, links: bool = True) -> int:
    """Return a descriptor of what is at *path* when the folder *root* is `/`.

    *links*: whether symbolic ones are followed.

    Raises:
        OSError: If it cannot be opened; with ELOOP for a link that is not to be followed.
    """
    name = os.fsencode(path)
    if b"\0" in name:
        raise OSError(errno.EINVAL, "a path cannot hold a NUL byte", path)
    how = _OpenHow(flags | os.O_CLOEXEC, mode, _IN_ROOT | (0 if links else _NO_LINKS))
    for _ in range(_ATTEMPTS):
        found: int = _libc().syscall(_OPENAT2, root, name, ctypes.byref(how), ctypes.sizeof(how))
        if found >= 0:
            return found
        if ctypes.get_errno() != errno.EAGAIN:
            break
    number = ctypes.get_errno()
    raise OSError(number, os.strerror(number), path)


@contextmanager
def root_descriptor(folder: Path) -> Iterator[int]:
    """Provide the folder that paths start from, open."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def make_parents(root: int, path: str) -> None:
    """Make the folders above *path* that are not there."""
    parts = [part for part in path.rpartition("/")[0].split("/") if part not in ("", ".")]
    for depth, name in enumerate(parts):
        above = open_in(root, "/".join(parts[:depth]) or "/", os.O_PATH | os.O_DIRECTORY)
        try:
            os.mkdir(name, dir_fd=above)
        except FileExistsError:
            continue
        finally:
            os.close(above)
