"""Waiting for a command: feed it, keep what it prints up to a limit, and know when it has ended."""

from __future__ import annotations

import os
import selectors
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field

DRAIN = 0.05
"""Seconds to go on reading after a command has ended while something that it started holds its output open."""

BLOCK = 1 << 16


@dataclass(slots=True)
class OutputBuffer:
    """The beginning of a stream, and how long all of it was; *listener* is told all of it as it is read."""

    limit: int
    listener: Callable[[bytes], None] | None = None
    data: bytearray = field(default_factory=bytearray)
    total: int = 0

    def add(self, block: bytes) -> None:
        """Count *block*, and keep of it what still fits."""
        self.total += len(block)
        self.data += block[: max(self.limit - len(self.data), 0)]
        if self.listener is not None and block:
            self.listener(block)

    def drop_end(self, end: bytes) -> None:
        """Forget *end*, where that came last."""
        if self.total == len(self.data) and self.data.endswith(end):
            del self.data[-len(end) :]
            self.total -= len(end)


def collect(
    process: subprocess.Popen[bytes], stdin: bytes, *, seconds: float, streams: dict[int, OutputBuffer]
) -> bool:
    """Feed *stdin* to *process* and read its *streams* (by descriptor) until it ends; True if *seconds* were too few.

    It is the caller who kills what has timed out; nothing here does.
    """
    deadline = time.monotonic() + seconds
    ended = os.pidfd_open(process.pid)
    with selectors.DefaultSelector() as selector:
        try:
            selector.register(ended, selectors.EVENT_READ)
            for descriptor in streams:
                selector.register(descriptor, selectors.EVENT_READ)
            feed = _Feed(process, stdin, selector)
            return _pump(selector, ended, streams, feed, deadline)
        finally:
            os.close(ended)


class _Feed:
    """Standard input, written as fast as it is read and closed when all of it is."""

    def __init__(self, process: subprocess.Popen[bytes], data: bytes, selector: selectors.BaseSelector) -> None:
        assert process.stdin is not None
        self.pipe, self.left, self.selector = process.stdin, memoryview(data), selector
        self.descriptor = self.pipe.fileno()
        if not data:
            self.pipe.close()
            return
        os.set_blocking(self.descriptor, False)
        selector.register(self.descriptor, selectors.EVENT_WRITE)

    def write(self) -> None:
        try:
            self.left = self.left[os.write(self.descriptor, self.left[:BLOCK]) :]
        except BrokenPipeError:
            self.left = memoryview(b"")
        if not self.left:
            self.selector.unregister(self.descriptor)
            self.pipe.close()


def _pump(
    selector: selectors.BaseSelector, ended: int, streams: dict[int, OutputBuffer], feed: _Feed, deadline: float
) -> bool:
    open_streams = set(streams)
    running = True
    while running or open_streams:
        left = deadline - time.monotonic()
        if left <= 0:
            return running
        for key, _ in selector.select(left):
            if key.fd == ended:
                running = False
                selector.unregister(ended)
                deadline = time.monotonic() + DRAIN
            elif key.fd == feed.descriptor:
                feed.write()
            elif block := os.read(key.fd, BLOCK):
                streams[key.fd].add(block)
            else:
                selector.unregister(key.fd)
                open_streams.discard(key.fd)
    return False
