"""Control groups of version 2: a subtree for each supervisor, in it a leaf for the supervisor and a group per session.

    SUBTREE/            what sessions see as /, made by systemd (a scope) or by us
      supervisor/       bubblewrap, the zygote and every session's process 1: not limited, so no session can starve them
      intercode-1/      all other processes of session 1, with its limits on memory and processes
      intercode-2/ …

Nobody is ever moved into a session's group, which would make the whole machine wait: process 1 starts each command in
it (CLONE_INTO_CGROUP). The kernel allows that to whoever may write to `cgroup.procs` of both groups and of SUBTREE.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path

from intercode.errors import SandboxError
from intercode.sandboxes.base import Limits
from intercode.sandboxes.embedded import systemd
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

NEEDED = ("memory", "pids")
WANTED = (*NEEDED, "cpu")
VACATED = "intercode-others"
"""Where processes go that are in the way (see `_vacate`)."""

_READ_ONLY = (
    "start the container with a control group tree that it may write to (Podman: --security-opt unmask=/sys/fs/cgroup; "
    "Docker: --privileged, or --cgroupns=private with -v /sys/fs/cgroup:/sys/fs/cgroup:rw)"
)
_numbers = count()


def is_mounted() -> bool:
    """Whether this process's memory is accounted for by control groups of version 2 (if by any)."""
    try:
        return "memory" in _read(_own_folder() / "cgroup.controllers").split()
    except (OSError, ControlGroupError):
        return False


def claim(processes: Sequence[int], owner: int) -> Subtree:
    """Put a supervisor's *processes* in a subtree whose sessions run as host user *owner*.

    Raises:
        ControlGroupError: If no subtree can be had. Says why.
    """
    try:
        if not systemd.is_running():
            raise ControlGroupError("systemd does not run here", "")
        systemd.start_scope(processes)
        return Subtree(_folder_of(processes[-1]), processes, owner, self_made=False)
    except ControlGroupError as error:
        try:
            return _made_by_hand(processes, owner)
        except ControlGroupError as second:
            if not error.way_out:
                raise
            raise ControlGroupError(f"{error.reason}; {second.reason}", error.way_out) from second


def _made_by_hand(processes: Sequence[int], owner: int) -> Subtree:
    above = usable_parent()
    sweep(above)
    path = above / f"intercode-{os.getpid()}-{next(_numbers)}"
    try:
        path.mkdir()
        for process in processes:
            write_file(path / "cgroup.procs", process)
    except OSError as error:
        with suppress(OSError):
            path.rmdir()
        raise ControlGroupError(f"no control group can be made in {above} ({error.strerror})", _READ_ONLY) from error
    return Subtree(path, processes, owner, self_made=True)


def usable_parent() -> Path:
    """Where a subtree can be made by hand: in our own group, if it is ours to divide, or in one above that is divided.

    Raises:
        ControlGroupError: If there is none. Says why.
    """
    own = _own_folder()
    for folder in _upwards(own):
        if os.access(folder / "cgroup.procs", os.W_OK) and _is_divided(folder):
            return folder
    if not os.access(own / "cgroup.subtree_control", os.W_OK):
        raise ControlGroupError(f"the control group {own} is not ours to write to", _READ_ONLY)
    if not set(NEEDED) <= set(_read(own / "cgroup.controllers").split()):
        raise ControlGroupError(f"the control group {own} has no controllers {' and '.join(NEEDED)}", _READ_ONLY)
    try:
        _divide(own)
    except OSError:  # busy: a group that is divided holds no processes
        _vacate(own)
    return own


def _upwards(folder: Path) -> Iterator[Path]:
    """A group and those above it, as far as we see them."""
    while (folder / "cgroup.controllers").exists():
        yield folder
        folder = folder.parent


def _is_divided(folder: Path) -> bool:
    return set(NEEDED) <= set(_read(folder / "cgroup.subtree_control").split())


def _divide(folder: Path) -> None:
    """Give the groups below *folder* controllers. Raises OSError while there are processes in it."""
    available = set(_read(folder / "cgroup.controllers").split())
    write_file(folder / "cgroup.subtree_control", " ".join(f"+{name}" for name in WANTED if name in available))


def _vacate(folder: Path) -> None:
    """Move all processes of a group (one delegated to us, or a container's own) into a leaf of it, and divide it.

    What their group allows them stays as it was. They are not moved back: the next of our programs finds it divided.
    """
    leaf = folder / VACATED
    try:
        leaf.mkdir(exist_ok=True)
        for _ in range(10):  # they may start others meanwhile
            for process in _read(folder / "cgroup.procs").split():
                with suppress(ProcessLookupError):
                    write_file(leaf / "cgroup.procs", process)
            with suppress(OSError):
                return _divide(folder)
    except OSError as error:
        raise ControlGroupError(
            f"the control group {folder} cannot be divided ({error.strerror})", _READ_ONLY
        ) from error
    raise ControlGroupError(f"the control group {folder} cannot be divided: its processes do not leave it", _READ_ONLY)


