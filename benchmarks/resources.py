"""What processes hold: other processes, descriptors, memory."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Resources:
    """What a process and those under it hold."""

    processes: int
    descriptors: int
    megabytes: float

    @classmethod
    def of(cls, pid: int) -> Resources:
        """Of the process *pid* now. Raises OSError where it has ended."""
        status = Path(f"/proc/{pid}/status").read_text()
        resident = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
        return cls(len(descendants(pid)), len(os.listdir(f"/proc/{pid}/fd")), resident / 1024)


def descendants(pid: int) -> set[int]:
    """Return all processes under *pid*, zombies included."""
    parents = {}
    for each in Path("/proc").iterdir():
        if each.name.isdecimal():
            try:
                parents[int(each.name)] = int((each / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:  # it has just ended
                continue
    found: set[int] = set()
    while more := {child for child, parent in parents.items() if parent in found | {pid}} - found:
        found |= more
    return found
