"""Finding again every process that a command started, wherever it went.

Each command gets an open descriptor of a nameless file called after it; its children inherit it, whatever session or
parent they move to. Who holds it belongs to the command. A program that closes all its descriptors is not found:
`local` guards against accidents, not against intent.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from intercode_sandbox.host.process import process_ids


@contextmanager
def child_marker(name: str) -> Iterator[int]:
    """Provide a descriptor to hand to one command; closed here at once, so that no fork of ours carries it on."""
    descriptor = os.memfd_create(name)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def marked_processes(name: str) -> list[int]:
    """Return the processes that hold a marker whose name begins with *name*, without this one."""
    marker = f"/memfd:{name}"
    return [pid for pid in process_ids() if _holds(pid, marker)]


def _holds(pid: int, marker: str) -> bool:
    folder = f"/proc/{pid}/fd"
    try:
        return any(os.readlink(f"{folder}/{number}").startswith(marker) for number in os.listdir(folder))
    except OSError:  # ended meanwhile, or not ours to look at
        return False