def sweep(above: Path) -> list[Path]:
    """Remove the subtrees that killed programs left in *above*, and return them: empty ones, no other container's."""
    removed = []
    for stale in above.glob("intercode-*-*"):
        owner = re.fullmatch(r"intercode-(\d+)-\d+", stale.name)
        if owner and not Path("/proc", owner[1]).exists() and "populated 0" in _read(stale / "cgroup.events"):
            _remove_tree(stale)
            removed.append(stale)
    return removed


def sweep_above() -> list[Path]:
    """The same wherever this process could have made one.

    Raises:
        ControlGroupError: If there are no groups at all.
    """
    return [stale for above in _upwards(_own_folder()) if os.access(above, os.W_OK) for stale in sweep(above)]


def _remove_tree(path: Path) -> bool:
    with suppress(FileNotFoundError):
        for child in path.iterdir():
            if child.is_dir():
                _remove_tree(child)
    return remove_group(path)


class Subtree(SupervisorGroups):
    """See the module."""

    mode: Mode = "grouped"

    def __init__(self, path: Path, processes: Sequence[int], owner: int, *, self_made: bool) -> None:
        super().__init__()
        self.path = path
        self._processes, self._owner, self._self_made = processes, owner, self_made
        self._names = count(1)

    def begin(self) -> None:
        """See `SupervisorGroups.begin`: the supervisor goes into its leaf.

        Raises:
            SandboxError: If the group refuses it.
        """
        try:
            leaf = self.path / "supervisor"
            leaf.mkdir()
            for process in self._processes:
                write_file(leaf / "cgroup.procs", process)
            _divide(self.path)
            self._hand_over(self.path)
            if not _is_divided(self.path):
                raise SandboxError(f"the control group {self.path} has no controllers {' and '.join(NEEDED)}")
        except OSError as error:
            raise SandboxError(f"the control group {self.path} cannot be divided: {error}") from error

    def _hand_over(self, folder: Path) -> None:
        """Let the sessions' processes 1, which run as `owner`, start processes in *folder*."""
        if self._owner != os.geteuid():
            os.chown(folder / "cgroup.procs", self._owner, -1)

    def make_new(self, limits: Limits) -> Group:
        """See `SupervisorGroups.make_new`."""
        path = self.path / f"intercode-{next(self._names)}"
        try:
            return Group(path, limits, self._hand_over)
        except OSError as error:
            remove_group(path)
            raise SandboxError(f"no control group for a session: {error}; is {self.path} still there?") from error

    def close(self) -> None:
        """See `SupervisorGroups.close`: systemd removes a scope by itself."""
        self.remove_idle()
        if self._self_made:
            for child in self.path.glob("*/"):
                remove_group(child, patience=5)
            remove_group(self.path, patience=1)


class Group(SessionGroup):
    """See `SessionGroup`: for all processes of a session but process 1."""

    def __init__(self, path: Path, limits: Limits, hand_over: Callable[[Path], None]) -> None:
        self.path = path
        path.mkdir()
        hand_over(path)
        write_file(path / "memory.max", memory_limit(limits))
        write_file(path / "memory.oom.group", 1)  # all or nobody: which process the kernel would choose is chance
        write_file(path / "pids.max", limits.processes)
        with suppress(FileNotFoundError):  # a kernel without swap
            write_file(path / "memory.swap.max", 0)
        self._files = OpenFiles(path)
        self._open()

    def _open(self) -> None:
        self._memory, self._memory_events = self._files.open("memory.current"), self._files.open("memory.events")
        self._events = self._files.open("cgroup.events")
        self.entrance = self._files.open("", os.O_RDONLY | os.O_DIRECTORY)

    def close_files(self) -> None:
        """See `SessionGroup.close_files`."""
        self._files.close()
        self.entrance = -1

    def kill(self) -> None:
        """See `SessionGroup.kill`."""
        try:
            write_file(self.path / "cgroup.kill", 1)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ESRCH, errno.ENODEV):  # before Linux 5.14, or removed meanwhile
                raise

    def is_clean(self) -> bool:
        """See `SessionGroup.is_clean`. Process 1 counts kills for want of memory from none on."""
        try:
            if self.entrance < 0:
                self._open()
            kills = re.search(rb"^oom_kill [1-9]", read_open(self._memory_events), re.MULTILINE)
            is_clean = kills is None and int(read_open(self._memory)) <= REUSED_BELOW
            return is_clean and b"populated 0" in read_open(self._events)
        except OSError:  # somebody has removed it
            return False

    def remove(self, patience: float = 0.0) -> bool:
        """See `SessionGroup.remove`."""
        is_gone = remove_group(self.path, patience)
        if is_gone:  # else it may be asked again whether it is clean
            self.close_files()
        return is_gone


def _own_folder() -> Path:
    return _folder_of("self")


def _folder_of(process: int | str) -> Path:
    """The folder of a process's group. Raises ControlGroupError where version 2 is not mounted."""
    lines = Path(f"/proc/{process}/cgroup").read_text().splitlines()
    path = next((line[3:] for line in lines if line.startswith("0::")), None)
    folder = Path("/sys/fs/cgroup") / (path or "").lstrip("/")
    if path is None or "/.." in path or not (folder / "cgroup.controllers").exists():
        raise ControlGroupError("no control groups of version 2 are mounted at /sys/fs/cgroup", _READ_ONLY)
    return folder


def _read(path: Path) -> str:
    return path.read_text()
