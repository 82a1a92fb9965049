"""A word that names a process for good, such as the owner of a container, and whether that process still lives."""

from __future__ import annotations

import os
from pathlib import Path


def this_process() -> str:
    """Boot, process namespace, process id, start: no other process, then or later, has the same."""
    return f"{_boot()}:{_namespace()}:{os.getpid()}:{_start_ticks(os.getpid())}"


def is_dead(word: str) -> bool:
    """Return whether the process so named has ended. One of another namespace, of which we know nothing, has not."""
    fields = word.split(":")
    if len(fields) != 4:
        return False
    boot, namespace, pid, started = fields
    if boot != _boot():
        return True
    return namespace == _namespace() and pid.isdecimal() and _start_ticks(int(pid)) != started


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _namespace() -> str:
    return str(os.stat("/proc/self/ns/pid").st_ino)


def _start_ticks(pid: int) -> str:
    """Return when a process began, in the kernel's ticks; empty for none."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    return text.rpartition(")")[2].split()[19]
