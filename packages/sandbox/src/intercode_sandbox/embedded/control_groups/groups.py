"""What a supervisor wants of control groups, whichever version: a group for each session, and an end of all of them."""

from __future__ import annotations

import os
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from intercode_sandbox.errors import SandboxError
from intercode_sandbox.sandbox import Limits

HEADROOM = 32 << 20
"""On top of memory and disk, for a group also pays for the session's tmpfs, and for what the kernel keeps for it."""


REUSED_BELOW = 2 << 20
"""Bytes that may still be counted for a group whose session has ended, if the next session is to have it."""

MOST_IDLE_GROUPS = 128
"""Groups that a supervisor keeps for the sessions to come."""

MOST_OPEN_GROUPS = 16
"""How many of those, of the same limits, keep their files open: each has three to five."""

SUPERVISOR_WEIGHT = 10_000
"""Shares of a busy processor, in version 2's numbers, of what starts, stops and reads sessions."""

WEIGHT, JUDGE_WEIGHT = 100, 1_000
"""The same of a session of an agent, however many processes it has, and of one that judges: its work is short."""


class ControlGroupError(SandboxError):
    """No control groups are to be had. The message says why, `way_out` what to do about it."""

    def __init__(self, reason: str, way_out: str) -> None:
        super().__init__(f"{reason}; {way_out}")
        self.reason, self.way_out = reason, way_out


Mode = Literal["enters", "grouped"]
"""How the processes that a session's process 1 starts get into its group: they move ("enters") or are born there."""


class SessionGroup(ABC):
    """One session's group, made empty. What is open of it stays open for the sessions to come (see `close_files`)."""

    path: Path
    entrances: Sequence[int] = ()
    """Descriptors by which the session's processes get in, to be sent with the request for it; none: closed."""

    _files: OpenFiles

    def close_files(self) -> None:
        """Close what is open of it, until somebody asks whether it is clean."""
        self._files.close()
        self.entrances = ()

    @abstractmethod
    def kill(self) -> None:
        """Kill all in it, where the kernel can do that at once; else do nothing. Nothing is run in it again."""

    @abstractmethod
    def is_clean(self) -> bool:
        """Return whether another session can have it, as next to nothing is counted for it."""

    def remove(self, patience: float = 0.0) -> bool:
        """Remove the group; False while processes in it are still dying (waits *patience* seconds for them)."""
        is_gone = remove_group(self.path, patience)
        if is_gone:  # else it may be asked again whether it is clean
            self.close_files()
        return is_gone


class SupervisorGroups(ABC):
    """The groups of one supervisor's sessions.

    To make and to remove one takes longer than all else that a reset asks of this process. So groups of sessions that
    have ended are kept, and the one that was left longest ago is handed out again if it is clean by then.
    """

    mode: Mode
    path: Path
    """The folder in which the groups are made."""

    def __init__(self) -> None:
        self._idle: dict[Limits, deque[SessionGroup]] = {}
        self._guard = threading.Lock()
        self._is_closed = False

    def make(self, limits: Limits) -> SessionGroup:
        """Return a group for a new session, made or kept."""
        with self._guard:
            idle = self._idle.get(limits)
            found = idle.popleft() if idle else None
        if found is None:
            return self.make_new(limits)
        if found.is_clean():
            return found
        if not found.remove():  # processes in it are still dying
            self.keep(found, limits)
        return self.make_new(limits)

    def keep(self, group: SessionGroup, limits: Limits) -> bool:
        """Keep *group*, whose session has ended; False where there are enough."""
        with self._guard:
            if self._is_closed or sum(map(len, self._idle.values())) >= MOST_IDLE_GROUPS:
                return False
            idle = self._idle.setdefault(limits, deque())
            if len(idle) >= MOST_OPEN_GROUPS:
                group.close_files()
            idle.append(group)
            return True

    def remove_idle(self) -> None:
        """Remove those that are kept; the supervisor has ended."""
        with self._guard:
            groups = [group for idle in self._idle.values() for group in idle]
            self._idle.clear()
            self._is_closed = True
        for group in groups:
            group.remove(patience=5)

    @abstractmethod
    def begin(self) -> None:
        """The supervisor has seen where it is, and may be moved on: from now on groups are made."""

    @abstractmethod
    def make_new(self, limits: Limits) -> SessionGroup:
        """Return a new group."""

    @abstractmethod
    def close(self) -> None:
        """The supervisor has ended: remove what is left. Closing twice is harmless."""


def memory_limit(limits: Limits) -> int:
    """Return what a session's group may hold."""
    return limits.memory + limits.disk + HEADROOM


def weight(limits: Limits) -> int:
    """Return a session's shares of a busy processor."""
    return JUDGE_WEIGHT if limits.judging else WEIGHT


class OpenFiles:
    """Files of the group at *path* that stay open: to open one takes longer than to read it."""

    def __init__(self, path: Path) -> None:
        self._path = os.fspath(path)
        self._opened: list[int] = []

    def open(self, name: str | Path, flags: int = os.O_RDONLY) -> int:
        """Return a descriptor of the file called *name*, for `read_open`; "" is the group's folder.

        Raises:
            OSError: If it cannot be opened. The others are closed then.
        """
        try:
            descriptor = os.open(os.path.join(self._path, name), flags | os.O_CLOEXEC)
        except OSError:
            self.close()
            raise
        self._opened.append(descriptor)
        return descriptor

    def close(self) -> None:
        """Close them. Closing twice is harmless."""
        while self._opened:
            os.close(self._opened.pop())


def read_open(descriptor: int) -> bytes:
    """Return the beginning of a file of a group, as it is now.

    Raises:
        OSError: If the group has been removed.
    """
    return os.pread(descriptor, 4096, 0)


def write_file(path: Path, value: int | str) -> None:
    """Write the whole *value* at once into a file of a group; never makes one.

    Raises:
        OSError: If there is no such file, or the kernel refuses the value.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, str(value).encode())
    finally:
        os.close(descriptor)


def remove_group(path: Path, patience: float = 0.0) -> bool:
    """Remove a group's folder; False where it has processes or groups in it after *patience* seconds."""
    until = time.monotonic() + patience
    while True:
        try:
            path.rmdir()
        except FileNotFoundError:
            return True
        except OSError:  # busy
            if time.monotonic() >= until:
                return False
            time.sleep(0.002)
        else:
            return True
