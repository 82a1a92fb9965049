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
    left = [(limits.disk + limits.disk // 16) // 512, limits.inodes]  # a file as large as may be takes some more blocks
    folder = os.open(".", _FOLDER, dir_fd=layer)
    try:
        return _spends(folder, left, DEEPEST)
    finally:
        os.close(folder)


def _spends(folder: int, left: list[int], depth: int) -> bool:
    """Take blocks and files from what is *left*; True when that is not enough."""
    for name in os.listdir(folder):
        try:
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError:
            continue
        is_folder = stat.S_ISDIR(found.st_mode)
        left[0] -= 0 if is_folder else found.st_blocks
        left[1] -= 1
        if min(left) < 0 or (is_folder and _folder_spends(name, folder, left, depth)):
            return True
    return False


def _folder_spends(name: str, parent: int, left: list[int], depth: int) -> bool:
    if not depth:
        return True
    try:
        folder = os.open(name, _FOLDER, dir_fd=parent)
    except OSError:
        return False
    try:
        return _spends(folder, left, depth - 1)
    finally:
        os.close(folder)
