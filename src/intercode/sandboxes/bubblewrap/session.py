"""Sessions as the host holds them: a channel to process 1 and, in the embedded sandbox, the upper layer."""

from __future__ import annotations

import errno
import os
import socket
import stat
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from intercode.errors import SandboxError, SandboxGone, SnapshotError
from intercode.sandboxes.base import Change, Limits, Process, Result, Session, Snapshot
from intercode.sandboxes.bubblewrap import wire
from intercode.sandboxes.bubblewrap.channel import Channel
from intercode.sandboxes.bubblewrap.command import Command, EmbeddedProcess
from intercode.sandboxes.bubblewrap.control_groups import SessionGroup
from intercode.sandboxes.bubblewrap.identity import Identity
from intercode.sandboxes.bubblewrap.listening import listening_socket
from intercode.sandboxes.bubblewrap.scratch import Scratch
from intercode.sandboxes.bubblewrap.stager import OPAQUE, TRUSTED_OPAQUE, Stager
from intercode.sandboxes.bubblewrap.supervisor import Supervisor, receive_or_fail
from intercode.sandboxes.bubblewrap.walk import Walker
from intercode.sandboxes.images import Image


@dataclass(frozen=True, slots=True)
class Ground:
    """What a session stands on and shares with others of its image.

    `lowers` are (layer, descriptor) of the layers' folders, highest first; `stamps` the times of fresh ones. `stager`
    mounts overlays and makes snapshots where nobody else can.
    """

    supervisor: Supervisor
    who: Identity
    scratch: Scratch | None
    lowers: Sequence[tuple[int, int]]
    stamps: Mapping[int, int]
    stager: Stager | None = None


class EmbeddedSnapshot(Snapshot):
    """A copy of an upper layer, held by nothing but this descriptor (and its folder, where it is on disk)."""

    def __init__(self, descriptor: int, image: Image, release: Callable[[], None]) -> None:
        self.descriptor = descriptor
        self.image = image
        self._release = release

    def close(self) -> None:
        """Give the memory back."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1
            self._release()

    def __del__(self) -> None:
        self.close()


class RunnerSession(Session):
    """A session whose process 1 is our runner, at the other end of a channel, wherever that runs.

    Calls from several threads are done one after the other.
    """

    def __init__(self, image: Image, limits: Limits, channel: Channel) -> None:
        self.image = image
        self.limits = limits
        self.on_close: Callable[[], None] | None = None
        self.probe: Callable[[], bool] | None = None
        """Whether the sandbox is sound: asked when this session gives way."""

        self._channel = channel
        channel.is_sandbox_sound = lambda: self.probe is not None and self.probe()

    def run(
        self, argv: Sequence[str], *, cwd: str = "/", env: Mapping[str, str] | None = None, stdin: bytes = b"",
        timeout: float | None = None, separate: bool = False,
    ) -> Result:  # fmt: skip
        """See `Session.run`."""
        env = self.image.env if env is None else env
        with self._channel.lock:
            command = Command(self._channel, argv, cwd, env, stdin, separate=separate, output_limit=self.limits.output)
            try:
                return command.wait(self.limits.seconds if timeout is None else timeout)
            except KeyboardInterrupt:
                command.kill()  # nobody waits for it any more
                raise
            finally:
                command.close()

    def open(self, argv: Sequence[str], *, cwd: str = "/", env: Mapping[str, str] | None = None) -> Process:
        """See `Session.open`."""
        with self._channel.lock:
            return EmbeddedProcess(self._channel, argv, cwd, self.image.env if env is None else env)

    def listen(self, port: int) -> socket.socket:
        """See `Session.listen`."""
        with self._channel.lock:
            return listening_socket(self._channel, port, self.image.env)

    def serve(
        self, argv: Sequence[str], listener: socket.socket, *, cwd: str = "/", env: Mapping[str, str] | None = None
    ) -> Process:
        """See `Session.serve`."""
        env = self.image.env if env is None else env
        with self._channel.lock:
            return EmbeddedProcess(self._channel, argv, cwd, env, stdin=listener.fileno())

    def read(self, path: str, *, limit: int = 1 << 20) -> bytes:
        """See `Session.read`."""
        with self._channel.lock:
            descriptor = self._channel.open(0, path, os.O_RDONLY)
        with os.fdopen(_regular(descriptor, path), "rb") as file:
            return file.read(limit)

    def write(self, path: str, data: bytes, *, mode: int = 0o644) -> None:
        """See `Session.write`."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        with self._channel.lock:
            descriptor = self._channel.open(0, path, flags, mode=mode, parents=True)
        with os.fdopen(_regular(descriptor, path), "wb") as file:
            file.write(data)

    def changes(self) -> list[Change]:
        """See `Session.changes`. What cannot be read breaks the session: somebody in it has seen to that."""
        with self._channel.lock:
            self._must_be_open()
            try:
                return self.find_changes()
            except OSError as error:
                raise self._channel.lost(f"cannot be read: {error}") from error

    def snapshot(self) -> Snapshot:
        """See `Session.snapshot`."""
        with self._channel.lock:
            self._must_be_open()
            try:
                return self.take_snapshot()
            except SandboxGone:
                raise
            except SandboxError as error:
                if self._channel.is_sandbox_sound():
                    raise SnapshotError(f"this session cannot be kept as it is: {error}") from error
                raise

    @abstractmethod
    def find_changes(self) -> list[Change]:
        """Do it; OSError is what the session has laid out as a trap."""

    @abstractmethod
    def take_snapshot(self) -> Snapshot:
        """Do it. Raises SandboxError where it cannot be done, SnapshotError where that is the session's doing."""

    def _must_be_open(self) -> None:
        if self._channel.closed:
            raise SandboxError("this session is closed; start another")

    def kill(self) -> None:
        """See `Session.kill`."""
        with self._channel.lock:
            self._channel.kill_all()

    def close(self) -> None:
        """See `Session.close`. Every process is dead when this returns; its mounts go a moment later.

        A command that runs in another thread is not waited for: it is killed, and ends there as killed.
        """
        self.probe = None  # whose fault it is plays no part any more
        if not self._channel.lock.acquire(blocking=False):
            with suppress(SandboxError):
                self._channel.send(wire.order("K"))
        else:
            self._channel.lock.release()
        with self._channel.lock:
            if self._channel.closed:
                return
            try:
                self._channel.kill_all()
            except SandboxError:
                pass  # it has died already, and its processes with it
            finally:
                self._channel.close()
                self.let_go()
        if self.on_close is not None:
            self.on_close()

    def let_go(self) -> None:
        """Give up what is held of the session's files."""


