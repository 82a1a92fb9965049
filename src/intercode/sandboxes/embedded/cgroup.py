"""A limit on the memory of all processes of a session: a control group where one can be had, of version 1 or 2.

Where not, the helper limits each process's address space, watches what they hold together (see `processes.c`), and the
filter of system calls refuses what nobody could see (see `system_calls.UNCOUNTED`).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path

from intercode.errors import SandboxError
from intercode.sandboxes.base import Limits
from intercode.sandboxes.embedded import cgroup_v2
from intercode.sandboxes.embedded.control_groups import (
    REUSED_BELOW,
    ControlGroupError,
    Mode,
    OpenFiles,
    SessionGroup,
    SupervisorGroups,
    memory_limit,
    read_open,
    remove_group,
    write_file,
)

SWITCH = "INTERCODE_CGROUPS"
"""`no` in this variable of the environment does without control groups (for tests)."""

_LIMIT_FILE = "memory.limit_in_bytes"
_SOCKETS = "memory.kmem.tcp.usage_in_bytes"
_numbers = count()
_guard = threading.Lock()


@dataclass(frozen=True, slots=True)
class State:
    """What has come of asking for control groups: `where` they are, or why there are none and what would help."""

    where: str = ""
    reason: str = ""
    way_out: str = ""


_state: State | None = None


def state() -> State | None:
    """What came of it in this process; None before the first supervisor has asked."""
    return State(reason=f"{SWITCH}=no", way_out=f"unset {SWITCH}") if _switched_off() else _state


def claim(processes: Sequence[int], owner: int) -> SupervisorGroups | None:
    """Groups for the sessions of a supervisor, whose *processes* are given; None where there are none to be had.

    Sessions run as host user *owner*.

    Raises:
        ControlGroupError: If an earlier supervisor of this process had groups: sessions of one program have one
            kind of limit.
    """
    global _state
    if _switched_off():
        return None
    with _guard:  # the first look sweeps: no group of another thread may have been made by then
        if _state is not None and _state.reason:
            return None
        try:
            groups = _claim(processes, owner)
        except ControlGroupError as error:
            if _state is not None:
                raise
            _state = State(reason=error.reason, way_out=error.way_out)
            return None
        _state = _state or State(where=f"below {groups.path}")
        return groups


def _switched_off() -> bool:
    return os.environ.get(SWITCH) == "no"


def _claim(processes: Sequence[int], owner: int) -> MemoryGroups | cgroup_v2.Subtree:
    folder = parent()
    if folder is not None:
        return MemoryGroups(folder)
    if not cgroup_v2.is_mounted() and _own_memory_group() is not None:
        raise ControlGroupError(
            "control groups of version 1 belong to root here",
            "run as root, or boot with systemd.unified_cgroup_hierarchy=1",
        )
    return cgroup_v2.claim(processes, owner)


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


def clean() -> list[Path]:
    """Remove what killed programs have left of control groups, of either version; systemd clears up its scopes."""
    folder = parent()
    found = [] if folder is None else sweep(folder)
    with suppress(ControlGroupError):
        found += cgroup_v2.sweep_above()
    return found


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

    def close_files(self) -> None:
        """See `SessionGroup.close_files`."""
        self._files.close()
        self.entrance = -1

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

    def remove(self, patience: float = 0.0) -> bool:
        """See `SessionGroup.remove`."""
        is_gone = remove_group(self.path, patience)
        if is_gone:  # else it may be asked again whether it is clean
            self.close_files()
        return is_gone
