"""Digests of what files hold, by which changes are told from copies."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from hashlib import sha256

_BLOCK = 1 << 14


def digest_of(descriptor: int) -> str:
    """Return a digest of an open file's content: 32 hex digits. Holes of whatever size take no time.

    Longer files, of which only what is not zero is hashed, have digests of another form: none of a short file is one.
    """
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):  # a pipe, put there since we looked
        return "unreadable"
    size, state = status.st_size, sha256()
    if size <= _BLOCK:
        return digest_of_short(os.pread(descriptor, size, 0))
    state.update(f"{size} bytes".encode())
    for number in _blocks_with_data(descriptor, size):
        block = os.pread(descriptor, _BLOCK, number * _BLOCK)
        if block.strip(b"\0"):
            state.update(b"%d:" % number + block)
    return f"blocks:{state.hexdigest()[:32]}"


def digest_of_short(content: bytes) -> str:
    """Return the same of a *content* of at most 16 KiB."""
    return sha256(content).hexdigest()[:32]


def _blocks_with_data(descriptor: int, size: int) -> Iterator[int]:
    position, last = 0, -1
    while position < size:
        try:
            data = os.lseek(descriptor, position, os.SEEK_DATA)
            position = min(os.lseek(descriptor, data, os.SEEK_HOLE), size)
        except OSError:  # ENXIO: only a hole is left
            return
        yield from range(max(last + 1, data // _BLOCK), (position - 1) // _BLOCK + 1)
        last = (position - 1) // _BLOCK
