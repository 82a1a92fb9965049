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
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path

from intercode_sandbox.embedded.control_groups import systemd
from intercode_sandbox.embedded.control_groups.groups import (
    REUSED_BELOW,
    SUPERVISOR_WEIGHT,
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
from intercode_sandbox.embedded.control_groups.hierarchy import (
    NEEDED,
    READ_ONLY,
    divide,
    folder_of,
    is_divided,
    sweep,
    usable_parent,
)
from intercode_sandbox.errors import SandboxError
from intercode_sandbox.sandbox import Limits

_numbers = count()


def claim(processes: Sequence[int], owner: int) -> SubtreeV2:
    """Put a supervisor's *processes* in a subtree whose sessions run as host user *owner*.

    Raises:
        ControlGroupError: If no subtree can be had. Says why.
    """
    try:
        if not systemd.is_running():
            raise ControlGroupError("systemd does not run here", "")
        systemd.start_scope(processes)
        return SubtreeV2(folder_of(processes[-1]), processes, owner, self_made=False)
    except ControlGroupError as error:
        try:
            return _made_by_hand(processes, owner)
        except ControlGroupError as second:
            if not error.way_out:
                raise
            raise ControlGroupError(f"{error.reason}; {second.reason}", error.way_out) from second


def _made_by_hand(processes: Sequence[int], owner: int) -> SubtreeV2:
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
        raise ControlGroupError(f"no control group can be made in {above} ({error.strerror})", READ_ONLY) from error
    return SubtreeV2(path, processes, owner, self_made=True)


class SubtreeV2(SupervisorGroups):
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
            divide(self.path)
            _set_weight(leaf, SUPERVISOR_WEIGHT)
            self._hand_over(self.path)
            if not is_divided(self.path):
                raise SandboxError(f"the control group {self.path} has no controllers {' and '.join(NEEDED)}")
        except OSError as error:
            raise SandboxError(f"the control group {self.path} cannot be divided: {error}") from error

    def _hand_over(self, folder: Path) -> None:
        """Let the sessions' processes 1, which run as `owner`, start processes in *folder*."""
        if self._owner != os.geteuid():
            os.chown(folder / "cgroup.procs", self._owner, -1)

    def make_new(self, limits: Limits) -> GroupV2:
        path = self.path / f"intercode-{next(self._names)}"
        try:
            return GroupV2(path, limits, self._hand_over)
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


class GroupV2(SessionGroup):
    """See `SessionGroup`: for all processes of a session but process 1."""

    def __init__(self, path: Path, limits: Limits, hand_over: Callable[[Path], None]) -> None:
        self.path = path
        path.mkdir()
        hand_over(path)
        write_file(path / "memory.max", memory_limit(limits))
        write_file(path / "memory.oom.group", 1)  # all or nobody: which process the kernel would choose is chance
        write_file(path / "pids.max", limits.processes)
        _set_weight(path, weight(limits))
        with suppress(FileNotFoundError):  # a kernel without swap
            write_file(path / "memory.swap.max", 0)
        self._files = OpenFiles(path)
        self._is_killed = False
        self._open()

    def _open(self) -> None:
        self._memory, self._memory_events = self._files.open("memory.current"), self._files.open("memory.events")
        self._events = self._files.open("cgroup.events")
        self.entrances = (self._files.open("", os.O_RDONLY | os.O_DIRECTORY),)

    def kill(self) -> None:
        """See `SessionGroup.kill`. What is started in the group afterwards may be killed as well."""
        self._is_killed = True
        try:
            write_file(self.path / "cgroup.kill", 1)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ESRCH, errno.ENODEV):  # before Linux 5.14, or removed meanwhile
                raise

    def is_clean(self) -> bool:
        """See `SessionGroup.is_clean`. Process 1 counts kills for want of memory from none on.

        A group that was killed is never clean: Linux 6.18 kills whatever is cloned into it from outside, for ever.
        """
        if self._is_killed:
            return False
        try:
            if not self.entrances:
                self._open()
            kills = re.search(rb"^oom_kill [1-9]", read_open(self._memory_events), re.MULTILINE)
            is_clean = kills is None and int(read_open(self._memory)) <= REUSED_BELOW
            return is_clean and b"populated 0" in read_open(self._events)
        except OSError:  # somebody has removed it
            return False


def _set_weight(path: Path, shares: int) -> None:
    """Set what a group gets of a busy processor, where the groups above leave that to us."""
    with suppress(FileNotFoundError):
        write_file(path / "cpu.weight", shares)
