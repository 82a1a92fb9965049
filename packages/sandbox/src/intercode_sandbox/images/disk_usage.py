"""Three questions to a file system: is it all written, how much is it, is there room."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

LITTLE = 1 << 20


def sync(folder: Path) -> None:
    """Wait until everything on the file system of *folder* is on disk, whoever owns it (Python has no syncfs)."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if ctypes.CDLL(None, use_errno=True).syncfs(descriptor):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(folder))
    finally:
        os.close(descriptor)


def allocated_bytes(folder: Path) -> int:
    """Bytes of disk that the files below *folder* take; folders that may not be read are left out."""
    return sum(
        _blocks(os.path.join(place, name)) * 512
        for place, folders, files in os.walk(folder)
        for name in (*folders, *files)
    )


def _blocks(path: str) -> int:
    try:
        return os.lstat(path).st_blocks
    except PermissionError:
        return 0


def is_full(folder: Path) -> bool:
    """Return whether there is next to no room left, for bytes or for files, where *folder* is or would be made."""
    existing = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    state = os.statvfs(existing)
    return state.f_bavail * state.f_frsize < LITTLE or bool(state.f_files and not state.f_favail)
