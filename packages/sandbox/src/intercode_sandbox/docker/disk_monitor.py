"""A watch over what sessions write: engines on ordinary disks limit neither bytes nor files.

Looks every fifth of a second; less often where looking takes long, and all are within their limits. Who is over a
limit, and still writes, has all its processes killed. What they have written by then is there until the session removes
it or ends.
"""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from intercode_sandbox.docker.container import Container
from intercode_sandbox.docker.session import DockerSession
from intercode_sandbox.errors import SandboxError
from intercode_sandbox.sandbox import Limits

SECONDS = 0.2
DEEPEST = 256
"""Folders in each other that are counted. Who goes deeper is over the limit: files could be hidden there."""

FAR = 2
"""Times the limit: who is that far over it is killed, whether it still writes or not."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class DiskMonitor:
    """Looks at *sessions* until it is closed."""

    def __init__(self, sessions: Callable[[], Iterable[DockerSession]]) -> None:
        self._sessions = sessions
        self._before: WeakKeyDictionary[DockerSession, DiskUsage] = WeakKeyDictionary()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look_again, name="intercode-disk-watch", daemon=True)
        self._thread.start()

    def _look_again(self) -> None:
        pause = SECONDS
        while not self._done.wait(pause):
            began, is_calm = time.monotonic(), True
            for session in self._sessions():
                with suppress(SandboxError, OSError):  # it ends just now
                    is_calm = self._is_calm(session) and is_calm
            pause = max(SECONDS, 5 * (time.monotonic() - began)) if is_calm else SECONDS

    def _is_calm(self, session: DockerSession) -> bool:
        """Look at a session, and kill what runs there if need be; whether it is within its limits."""
        now = usage(session.layer, session.limits) if session.layer >= 0 else usage_from_inside(session.container)
        before = self._before.get(session, DiskUsage())
        self._before[session] = now
        grows = now.blocks > before.blocks or now.files > before.files
        if now.exceeds(session.limits) and (grows or now.exceeds(session.limits, FAR)):
            session.stop_all()
        return not now.exceeds(session.limits)

    def close(self) -> None:
        """Look no more."""
        self._done.set()
        self._thread.join()


@dataclass
class DiskUsage:
    """What a session has written: blocks of 512 bytes, files of all kinds, whether folders are too deep.

    Files of several names, known by their inodes, count once.
    """

    blocks: int = 0
    files: int = 0
    too_deep: bool = False
    counted: set[int] = field(default_factory=set)

    def exceeds(self, limits: Limits, times: int = 1) -> bool:
        """Return whether it is more than so many times the limits; a file as large as may be takes some more blocks."""
        room = (limits.disk + limits.disk // 16) // 512
        return self.too_deep or self.blocks > times * room or self.files > times * limits.inodes

    def add(self, folder: int, depth: int, limits: Limits) -> None:
        """Count what lies in *folder*, until that is far more than *limits* allow."""
        for name in os.listdir(folder):
            try:
                found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            except OSError:
                continue
            is_folder = stat.S_ISDIR(found.st_mode)
            if found.st_ino not in self.counted:
                self.files += 1
                self.blocks += 0 if is_folder else found.st_blocks
            if found.st_nlink > 1 and not is_folder:
                self.counted.add(found.st_ino)
            if is_folder:
                self._add_in(name, folder, depth, limits)
            if self.exceeds(limits, FAR):
                return

    def _add_in(self, name: str, parent: int, depth: int, limits: Limits) -> None:
        if not depth:
            self.too_deep = True
            return
        try:
            folder = os.open(name, _FOLDER, dir_fd=parent)
        except OSError:
            return
        try:
            self.add(folder, depth - 1, limits)
        finally:
            os.close(folder)


def usage_from_inside(container: Container) -> DiskUsage:
    """Return the same, as the engine says it. Where folders are too deep for its paths, it only says so."""
    try:
        paths = container.engine.changed(container.id)
    except SandboxError as error:
        if "file name too long" not in str(error):
            raise
        return DiskUsage(too_deep=True)
    too_deep = any(path.count("/") > DEEPEST for path in paths)
    return DiskUsage(container.engine.written(container.id) // 512, len(paths), too_deep)


def usage(layer: int, limits: Limits) -> DiskUsage:
    """Return what lies in the folder open as *layer*.

    Raises:
        OSError: If that is closed.
    """
    found = DiskUsage()
    folder = os.open(".", _FOLDER, dir_fd=layer)
    try:
        found.add(folder, DEEPEST, limits)
    finally:
        os.close(folder)
    return found
