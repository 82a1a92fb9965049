"""Short statements of one process run one after another."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 0.01
"""Seconds that a statement waits for its turn: longer than most take, and less than anybody notices."""

_turn = threading.Lock()


def _begin_anew() -> None:
    """In a fork: who had the turn is not here to give it back."""
    global _turn
    _turn = threading.Lock()


if hasattr(os, "register_at_fork"):  # not on Windows, which has no forks
    os.register_at_fork(after_in_child=_begin_anew)


@contextmanager
def take_turn() -> Iterator[None]:
    """Wait until the statements of other threads are over, but never long: then go on beside them.

    SQLite lets go of Python's lock at every step and wants it back for every text that it compares. Threads that do
    so at the same time spend more time on the lock than on statements: four workers were a third slower than one.
    """
    turn = _turn
    mine = turn.acquire(timeout=PATIENCE)
    try:
        yield
    finally:
        if mine:
            turn.release()
