"""Finding again every process that a command started, wherever it went.

Each command gets an open descriptor of a nameless file called after it; its children inherit it, whatever session or
parent they move to. Who holds it belongs to the command. A program that closes all its descriptors slips the leash:
`local` guards against accidents, not against intent.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 2.0
"""Seconds in which killed processes must be gone."""


@contextmanager
def child_marker(name: str) -> Iterator[int]:
    """A descriptor to hand to one command; closed here at once, so that no fork of ours carries it on."""
    descriptor = os.memfd_create(name)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def marked_processes(name: str) -> list[int]:
    """The processes on a leash whose name begins with *name*, without this one."""
    wanted = f"/memfd:{name}"
    pids = [int(entry) for entry in os.listdir("/proc") if entry.isdecimal() and int(entry) != os.getpid()]
    return [pid for pid in pids if _holds(pid, wanted)]


def _holds(pid: int, wanted: str) -> bool:
    folder = f"/proc/{pid}/fd"
    try:
        return any(os.readlink(f"{folder}/{number}").startswith(wanted) for number in os.listdir(folder))
    except OSError:  # ended meanwhile, or not ours to look at
        return False


def kill(name: str) -> None:
    """Kill every process on a leash of that name, and those that they start while this goes on."""
    end = time.monotonic() + PATIENCE
    while (found := marked_processes(name)) and time.monotonic() < end:
        send(found, signal.SIGKILL)
        time.sleep(0.001)


def send(pids: list[int], number: int) -> None:
    """Send a signal to each that is still there."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue
