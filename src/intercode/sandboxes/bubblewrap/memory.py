"""A limit on the memory of all processes of a session: a control group where one can be had.

Where not, the helper limits each process's address space and watches what they hold together (see `processes.c`).
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path

HEADROOM = 32 << 20
"""On top of memory and disk: the group also pays for the session's tmpfs, and for the runner, which must survive."""

_numbers = count()


_guard = threading.Lock()


def parent() -> tuple[Path, str] | None:
    """The folder in which this process may make memory groups and the name of their limit file, or None."""
    with _guard:  # the first look sweeps: no group of another thread may have been made by then
        return _parent()


@cache
def _parent() -> tuple[Path, str] | None:
    for folder, limit in _candidates():
        probe = folder / f"intercode-{os.getpid()}-probe"
        try:
            probe.mkdir()
        except OSError:
            continue
        try:
            usable = os.access(probe / limit, os.W_OK)
        finally:
            probe.rmdir()
        if usable:
            _sweep(folder)
            return folder, limit
    return None


def _sweep(folder: Path) -> None:
    """Remove the groups of processes that were killed: empty ones, so none that another container's process uses."""
    for stale in folder.glob("intercode-*-*"):
        if not Path("/proc", stale.name.split("-")[1]).exists() or stale.name.startswith(f"intercode-{os.getpid()}-"):
            with suppress(OSError):
                stale.rmdir()


def _candidates() -> list[tuple[Path, str]]:
    found = []
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        below = path.lstrip("/")
        if "memory" in controllers.split(","):
            found.append((Path("/sys/fs/cgroup/memory") / below, "memory.limit_in_bytes"))
        elif not controllers:
            found.append((Path("/sys/fs/cgroup") / below, "memory.max"))
    return found


class MemoryGroup:
    """One session's group. Made empty; `add` puts the session's process 1 in before it starts anything."""

    def __init__(self, folder: Path, limit_file: str, limit: int) -> None:
        self.path = folder / f"intercode-{os.getpid()}-{next(_numbers)}"
        self.path.mkdir()
        (self.path / limit_file).write_text(str(limit))
        sockets = self.path / "memory.kmem.tcp.limit_in_bytes"  # version 1 counts what lies in sockets apart
        if sockets.exists():
            sockets.write_text(str(limit))
        swap = self.path / ("memory.swap.max" if limit_file == "memory.max" else "memory.memsw.limit_in_bytes")
        if swap.exists():
            swap.write_text("0" if limit_file == "memory.max" else str(limit))

    def add(self, pid: int) -> None:
        """Put a process in, and with it all that it will start."""
        (self.path / "cgroup.procs").write_text(str(pid))

    def remove(self, patience: float = 0.0) -> bool:
        """Remove the group; False while processes in it are still dying (waits *patience* seconds for them)."""
        until = time.monotonic() + patience
        while True:
            try:
                self.path.rmdir()
            except FileNotFoundError:
                return True
            except OSError:  # busy
                if time.monotonic() >= until:
                    return False
                time.sleep(0.002)
            else:
                return True
