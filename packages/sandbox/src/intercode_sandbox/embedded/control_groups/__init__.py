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
from pathlib import Path

from intercode_sandbox.embedded.control_groups import hierarchy, version_1, version_2
from intercode_sandbox.embedded.control_groups.groups import ControlGroupError, SupervisorGroups

SWITCH = "INTERCODE_CGROUPS"
"""`no` in this variable of the environment does without control groups (for tests)."""

_guard = threading.Lock()


@dataclass(frozen=True, slots=True)
class State:
    """What has come of asking for control groups: `where` they are, or why there are none and what would help."""

    where: str = ""
    reason: str = ""
    way_out: str = ""


_state: State | None = None


def state() -> State | None:
    """Return what came of it in this process; None before the first supervisor has asked."""
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


def _claim(processes: Sequence[int], owner: int) -> SupervisorGroups:
    folder = version_1.parent()
    if folder is not None:
        return version_1.claim(folder, processes)
    if not hierarchy.is_mounted() and version_1.is_mounted():
        raise ControlGroupError(
            "control groups of version 1 belong to root here",
            "run as root, or boot with systemd.unified_cgroup_hierarchy=1",
        )
    return version_2.claim(processes, owner)


def clean() -> list[Path]:
    """Remove what killed programs have left of control groups, of either version; systemd clears up its scopes."""
    folder = version_1.parent()
    found = [] if folder is None else version_1.sweep_all(folder)
    with suppress(ControlGroupError):
        found += hierarchy.sweep_above()
    return found
