"""A process of root's that mounts the overlays of one image, where the kernel lets nobody else keep them in memory.

Before Linux 6.6 a tmpfs holds trusted attributes and no user attributes. Overlayfs uses trusted ones only for those who
mount it with rights over the whole machine, which nothing inside bubblewrap has. See `helper/stager.c`.
"""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from intercode_sandbox.embedded.supervisor import START_SECONDS, receive_or_fail
from intercode_sandbox.embedded.user_namespace import HELPER, SandboxUser, UserNamespace
from intercode_sandbox.errors import SandboxError
from intercode_sandbox.images import Mount
from intercode_sandbox.runner import protocol

OPAQUE, TRUSTED_OPAQUE = "user.overlay.opaque", "trusted.overlay.opaque"
"""How layers mark folders that hide what is below; and how a stager's overlays do."""

_MARKED = "trusted.intercode.marked"
_FOLDER = "/tmp"  # covered, in a mount namespace of its own, by what the stager is to see


class Stager:
    """Started when made. Ends when closed, or with this process.

    Raises:
        SandboxError: If it does not start.
    """

    def __init__(self, mounts: Sequence[Mount], who: SandboxUser, namespace: UserNamespace) -> None:
        for mount in mounts[1:]:  # what is lowest hides nothing
            if not mount.foreign:
                mark_trusted(mount.path)
        self._channel, inner = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        marks = ["i" if mount.foreign and who.size > 1 else "-" for mount in mounts]
        marked = [word for mark, mount in zip(marks, mounts, strict=True) for word in (mark, str(mount.path))]
        numbers = [str(namespace.descriptor), _FOLDER, str(inner.fileno()), str(len(mounts))]
        with inner:
            self._process = subprocess.Popen(
                [str(HELPER), "stages", str(who.base), *numbers, *marked],
                pass_fds=[inner.fileno(), namespace.descriptor], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                start_new_session=True,
            )  # fmt: skip
        protocol.limit_waits(self._channel, START_SECONDS)
        try:
            receive_or_fail(self._channel, "R", "starting the process that mounts overlays")
        except BaseException:
            self.close()
            raise

    def request(self, message: bytes, descriptors: Sequence[int] = ()) -> socket.socket:
        """Send a request; what comes back is the socket that the answer comes through."""
        outer, inner = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        protocol.limit_waits(outer, START_SECONDS)
        with inner:
            try:
                protocol.send(self._channel, message, [inner.fileno(), *descriptors])
            except SandboxError:
                outer.close()
                raise
        return outer

    def stage(self, message: bytes, snapshot: Sequence[int]) -> int:
        """Return a new stage for the session that *message* asks for: a mount that only this descriptor holds."""
        with self.request(message, snapshot) as answer:
            return receive_or_fail(answer, "T", "mounting a session's overlay").descriptors[0]

    @property
    def alive(self) -> bool:
        """Return whether it still runs."""
        return self._process.poll() is None

    def close(self) -> None:
        """End it; the sessions' mounts live on. Closing twice is harmless."""
        self._channel.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def mark_trusted(layer: Path) -> None:
    """Say in trusted attributes too which folders of a *layer* are opaque: once, which its root folder then says."""
    with suppress(OSError):
        os.getxattr(layer, _MARKED)
        return
    folders = [os.fspath(layer)]
    while folders:
        folder = folders.pop()
        with suppress(OSError):  # not marked
            if os.getxattr(folder, OPAQUE) == b"y":
                os.setxattr(folder, TRUSTED_OPAQUE, b"y")
        with suppress(OSError), os.scandir(folder) as entries:
            folders += [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    with suppress(OSError):  # looked at again next time
        os.setxattr(layer, _MARKED, b"1")
