"""What the host sees: read from its own /proc and kernel, never asked of the session."""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from intercode_sandbox.sandbox import Result, Session
from intercode_sandbox.testing.patience import patience


def new_marker() -> str:
    """A word that is nowhere else on the machine: other tests run at the same time."""
    return f"marked-{uuid4().hex}"


def becomes_true(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    """Whether *condition* holds now or within so many seconds."""
    until = time.monotonic() + patience(seconds)
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


# What an agent does


def shell(session: Session, script: str, *, timeout: float | None = None) -> Result:
    """A command line for bash."""
    return session.run(["/bin/bash", "-c", script], timeout=timeout)


def put(session: Session, program: bytes, path: str = "/tmp/attack") -> str:
    """Lay a compiled attack into the session; where it is."""
    session.write(path, program, mode=0o755)
    return path


def outcomes(session: Session, program: bytes, *arguments: str) -> dict[str, str]:
    """Run a compiled attack: what came of each attempt, `done` or the name of the error that stopped it."""
    result = session.run([put(session, program), *arguments])
    assert result.exit_code == 0, result.text
    return dict(line.rsplit(" ", 1) for line in result.text.splitlines())


def successes(found: Mapping[str, str]) -> set[str]:
    """The attempts that were not stopped."""
    return {name for name, result in found.items() if result == "done"}


def leave(session: Session, marker: str) -> None:
    """Leave a process called *marker* in the background, and wait until it is there."""
    shell(session, f"(exec -a {marker} sleep 1000) >/dev/null 2>&1 </dev/null &", timeout=patience(30))
    assert becomes_true(
        lambda: [_bytes(Path(f"/proc/{pid}/cmdline")).startswith(marker.encode()) for pid in marked(marker)] == [True]
    )


# Processes


def marked(marker: str) -> list[int]:
    """The processes of the whole machine whose command line holds *marker*."""
    return [
        int(folder.name) for folder in Path("/proc").glob("[0-9]*") if marker.encode() in _bytes(folder / "cmdline")
    ]


def exists(pid: int) -> bool:
    """Whether there is a process of that number, dead or alive."""
    return Path(f"/proc/{pid}").exists()


def parent(pid: int) -> int:
    """The parent of a process; 0 when there is none, or no such process."""
    return int((_status(pid, "PPid") or ["0"])[0])


def marked_child(session: Session) -> int:
    """Leave a process in the background of *session*; what the host calls it. Its parent is the session's process 1."""
    marker = new_marker()
    leave(session, marker)

    def orphans() -> list[int]:
        return [pid for pid in marked(marker) if _status(parent(pid), "NSpid")[-1:] == ["1"]]

    assert becomes_true(lambda: len(orphans()) == 1)
    return orphans()[0]


def first_process(session: Session) -> int:
    """What the host calls the session's process 1."""
    return parent(marked_child(session))


def family(pid: int) -> set[int]:
    """A process and all below it."""
    parents = {int(folder.name): parent(int(folder.name)) for folder in Path("/proc").glob("[0-9]*")}
    found = [pid]
    for member in found:
        found += [child for child, above in parents.items() if above == member]
    return set(found)


def _status(pid: int, field: str) -> list[str]:
    match = re.search(rf"^{field}:(.*)$", _bytes(Path(f"/proc/{pid}/status")).decode("utf-8", "replace"), re.MULTILINE)
    return match[1].split() if match else []


def _bytes(path: Path) -> bytes:
    """A file's content, or nothing when its process has just ended."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


# Memory, mounts, descriptors


def held_memory(first: int, group: Path | None) -> int:
    """Bytes held by a session, given its process 1: what its group had at most, else what its processes have."""
    if group is None:
        return sum(_resident(pid) for pid in family(first))
    counts = ["memory.max_usage_in_bytes", "memory.kmem.tcp.max_usage_in_bytes"]
    if (group / "memory.current").exists():
        counts = ["memory.peak" if (group / "memory.peak").exists() else "memory.current"]  # since Linux 5.19
    return sum(int(_bytes(group / count) or b"0") for count in counts)


def forget_peak(group: Path) -> None:
    """Have the most that *group* held be what it holds now: another session may have had it before."""
    for count in ("memory.max_usage_in_bytes", "memory.kmem.tcp.max_usage_in_bytes"):
        if (group / count).exists():
            (group / count).write_text("0")


def group_of(first: int) -> Path | None:
    """The control group of a session, given its process 1, which with version 2 is not in it itself; or None."""
    for pid in sorted(family(first) - {first}) or [first]:
        for line in _bytes(Path(f"/proc/{pid}/cgroup")).decode().splitlines():
            _, controllers, path = line.split(":", 2)
            folder = Path("/sys/fs/cgroup") / ("memory" if controllers else "") / path.lstrip("/")
            if controllers in ("memory", "") and re.fullmatch(r"intercode-[\d-]+", folder.name):
                return folder
    return None


def _resident(pid: int) -> int:
    return int((_bytes(Path(f"/proc/{pid}/statm")).split() or [b"0", b"0"])[1]) * os.sysconf("SC_PAGESIZE")


def socket_memory() -> int:
    """Bytes that lie in TCP sockets on the whole machine."""
    found = re.search(r"^TCP:.* mem (\d+)$", _bytes(Path("/proc/net/sockstat")).decode(), re.MULTILINE)
    return int(found[1]) * os.sysconf("SC_PAGESIZE") if found else 0


def own_peak_memory() -> int:
    """The most bytes of memory that this very process has had."""
    return int(_status(os.getpid(), "VmHWM")[0]) * 1024


def groups(owner: int | None = None) -> set[str]:
    """The control groups that a process (this one) has made and not removed, by hand or by systemd."""
    beginning = f"intercode-{owner or os.getpid()}-"
    walk = os.walk("/sys/fs/cgroup")  # not Path.glob: others' groups go while we look, which it does not bear
    return {f"{above}/{name}" for above, names, _ in walk for name in names if name.startswith(beginning)}


def mounts(pid: int | str = "self") -> list[str]:
    """The mounts that a process sees, without their numbers; not those of Docker, of mmdebstrap and of the soak,
    which tests that run at the same time make.
    """
    lines = [line.split(" ", 3)[3] for line in Path(f"/proc/{pid}/mountinfo").read_text().splitlines()]
    return [line for line in lines if not any(name in line for name in ("docker", "mmdebstrap", "soak"))]


def held_since(before: Iterable[str], *, in_use: int = 0) -> list[str]:
    """What this process's descriptors are open on and were not *before*; others may have been closed meanwhile.

    Each of *in_use* sessions may keep one event: it is made by the first command that somebody had to wait for, which
    on a slow machine may be any.
    """
    events = Counter({"anon_inode:[eventfd]": in_use})
    return list((Counter(descriptors()) - Counter(before) - events).elements())


def descriptors() -> list[str]:
    """What this process's descriptors are open on."""
    found = []
    for name in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):  # the one that read the list
            found.append(os.readlink(f"/proc/self/fd/{name}"))
    return sorted(found)