class EmbeddedSession(RunnerSession):
    """See `Session`; what differs from the image is a folder that only this process and the kernel know."""

    def __init__(
        self, image: Image, limits: Limits, ground: Ground, connection: socket.socket, group: SessionGroup | None
    ) -> None:
        super().__init__(image, limits, Channel(connection, image.name, ground.who.base))
        self.upper = -1
        """Descriptor of the upper layer: what differs from the image, as overlayfs keeps it."""
        self._ground, self._group = ground, group
        try:
            hello = receive_or_fail(connection, "U", f"starting a session of image {image.name!r}")
            self.upper = hello.descriptors[0]
            if group is not None:
                group.shut()
            receive_or_fail(connection, "R", "starting a session's process 1")
        except BaseException:
            self._channel.close()
            self.let_go()
            raise

    def kill(self) -> None:
        """See `Session.kill`. Where there is a control group the kernel does it at once, process 1 then looks again."""
        self._kill_group()
        super().kill()

    def close(self) -> None:
        """See `RunnerSession.close`."""
        self._kill_group()
        super().close()

    def _kill_group(self) -> None:
        if self._group is not None and not self._channel.closed:
            self._group.kill()

    def find_changes(self) -> list[Change]:
        """See `RunnerSession.find_changes`."""
        who, stamps = self._ground.who, self._ground.stamps
        walker = Walker(self._open_layer, who.user_inside, who.group_inside, stamps, self.opaque, self._shown)
        return walker.changes(self.upper, self._ground.lowers)

    @property
    def opaque(self) -> str:
        """The attribute that marks folders of its upper layer as hiding what is below."""
        return TRUSTED_OPAQUE if self._ground.stager else OPAQUE

    def open_upper(self, path: str, flags: int) -> int:
        """Have process 1 open *path* in the upper layer, whoever it belongs to. Raises OSError."""
        with self._channel.lock:
            return self._open_layer(0, path, flags)

    def _open_layer(self, layer: int, path: str, flags: int) -> int:
        return self._channel.open(1 + layer, path.lstrip("/"), flags)

    def _shown(self, path: str) -> list[str]:
        """The names in a folder, as the session's programs see it."""
        try:
            folder = self._channel.open(0, path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:  # taken away while we look
            return []
        try:
            return os.listdir(folder)
        finally:
            os.close(folder)

    def take_snapshot(self) -> EmbeddedSnapshot:
        """See `RunnerSession.take_snapshot`."""
        self._channel.ask(wire.order("S"), "K")
        try:
            return self._copy_upper()
        finally:
            self._channel.send(wire.order("C"))

    def _copy_upper(self) -> EmbeddedSnapshot:
        scratch = self._ground.scratch
        number = scratch.take() if scratch else 0

        def release() -> None:
            if scratch:
                scratch.give_back(number)

        try:
            maker = self._ground.stager or self._ground.supervisor
            with maker.request(wire.snapshot_request(number), [self.upper]) as answer:
                copy = receive_or_fail(answer, "U", "taking a snapshot").descriptors[0]
        except BaseException:
            release()
            raise
        return EmbeddedSnapshot(copy, self.image, release)

    def let_go(self) -> None:
        """Close the upper layer."""
        if self.upper >= 0:
            os.close(self.upper)
            self.upper = -1


def _regular(descriptor: int, path: str) -> int:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", path)
    return descriptor
