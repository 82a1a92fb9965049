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


class ControlGroup:
    """One session's group, made empty. The session's process 1 gets in before it starts anything.

    Where control groups are of version 1, the helper moves itself in through `entrance`: the kernel makes nobody wait
    for that, but for the same from outside (`add`) everybody, for milliseconds.
    """

    def __init__(self, folder: Path, limit_file: str, limit: int) -> None:
        self.path = folder / f"intercode-{os.getpid()}-{next(_numbers)}"
        self.path.mkdir()
        self.entrance = -1
        """A descriptor to write a 0 to, from inside; -1 where there is none."""
        self._write(limit_file, limit)
        if limit_file == "memory.max":
            self._write("memory.swap.max", 0, wanted=False)
            return
        self._write("memory.kmem.tcp.limit_in_bytes", limit, wanted=False)  # what lies in sockets is counted apart
        self._write("memory.memsw.limit_in_bytes", limit, wanted=False)
        self.entrance = os.open(self.path / "tasks", os.O_WRONLY | os.O_CLOEXEC)

    def _write(self, name: str, number: int, *, wanted: bool = True) -> None:
        try:
            descriptor = os.open(self.path / name, os.O_WRONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            if wanted:
                raise
            return
        try:
            os.write(descriptor, str(number).encode())
        finally:
            os.close(descriptor)

    def add(self, pid: int) -> None:
        """Put a process in, and with it all that it will start; nothing where it went in by itself."""
        if self.entrance < 0:
            self._write("cgroup.procs", pid)
        else:
            os.close(self.entrance)
            self.entrance = -1

    def remove(self, patience: float = 0.0) -> bool:
        """Remove the group; False while processes in it are still dying (waits *patience* seconds for them)."""
        if self.entrance >= 0:
            os.close(self.entrance)
            self.entrance = -1
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
