"""What the contract of sandboxes works on: a few files, and ways to look at what happens to them."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from intercode_sandbox.images import Image
from intercode_sandbox.images.files_layer import FilesLayer
from intercode_sandbox.sandbox import Change, Entry, Result, Session
from intercode_sandbox.testing.patience import patience

OLD = 1_000_000_000
"""The time of `old.txt`, in seconds since the epoch."""

_KEPT = FilesLayer(
    {
        "/data/plain.txt": "plain\n",
        "/data/old.txt": "old\n",
        "/data/run.sh": "#!/bin/bash\necho ran\n",
        "/data/folder/inner/deep.txt": "deep\n",
        "/data/folder/side.txt": "side\n",
        **{f"/data/many/{number}": "" for number in range(20)},
    },
    links={"/data/link": "plain.txt", "/data/way": "/data/folder"},
    directories=("/data/empty",),
    modes={"/data/run.sh": 0o755},
    mtimes={"/data/old.txt": OLD},
    title="files of the contract",
)
HOUR, YEAR = 3600, 365 * 86_400
_FRESH = FilesLayer(
    {"/data/new.txt": "new\n", "/aged/hour.txt": "older\n", "/aged/year.txt": "oldest\n"},
    links={"/aged/link": "hour.txt"},
    ages={"/aged/hour.txt": HOUR, "/aged/year.txt": YEAR, "/aged/link": HOUR, "/aged": YEAR},
    fresh=True,
    title="fresh files of the contract",
)

_numbers = itertools.count()


def contract_image(image: Image) -> Image:
    """Return *image* with `/data` in it, where the contract's commands run."""
    return image.with_layers(_KEPT, _FRESH, name="contract")


def sh(session: Session, script: str, **options: object) -> Result:
    """Run *script* with bash in `/data`."""
    options.setdefault("timeout", patience(session.limits.seconds))
    return session.run(["/bin/bash", "-c", script], cwd="/data", **options)  # type: ignore[arg-type]


def changes(session: Session) -> Mapping[str, Change]:
    """Return what differs, by path; of what differs in its time alone, nothing."""
    return {
        change.path: change
        for change in session.changes()
        if _without_time(change.before) != _without_time(change.after)
    }


def _without_time(entry: Entry | None) -> tuple[object, ...]:
    return () if entry is None else (entry.type, entry.mode, entry.uid, entry.gid, entry.digest)


def added_paths(session: Session) -> list[str]:
    """Return the paths that are new."""
    return [path for path, change in changes(session).items() if change.before is None]


def removed_paths(session: Session) -> list[str]:
    """Return the paths that are gone."""
    return [path for path, change in changes(session).items() if change.after is None]


def need(reason: str) -> None:
    """Skip the test where a sandbox gives a *reason* for not keeping this part of the contract."""
    if reason:
        pytest.skip(reason)


def mark() -> str:
    """Return a number of seconds to sleep that no other process on this machine sleeps."""
    return f"{1000 + next(_numbers)}.{os.getpid()}{time.time_ns() % 10**9}"


def held(kind: str) -> int:
    """Return how many descriptors of this *kind* this process has open: `pipe:`, `socket:`."""
    found = 0
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):  # another thread has closed it meanwhile
            found += os.readlink(f"/proc/self/fd/{name}").startswith(kind)
    return found


def alive(mark: str) -> bool:
    """Return whether a process with *mark* among its arguments runs anywhere on this machine, in whatever sandbox."""
    return any(mark.encode() in _command(folder) for folder in Path("/proc").iterdir() if folder.name.isdecimal())


def disappears(mark: str, within: float = 20.0) -> bool:
    """Return whether no such process is left soon."""
    return becomes_true(lambda: not alive(mark), within)


def appears(mark: str, within: float = 20.0) -> bool:
    """Return whether such a process appears soon."""
    return becomes_true(lambda: alive(mark), within)


def becomes_true(what: Callable[[], bool], within: float = 20.0) -> bool:
    """Return whether *what* is true soon."""
    end = time.monotonic() + patience(within)
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def _command(folder: Path) -> bytes:
    try:
        return (folder / "cmdline").read_bytes()
    except OSError:
        return b""
