"""What the host sees: read from its own /proc and kernel, never asked of the session."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from intercode.sandboxes.base import Result, Session
from intercode.sandboxes.bubblewrap import memory


def new_marker() -> str:
    """A word that is nowhere else on the machine: other tests run at the same time."""
    return f"marked-{uuid4().hex}"


def marked(marker: str) -> list[int]:
    """The processes of the whole machine whose command line holds *marker*."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if marker.encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:  # it has just ended
            continue
    return found


def parent(pid: int) -> int:
    """The parent of a process, or 0."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("PPid:")))


def becomes_true(condition: Callable[[], bool], seconds: float = 5.0) -> bool:
    """Whether *condition* holds now or within so many seconds."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def marked_child(session: Session) -> int:
    """Leave a process in the background of *session*; what the host calls it. Its parent is the session's process 1."""
    marker = new_marker()
    shell(session, f"(exec -a {marker} sleep 1000) >/dev/null 2>&1 </dev/null &")
    assert becomes_true(lambda: len(marked(marker)) == 1)
    pid = marked(marker)[0]
    assert becomes_true(lambda: is_first(parent(pid)))
    return pid


def is_first(pid: int) -> bool:
    """Whether a process is number 1 in its innermost process namespace."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(line.split()[-1] for line in lines if line.startswith("NSpid:")) == "1"


def first_process(session: Session) -> int:
    """What the host calls the session's process 1."""
    return parent(marked_child(session))


def held_memory(first: int) -> int:
    """Bytes held by a session, given its process 1: what its group says it had at most, else what its processes have."""
    where = memory.parent()
    name = next((part for part in re.split(r"[/\n]", Path(f"/proc/{first}/cgroup").read_text()) if "intercode-" in part), "")
    if where is None or not name:
        return sum(_resident(pid) for pid in _below(first))
    names = ("memory.max_usage_in_bytes", "memory.peak", "memory.kmem.tcp.max_usage_in_bytes")
    files = [where[0] / name / file for file in names]
    return sum(int(file.read_text()) for file in files if file.exists())


def _below(first: int) -> list[int]:
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, StopIteration):
            parents[int(folder.name)] = parent(int(folder.name))
    found = [first]
    for pid in found:
        found += [child for child, above in parents.items() if above == pid]
    return found


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, IndexError):
        return 0


def groups() -> list[str]:
    """The memory groups that this process has made and not removed."""
    where = memory.parent()
    return [folder.name for folder in where[0].glob(f"intercode-{os.getpid()}-*")] if where else []


def descriptors() -> list[str]:
    """What this process's descriptors are open on, less the one that reads the list."""
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            found.append(os.readlink(f"/proc/self/fd/{name}"))
        except FileNotFoundError:
            continue
    return sorted(found)


def shell(session: Session, script: str, *, timeout: float | None = None, env: Mapping[str, str] | None = None) -> Result:
    """What the agent does: a command line for bash."""
    return session.run(["/bin/bash", "-c", script], timeout=timeout, env=env)


def outcomes(session: Session, program: bytes, *arguments: str) -> dict[str, str]:
    """Run a compiled attack in *session*: what came of each attempt, `done` or the name of an error."""
    session.write("/tmp/attack", program, mode=0o755)
    result = session.run(["/tmp/attack", *arguments])
    assert result.exit_code == 0, result.text
    return dict(line.rsplit(" ", 1) for line in result.text.splitlines())


def successes(found: Mapping[str, str]) -> set[str]:
    """The attempts that were not stopped."""
    return {name for name, result in found.items() if result == "done"}
