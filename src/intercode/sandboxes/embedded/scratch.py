"""Folders on disk for what sessions write, where the kernel's tmpfs cannot serve as an upper layer.

Before Linux 6.6 a tmpfs holds no user attributes, and overlayfs keeps its marks in those. Then every session gets a
folder on disk instead: slower, and without a limit on disk and inodes, which `intercode doctor` says.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from functools import cache
from itertools import count
from pathlib import Path

from intercode import paths
from intercode.errors import SandboxError
from intercode.sandboxes.embedded.user_namespace import SandboxUser


@cache
def tmpfs_suffices() -> bool:
    """Whether a tmpfs of this kernel holds user attributes. `INTERCODE_SCRATCH=disk` says no to it (for tests)."""
    if os.environ.get("INTERCODE_SCRATCH") == "disk":
        return False
    try:
        with tempfile.TemporaryFile(dir="/dev/shm") as file:
            os.setxattr(file.fileno(), "user.intercode", b"1")
    except OSError:
        numbers = os.uname().release.split(".")[:2]
        return tuple(int("".join(filter(str.isdigit, number)) or 0) for number in numbers) >= (6, 6)
    return True


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
        """A new empty folder's number. Raises SandboxError when there is no room for one."""
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
        """Remove a folder; its session has ended."""
        self._remove(self.root / str(number))

    def close(self) -> None:
        """Remove all of them."""
        self._remove(self.root)
