"""What a supervisor wants of control groups, whichever version: a group for each session, and an end of all of them."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Literal

from intercode.errors import SandboxError
from intercode.sandboxes.base import Limits

HEADROOM = 32 << 20
"""On top of memory and disk, for a group also pays for the session's tmpfs, and for what the kernel keeps for it."""


class ControlGroupError(SandboxError):
    """No control groups are to be had. The message says why, `way_out` what to do about it."""

    def __init__(self, reason: str, way_out: str) -> None:
        super().__init__(f"{reason}; {way_out}")
        self.reason, self.way_out = reason, way_out


Mode = Literal["enters", "grouped"]
"""How the processes that a session's process 1 starts get into its group: they move ("enters") or are born there."""


class SessionGroup(ABC):
    """One session's group, made empty."""

    entrance: int = -1
    """A descriptor by which the session's processes get in, to be sent with the request for it; -1 when it is shut."""

    @abstractmethod
    def shut(self) -> None:
        """Close the entrance: the session holds its own copy, or has not come up."""

    @abstractmethod
    def kill(self) -> None:
        """Kill every process in it, where the kernel can do that at once; else do nothing."""

    @abstractmethod
    def remove(self, patience: float = 0.0) -> bool:
        """Remove the group; False while processes in it are still dying (waits *patience* seconds for them)."""


class SupervisorGroups(ABC):
    """The groups of one supervisor's sessions."""

    mode: Mode

    @abstractmethod
    def begin(self) -> None:
        """The supervisor has seen where it is, and may be moved on: from now on groups are made."""

    @abstractmethod
    def make(self, limits: Limits) -> SessionGroup:
        """A new session's group."""

    @abstractmethod
    def close(self) -> None:
        """The supervisor has ended: remove what is left. Closing twice is harmless."""


def memory_limit(limits: Limits) -> int:
    """What a session's group may hold."""
    return limits.memory + limits.disk + HEADROOM


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
