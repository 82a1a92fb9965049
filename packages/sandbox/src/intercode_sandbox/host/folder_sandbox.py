"""Starting sessions whose files are in a folder of this machine."""

from __future__ import annotations

import threading
import time
from abc import abstractmethod
from pathlib import Path
from typing import ClassVar

from intercode_sandbox.errors import SandboxError
from intercode_sandbox.host import directory_tree
from intercode_sandbox.host.layer_builder import unpack
from intercode_sandbox.host.session import FolderSession, FolderSnapshot
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Limits, Sandbox, Snapshot
from intercode_sandbox.util.closing import HomeProcess


class FolderSandbox(Sandbox):
    """A sandbox of `FolderSession`s. Layers of images are unpacked once, and copied for each session."""

    first_layer: ClassVar[int] = 0
    """The lowest layer of images that is used."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._home = HomeProcess()
        self._unpacked: dict[str, Path] = {}
        self._sessions: set[FolderSession] = set()

    @abstractmethod
    def make_session(self, image: Image, limits: Limits) -> FolderSession:
        """Return a session whose folder is still empty, and in which nothing runs (see `FolderSession.begin`)."""

    def start(
        self, image: Image, *, snapshot: Snapshot | None = None, started_at: float | None = None,
        limits: Limits | None = None, shuffle: int = 0,
    ) -> FolderSession:  # fmt: skip
        """See `Sandbox.start`: a folder filled from the image's layers, or from *snapshot*.

        *shuffle* only has an effect where temporary folders are on a tmpfs: elsewhere order does not follow age.
        """
        self._home.check(self)
        self.check(limits)
        if snapshot is not None:
            _check(snapshot, image)
        unpacked = self._unpack(image)
        session = self.make_session(image, limits or Limits())
        self._sessions.add(session)
        session.on_close = lambda: self._sessions.discard(session)
        try:
            session.fill(unpacked, time.time() if started_at is None else started_at)
            if isinstance(snapshot, FolderSnapshot):
                session.restore(snapshot)
            if shuffle:
                directory_tree.shuffle(session.folder, shuffle)
            session.begin()
        except BaseException:
            session.close()
            raise
        return session

    def _unpack(self, image: Image) -> Path:
        with self._lock:
            if image.digest not in self._unpacked:
                self._unpacked[image.digest] = unpack(image.layers, self.first_layer)
            return self._unpacked[image.digest]

    def close(self) -> None:
        if not self._home.is_here:
            return
        for session in list(self._sessions):
            session.close()
        while self._unpacked:
            directory_tree.remove(self._unpacked.popitem()[1])


def _check(snapshot: Snapshot, image: Image) -> None:
    if not isinstance(snapshot, FolderSnapshot) or snapshot.closed:
        raise SandboxError("this snapshot is closed, or another sandbox made it")
    if snapshot.image.digest != image.digest:
        raise SandboxError(f"the snapshot is of image {snapshot.image.name!r}, not of {image.name!r}")
