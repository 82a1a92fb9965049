"""Short statements of one process run one after another."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 0.01
"""Seconds that a statement waits for its turn: longer than most take, and less than anybody notices."""

_turn = threading.Lock()


@contextmanager
def take_turn() -> Iterator[None]:
    """Wait until the statements of other threads are over, but never long: then go on beside them.

    SQLite lets go of Python's lock at every step and wants it back for every text that it compares. Threads that do
    so at the same time spend more time on the lock than on statements: four workers were a third slower than one.
    """
    mine = _turn.acquire(timeout=PATIENCE)
    try:
        yield
    finally:
        if mine:
            _turn.release()
