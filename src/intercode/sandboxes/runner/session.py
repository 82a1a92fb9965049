"""A session as the host holds it, wherever it runs: a channel to its process 1, which is our runner."""

from __future__ import annotations

import os
import socket
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from intercode.errors import SandboxError, SandboxGoneError, SnapshotError, UserError
from intercode.sandboxes.base import Change, Limits, Process, Result, Session, Snapshot
from intercode.sandboxes.core.folders import only_file
from intercode.sandboxes.core.naming import sandbox_name
from intercode.sandboxes.core.users import NO_USERS, READ_LIMIT, Account, find_account
from intercode.sandboxes.images import Image
from intercode.sandboxes.runner import protocol
from intercode.sandboxes.runner.channel import Channel
from intercode.sandboxes.runner.command import RunnerProcess, RunningCommand
from intercode.sandboxes.runner.listener import listening_socket


class RunnerSession(Session):
    """A session whose process 1 is our runner, at the other end of a channel, wherever that runs.

    Commands of several threads run at once; all other calls are done one after the other.
    """

    def __init__(self, image: Image, limits: Limits, channel: Channel) -> None:
        self.image = image
        self.limits = limits
        self.on_close: Callable[[], None] | None = None
        self.probe: Callable[[], bool] | None = None
        """Whether the sandbox is sound: asked when this session gives way."""

        self.has_users = True
        """Whether it has users besides its root."""

        self._channel = channel
        self._is_open_to_writes = False
        """Whether somebody outside has, or had, a file of it open to write to: then it may change at any time."""

        self._opened: list[RunnerProcess] = []
        """Programs that stay, and that nobody has closed."""

        self._known: tuple[tuple[int, int | bytes], list[Change]] | None = None
        """The changes as last read where no process was left, and how old files were then (`_age`)."""

        channel.is_sandbox_sound = lambda: self.probe is not None and self.probe()

    def run(
        self, argv: Sequence[str], *, cwd: str = "/", env: Mapping[str, str] | None = None, stdin: bytes = b"",
        timeout: float | None = None, separate: bool = False, user: str | None = None,
    ) -> Result:  # fmt: skip
        """See `Session.run`."""
        env = self.image.env if env is None else env
        account = self.account(user) if user is not None else None
        if user is not None and account is None:
            return Result.refused(126, f"{user}: no such user in this session", separate=separate)
        try:
            command = RunningCommand(
                self._channel, argv, cwd, env, stdin, separate=separate, output_limit=self.limits.output,
                identity=account.identity if account else "",
            )  # fmt: skip
            try:
                return command.wait(self.limits.seconds if timeout is None else timeout)
            except KeyboardInterrupt:
                command.kill()  # nobody waits for it any more
                raise
            finally:
                command.close()
        except OSError as error:
            raise self._channel.lost(f"cannot be asked: {error}", cause=error) from error

    def account(self, user: str) -> Account | None:
        """See `Session.account`."""
        account = find_account(user, self._read_accounts)
        if account is None or self.has_users:
            return account
        if (account.uid, account.gid) != (0, 0):
            raise UserError(NO_USERS.format(sandbox_name(self), user))
        return replace(account, groups=())

    def _read_accounts(self, path: str) -> bytes:
        try:
            return self.read(path, limit=READ_LIMIT)
        except OSError:
            return b""

    def open(self, argv: Sequence[str], *, cwd: str = "/", env: Mapping[str, str] | None = None) -> Process:
        """See `Session.open`."""
        with self._channel.lock:
            return self._note(RunnerProcess(self._channel, argv, cwd, self.image.env if env is None else env))

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
            return self._note(RunnerProcess(self._channel, argv, cwd, env, stdin=listener.fileno()))

    def _note(self, process: RunnerProcess) -> RunnerProcess:
        """Have *process* closed with the session."""
        self._opened = [*(each for each in self._opened if not each.closed), process]
        return process

    def read(self, path: str, *, limit: int = 1 << 20) -> bytes:
        """See `Session.read`."""
        with os.fdopen(only_file(self.open_path(path, os.O_RDONLY), path), "rb") as file:
            return file.read(limit)

    def write(self, path: str, data: bytes, *, mode: int = 0o644) -> None:
        """See `Session.write`."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        try:
            with self._channel.lock:
                descriptor = self._channel.open(0, path, flags, mode=mode, parents=True)
            with os.fdopen(only_file(descriptor, path), "wb") as file:
                file.write(data)
        finally:
            self._channel.writes += 1  # whoever looked meanwhile has not seen all of it

    def open_path(self, path: str, flags: int, *, mode: int = 0, parents: bool = False) -> int:
        """See `Session.open_path`."""
        with self._channel.lock:
            if parents or flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                self._is_open_to_writes = True
            return self._channel.open(0, path, flags, mode=mode, parents=parents)

    def changes(self) -> list[Change]:
        """See `Session.changes`. What cannot be read breaks the session: somebody in it has seen to that."""
        with self._channel.lock:
            self._must_be_open()
            age = self._age
            if age is not None and self._known is not None and self._known[0] == age:
                return list(self._known[1])
            try:
                found = self.find_changes()
                self._known = (age, found) if age is not None and age == self._age else None
                return list(found)
            except OSError as error:
                raise self._channel.lost(f"cannot be read: {error}", cause=error) from error

    def is_pristine(self) -> bool:
        """See `Session.is_pristine`."""
        with self._channel.lock:
            self._must_be_open()
            return (
                self._channel.quiet
                and not self._is_open_to_writes
                and not self._channel.writes
                and self.find_pristine()
            )

    def find_pristine(self) -> bool:
        """Do it, where no process is left, and nobody has written from outside. Default: nobody can tell.

        `changes` alone does not: a file that was made and removed again has left its folder another time.
        """
        return False

    @property
    def _age(self) -> tuple[int, int | bytes] | None:
        """Files are as they were when this was the same; None where nobody can say, as while processes are there.

        How often the host has written, and what is in the upper layer, its version, or else how many jobs there were.
        """
        if not self._channel.quiet or self._is_open_to_writes:
            return None
        channel = self._channel
        listing = channel.listing
        if listing is not None:
            return channel.writes, listing
        return channel.writes, channel.jobs if channel.version == protocol.NO_VERSION else channel.version

    @property
    def listing(self) -> bytes | None:
        """What process 1 says that is in the upper layer; None where it says nothing, or that may have changed."""
        return None if self._age is None else self._channel.listing

    def snapshot(self) -> Snapshot:
        """See `Session.snapshot`."""
        with self._channel.lock:
            self._must_be_open()
            try:
                return self.take_snapshot()
            except SandboxGoneError:
                raise
            except OSError as error:
                raise self._channel.lost(f"cannot be copied: {error}", cause=error) from error
            except SandboxError as error:
                if self._channel.is_sandbox_sound():
                    raise SnapshotError(f"this session cannot be saved: {error}") from error
                raise

    @abstractmethod
    def find_changes(self) -> list[Change]:
        """Do it; OSError is what the session has laid out as a trap."""

    @abstractmethod
    def take_snapshot(self) -> Snapshot:
        """Do it.

        Raises:
            SandboxError: If it cannot be done.
            SnapshotError: If that is the session's doing.
        """

    def _must_be_open(self) -> None:
        self._channel.home.check(self)
        if self._channel.closed:
            raise SandboxError("this session is closed; start another")

    def kill(self) -> None:
        """See `Session.kill`. A command that another thread waits for is killed first, and ends there as killed."""
        if self._channel.lock.acquire(blocking=False):
            self._channel.lock.release()
        else:
            self._channel.kill_jobs()
        with self._channel.lock:
            if not self._channel.quiet or self._channel.closed:  # closed: says so
                self._channel.kill_all()

    def interrupt(self) -> None:
        """See `Session.interrupt`. It reaches each command's process group."""
        self._channel.interrupt_jobs()

    def close(self) -> None:
        """See `Session.close`. Every process is dead when this returns; its mounts go a moment later.

        A command that runs in another thread is not waited for: it is killed, and ends there as killed.
        """
        if not self._channel.home.is_here:
            return
        self.probe = None  # whose fault it is plays no part any more
        if not self._channel.lock.acquire(blocking=False):
            with suppress(SandboxError):
                self._channel.send(protocol.order("K"))
        else:
            self._channel.lock.release()
        with self._channel.lock:
            if self._channel.closed:
                return
            try:
                if not self._channel.quiet:
                    self._channel.kill_all()
            except SandboxError:
                pass  # it has died already, and its processes with it
            finally:
                self._channel.close()
                self.release()
        for process in self._opened:
            process.close()
        on_close, self.on_close = self.on_close, None  # it holds this session: nobody has to look for the circle
        if on_close is not None:
            on_close()

    def release(self) -> None:
        """Give up what is held of the session's files."""
