"""Control groups of version 1: a subtree for each supervisor, with a group in it for each session.

    SUBTREE/            what sessions see as /: the zygote and every session's process 1, which are not limited
      intercode-1/      all other processes of session 1 …

There is one among the groups for memory and, where we may make one, among those for processors: a hierarchy each.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path

from intercode_sandbox.embedded.control_groups.groups import (
    REUSED_BELOW,
    WEIGHT,
    ControlGroupError,
    Mode,
    OpenFiles,
    SessionGroup,
    SupervisorGroups,
    memory_limit,
    read_open,
    remove_group,
    weight,
    write_file,
)
from intercode_sandbox.errors import SandboxError
from intercode_sandbox.sandbox import Limits

_LIMIT_FILE = "memory.limit_in_bytes"
_SOCKETS = "memory.kmem.tcp.usage_in_bytes"
_SHARES = 1024
"""The weight of a group about which nothing was said."""

_numbers = count()


def is_mounted() -> bool:
    """Return whether this process's memory is accounted for by control groups of version 1."""
    return _own_group("memory") is not None


@cache
def parent() -> Path | None:
    """Return the folder in which this process may make memory groups of version 1, or None."""
    folder = _own_group("memory")
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
    sweep_all(folder)
    return folder


def processors_parent() -> Path | None:
    """Return the folder in which this process may make groups that share processors, or None."""
    folder = _own_group("cpu")
    return folder if folder is not None and os.access(folder, os.W_OK) else None


def sweep_all(folder: Path) -> list[Path]:
    """Remove the groups of killed programs of this PID namespace in both hierarchies, and return those of *folder*."""
    processors = processors_parent()
    if processors is not None:
        sweep(processors)
    return sweep(folder)


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
                for group in stale.glob("*/"):
                    group.rmdir()
                stale.rmdir()
                removed.append(stale)
    return removed


@cache
def _pid_namespace() -> int:
    """Return the number of the namespace in which our pids are valid."""
    return os.stat("/proc/self/ns/pid").st_ino


def _own_group(controller: str) -> Path | None:
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if controller in controllers.split(","):
            folder = Path("/sys/fs/cgroup", controller) / path.lstrip("/")
            return folder if folder.is_dir() else None
    return None


def claim(folder: Path, processes: Sequence[int]) -> SubtreeV1:
    """Put a supervisor's zygote, the last of *processes*, in a subtree in *folder*.

    Raises:
        ControlGroupError: If it cannot be made. Says why.
    """
    name = f"intercode-{os.getpid()}-{_pid_namespace()}-{next(_numbers)}"
    processors = processors_parent()
    groups = SubtreeV1(folder / name, None if processors is None else processors / name)
    try:
        groups.take_in(processes[-1])
    except OSError as error:
        groups.close()
        raise ControlGroupError(
            f"no control group can be made in {folder} ({error.strerror})", "see `intercode doctor`"
        ) from error
    return groups


class SubtreeV1(SupervisorGroups):
    """See the module. `processors` is the same for sharing processors; None where that cannot be had."""

    mode: Mode = "enters"

    def __init__(self, path: Path, processors: Path | None = None) -> None:
        super().__init__()
        self.path, self.processors = path, processors
        self._names = count(1)

    def take_in(self, process: int) -> None:
        """Make the folders, and move *process* in, from which on what it starts sees them as the root of all groups.

        Raises:
            OSError: If the kernel refuses that.
        """
        for folder in self._folders():
            folder.mkdir()
            write_file(folder / "cgroup.procs", process)

    def _folders(self) -> tuple[Path, ...]:
        return (self.path,) if self.processors is None else (self.path, self.processors)

    def begin(self) -> None:
        """See `SupervisorGroups.begin`: the supervisor stays where it is."""

    def make_new(self, limits: Limits) -> GroupV1:
        name = f"intercode-{next(self._names)}"
        paths = [folder / name for folder in self._folders()]
        try:
            return GroupV1(paths, limits)
        except OSError as error:
            for path in paths:
                remove_group(path)
            raise SandboxError(f"no control group for a session: {error}") from error

    def close(self) -> None:
        self.remove_idle()
        for folder in self._folders():
            for group in folder.glob("*/"):
                remove_group(group, patience=5)
            remove_group(folder, patience=1)


class GroupV1(SessionGroup):
    """One session's groups, made empty, for all its processes but process 1: of memory and maybe of processors.

    Each moves itself in through the `entrances`: the kernel makes nobody wait for that, but for the same from outside
    everybody, for milliseconds.
    """

    def __init__(self, paths: Sequence[Path], limits: Limits) -> None:
        self.path, self._others = paths[0], paths[1:]
        for path in paths:
            path.mkdir()
        limit = memory_limit(limits)
        self._write(_LIMIT_FILE, limit)
        self._write("memory.kmem.tcp.limit_in_bytes", limit, wanted=False)  # what lies in sockets is counted apart
        self._write("memory.memsw.limit_in_bytes", limit, wanted=False)
        for path in self._others:
            write_file(path / "cpu.shares", weight(limits) * _SHARES // WEIGHT)
        self._files = OpenFiles(self.path)
        self._open()

    def _open(self) -> None:
        self._counts = [self._files.open("memory.usage_in_bytes")]
        if (self.path / _SOCKETS).exists():  # where the kernel counts them
            self._counts.append(self._files.open(_SOCKETS))
        self.entrances = [self._files.open(path / "tasks", os.O_WRONLY) for path in (self.path, *self._others)]

    def _write(self, name: str, number: int, *, wanted: bool = True) -> None:
        try:
            write_file(self.path / name, number)
        except FileNotFoundError:
            if wanted:
                raise

    def kill(self) -> None:
        """See `SessionGroup.kill`: version 1 has nothing for it."""

    def remove(self, patience: float = 0.0) -> bool:
        is_gone = super().remove(patience)
        return is_gone and all(remove_group(path, patience) for path in self._others)

    def is_clean(self) -> bool:
        try:
            if not self.entrances:
                self._open()
            return sum(int(read_open(count)) for count in self._counts) <= REUSED_BELOW
        except OSError:  # somebody has removed it
            return False
