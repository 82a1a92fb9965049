"""Control groups of version 1: one for each session, with a limit on memory."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path

from intercode.errors import SandboxError
from intercode.sandboxes.base import Limits
from intercode.sandboxes.embedded.control_groups.base import (
    REUSED_BELOW,
    Mode,
    OpenFiles,
    SessionGroup,
    SupervisorGroups,
    memory_limit,
    read_open,
    remove_group,
    write_file,
)

_LIMIT_FILE = "memory.limit_in_bytes"
_SOCKETS = "memory.kmem.tcp.usage_in_bytes"
_numbers = count()


def is_mounted() -> bool:
    """Whether this process's memory is accounted for by control groups of version 1."""
    return _own_memory_group() is not None


@cache
def parent() -> Path | None:
    """The folder in which this process may make memory groups of version 1, or None."""
    folder = _own_memory_group()
    if folder is None:
        return None
    probe = folder / f"intercode-{os.getpid()}-{_pid_namespace()}-probe"
    try:
        probe.mkdir()
    except OSError:
        return None
    try:
        usable = os.access(probe / _LIMIT_FILE, os.W_OK)
    finally:
        probe.rmdir()
    if not usable:
        return None
    sweep(folder)
    return folder


def sweep(folder: Path) -> list[Path]:
    """Remove the groups of killed programs of this PID namespace, and return them.

    A session has an empty group between two commands, so that a group is empty does not tell that nobody uses it. Of
    other namespaces' programs, such as another container's, nobody here knows whether they live.
    """
    removed = []
    for stale in folder.glob(f"intercode-*-{_pid_namespace()}-*"):
        owner = stale.name.split("-")[1]
        if not Path("/proc", owner).exists() or owner == str(os.getpid()):
            with suppress(OSError):
                stale.rmdir()
                removed.append(stale)
    return removed


@cache
def _pid_namespace() -> int:
    """The number of the namespace in which our pids are valid."""
    return os.stat("/proc/self/ns/pid").st_ino


def _own_memory_group() -> Path | None:
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if "memory" in controllers.split(","):
            return Path("/sys/fs/cgroup/memory") / path.lstrip("/")
    return None


class MemoryGroups(SupervisorGroups):
    """Control groups of version 1: one of its own for every session, beside the program's."""

    mode: Mode = "enters"

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path

    def begin(self) -> None:
        """See `SupervisorGroups.begin`: the supervisor stays where it is."""

    def make_new(self, limits: Limits) -> MemoryGroup:
        """See `SupervisorGroups.make_new`."""
        path = self.path / f"intercode-{os.getpid()}-{_pid_namespace()}-{next(_numbers)}"
        try:
            return MemoryGroup(path, memory_limit(limits))
        except OSError as error:
            remove_group(path)
            raise SandboxError(f"no control group for a session: {error}") from error

    def close(self) -> None:
        """See `SupervisorGroups.close`."""
        self.remove_idle()


class MemoryGroup(SessionGroup):
    """One session's group, made empty, for all its processes but process 1.

    Each moves itself in through `entrance`: the kernel makes nobody wait for that, but for the same from outside
    everybody, for milliseconds.
    """

    def __init__(self, path: Path, limit: int) -> None:
        self.path = path
        path.mkdir()
        self._write(_LIMIT_FILE, limit)
        self._write("memory.kmem.tcp.limit_in_bytes", limit, wanted=False)  # what lies in sockets is counted apart
        self._write("memory.memsw.limit_in_bytes", limit, wanted=False)
        self._files = OpenFiles(self.path)
        self._open()

    def _open(self) -> None:
        self._counts = [self._files.open("memory.usage_in_bytes")]
        if (self.path / _SOCKETS).exists():  # where the kernel counts them
            self._counts.append(self._files.open(_SOCKETS))
        self.entrance = self._files.open("tasks", os.O_WRONLY)

    def _write(self, name: str, number: int, *, wanted: bool = True) -> None:
        try:
            write_file(self.path / name, number)
        except FileNotFoundError:
            if wanted:
                raise

    def kill(self) -> None:
        """See `SessionGroup.kill`: version 1 has nothing for it."""

    def is_clean(self) -> bool:
        """See `SessionGroup.is_clean`."""
        try:
            if self.entrance < 0:
                self._open()
            return sum(int(read_open(count)) for count in self._counts) <= REUSED_BELOW
        except OSError:  # somebody has removed it
            return False
