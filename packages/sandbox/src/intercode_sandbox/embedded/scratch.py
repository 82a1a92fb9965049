"""Where what sessions write is kept; and folders on disk for it, where the kernel's tmpfs cannot serve.

Overlayfs keeps its marks in attributes of files. Before Linux 6.6 a tmpfs holds no user attributes; trusted ones it
holds, which only root may have overlayfs use (see `stager.py`). For others every session gets a folder on disk then:
slower, and its limits on disk and inodes are a watch (see `helper/disk.c`), which `intercode doctor` says.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path
from typing import Literal

from intercode_sandbox.embedded.user_namespace import SandboxUser
from intercode_sandbox.errors import SandboxError
from intercode_sandbox.util import paths

Upper = Literal["tmpfs", "trusted", "disk"]
"""Where a session's upper layer is: on a tmpfs; on one with trusted attributes, which a stager mounts; on disk."""


@cache
def upper() -> Upper:
    """Return the best that this kernel has for this user. `INTERCODE_SCRATCH` names a lesser one (for tests)."""
    wanted = os.environ.get("INTERCODE_SCRATCH")
    if wanted == "disk":
        return "disk"
    if wanted != "trusted" and (holds("user.intercode") or _kernel() >= (6, 6)):
        return "tmpfs"
    return "trusted" if os.geteuid() == 0 and holds("trusted.intercode") else "disk"


def tmpfs_suffices() -> bool:
    """Return whether sessions are kept in memory, where the kernel itself limits what they write."""
    return upper() != "disk"


def holds(attribute: str) -> bool:
    """Return whether we may set such an attribute; root in a container, say, may set none that is trusted."""
    try:
        with tempfile.TemporaryFile(dir="/dev/shm") as file:
            os.setxattr(file.fileno(), attribute, b"1")
    except OSError:
        return False
    return True


def _kernel() -> tuple[int, ...]:
    numbers = os.uname().release.split(".")[:2]
    return tuple(int("".join(filter(str.isdigit, number)) or 0) for number in numbers)


_sandboxes = count()


class Scratch:
    """One sandbox's scratch folders, numbered from 1. What a killed process left is removed by the next one."""

    def __init__(self, who: SandboxUser, remove: Callable[[Path], None]) -> None:
        self._who = who
        self._remove = remove
        self._numbers = count(1)
        parent = paths.cache() / "scratch"
        self.root = parent / f"{os.getpid()}-{next(_sandboxes)}"
        for stale in parent.iterdir() if parent.is_dir() else ():
            if not Path("/proc", stale.name.partition("-")[0]).exists() or stale == self.root:
                remove(stale)
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)  # set-user-id programs of agents: nobody else's to run
        self._own(self.root)

    def acquire(self) -> int:
        """Return a new empty folder's number.

        Raises:
            SandboxError: If there is no room for one.
        """
        number = next(self._numbers)
        folder = self.root / str(number)
        try:
            folder.mkdir()
            self._own(folder)
        except OSError as error:
            raise SandboxError(
                f"no scratch folder in {self.root}: {error.strerror}; name another INTERCODE_CACHE"
            ) from error
        return number

    def _own(self, folder: Path) -> None:
        if self._who.kind == "root":
            os.chown(folder, self._who.base, self._who.base)

    def release(self, number: int) -> None:
        """Remove a folder; its session has ended. What overlayfs closed in it would take a sandbox to remove.

        Where this process can have no more files the folder stays until `close`.
        """
        folder = self.root / str(number)
        with suppress(OSError):
            (folder / "w" / "work").chmod(0o700)  # no session sees that one
        with suppress(OSError):
            self._remove(folder)

    def close(self) -> None:
        """Remove all of them."""
        self._remove(self.root)
