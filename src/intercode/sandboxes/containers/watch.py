"""A watch over what sessions write: engines on ordinary disks limit neither bytes nor files.

Looks every fifth of a second, less often where looking takes long. Who is over a limit has all its processes killed;
what they have written by then is there until the session ends.
"""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field

from intercode.errors import SandboxError
from intercode.sandboxes.base import Limits
from intercode.sandboxes.containers.session import DockerSession

SECONDS = 0.2
DEEPEST = 256
"""Folders in each other that are counted. Who goes deeper is over the limit: files could be hidden there."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Watch:
    """Looks at *sessions* until it is closed."""

    def __init__(self, sessions: Callable[[], Iterable[DockerSession]]) -> None:
        self._sessions = sessions
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look_again, name="intercode-disk-watch", daemon=True)
        self._thread.start()

    def _look_again(self) -> None:
        pause = SECONDS
        while not self._done.wait(pause):
            began = time.monotonic()
            for session in self._sessions():
                with suppress(SandboxError, OSError):  # it ends just now
                    if is_over(session.layer, session.limits):
                        session.stop_all()
            pause = max(SECONDS, 5 * (time.monotonic() - began))

    def close(self) -> None:
        """Look no more."""
        self._done.set()
        self._thread.join()


def is_over(layer: int, limits: Limits) -> bool:
    """Whether what lies in the folder open as *layer* is more than *limits* allow. Raises OSError when it is closed."""
    room = (limits.disk + limits.disk // 16) // 512  # a file as large as may be takes some more blocks
    folder = os.open(".", _FOLDER, dir_fd=layer)
    try:
        return _Purse(room, limits.inodes).spends(folder, DEEPEST)
    finally:
        os.close(folder)


@dataclass
class _Purse:
    """Blocks and files that are left; files of several names, by their inodes, are paid for once."""

    blocks: int
    files: int
    paid: set[int] = field(default_factory=set)

    def spends(self, folder: int, depth: int) -> bool:
        """Pay for what lies in *folder*; True when that is too much."""
        for name in os.listdir(folder):
            try:
                found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            except OSError:
                continue
            is_folder = stat.S_ISDIR(found.st_mode)
            if found.st_ino not in self.paid:
                self.files -= 1
                self.blocks -= 0 if is_folder else found.st_blocks
            if found.st_nlink > 1 and not is_folder:
                self.paid.add(found.st_ino)
            if min(self.files, self.blocks) < 0 or (is_folder and self._spends_in(name, folder, depth)):
                return True
        return False

    def _spends_in(self, name: str, parent: int, depth: int) -> bool:
        if not depth:
            return True
        try:
            folder = os.open(name, _FOLDER, dir_fd=parent)
        except OSError:
            return False
        try:
            return self.spends(folder, depth - 1)
        finally:
            os.close(folder)
