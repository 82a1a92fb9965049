"""What comes out of one pipe of a command."""

from __future__ import annotations

import os
from collections.abc import Callable

CHUNK = 1 << 16
"""Bytes that are read at once: what a pipe holds, usually."""


class OutputStream:
    """The first *limit* bytes are kept, the rest is read and counted.

    `descriptor` is the pipe's end; negative while process 1 holds it. `is_over`: nothing more will come. *listener* is
    told all of it as it is read.
    """

    __slots__ = ("_chunks", "_limit", "_listener", "descriptor", "is_over", "size")

    def __init__(self, limit: int, descriptor: int = -1, listener: Callable[[bytes], None] | None = None) -> None:
        self.descriptor, self._limit, self._listener = descriptor, limit, listener
        self.size, self.is_over = 0, False
        self._chunks: list[bytes] = []

    def read(self) -> int:
        """Read what there is, and return how many bytes that were: 0 at the end, -1 where nothing has come."""
        try:
            chunk = os.read(self.descriptor, CHUNK)
        except BlockingIOError:
            return -1
        if chunk:
            self.add(chunk)
        else:
            self.is_over = True
        return len(chunk)

    def add(self, chunk: bytes) -> None:
        """Take in what has been read elsewhere."""
        room = self._limit - self.size
        if room > 0:
            self._chunks.append(chunk[:room])
        self.size += len(chunk)
        if self._listener is not None:
            self._listener(chunk)

    @property
    def data(self) -> bytes:
        """Return what is kept."""
        return b"".join(self._chunks)

    @property
    def is_cut(self) -> bool:
        """Return whether more came than is kept."""
        return self.size > self._limit

    def stop_blocking(self) -> None:
        """From now on nothing waits for more to come."""
        if self.descriptor >= 0:
            os.set_blocking(self.descriptor, False)

    def close(self) -> None:
        """Close the pipe."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1
