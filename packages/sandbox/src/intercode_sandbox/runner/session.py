"""A session as the host holds it, wherever it runs: a channel to its process 1, which is our runner."""

from __future__ import annotations

import os
import signal
import socket
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

from intercode_sandbox.deadline import Deadline, ProcessorDeadline, ProcessorUse
from intercode_sandbox.errors import SandboxError, SandboxGoneError, SnapshotError, UserError
from intercode_sandbox.images import Image
from intercode_sandbox.network.gateway import NetworkConnection, NetworkGateway
from intercode_sandbox.network.usage import NetworkUsage
from intercode_sandbox.network.variables import BUNDLE, PORT
from intercode_sandbox.runner import protocol
from intercode_sandbox.runner.channel import Channel
from intercode_sandbox.runner.command import ListenerError, RunnerProcess, RunningCommand
from intercode_sandbox.runner.terminal import RunnerTerminal
from intercode_sandbox.sandbox import Change, Limits, Process, Result, Session, Snapshot, TerminalProcess
from intercode_sandbox.users import NO_USERS, READ_LIMIT, Account, find_account
from intercode_sandbox.util.folders import only_file
from intercode_sandbox.util.naming import sandbox_name

BACKLOG = 128
"""Connections that wait to be accepted."""

NO_SUCH_USER = "{}: no such user in this session"


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

        self._is_frozen = False

        self._opened: list[RunnerProcess] = []
        """Programs that stay, and that nobody has closed."""

        self._network: NetworkConnection | None = None
        self._variables: Mapping[str, str] = {}
        """Variables by which its commands find its network; a command's own go before them."""

        self._known: tuple[tuple[int, int | bytes], list[Change]] | None = None
        """The changes as last read where no process was left, and how old files were then (`_age`)."""

        channel.is_sandbox_sound = lambda: self.probe is not None and self.probe()

    def run(
        self, argv: Sequence[str], *, cwd: str = "/", env: Mapping[str, str] | None = None, stdin: bytes = b"",
        timeout: float | None = None, separate: bool = False, user: str | None = None,
        on_output: Callable[[bytes], None] | None = None,
    ) -> Result:  # fmt: skip
        env = self._environment(env)
        user = self.user if user is None else user
        account = self.account(user) if user is not None else None
        if user is not None and account is None:
            return Result.refused(126, NO_SUCH_USER.format(user), separate=separate)
        try:
            command = RunningCommand(
                self._channel, argv, cwd, env, stdin, separate=separate, output_limit=self.limits.output,
                identity=account.identity if account else "", on_output=on_output,
            )  # fmt: skip
            try:
                return command.wait(self.deadline(self.limits.seconds if timeout is None else timeout))
            except (KeyboardInterrupt, ListenerError):
                command.kill()  # nobody waits for it any more
                raise
            finally:
                command.close()
        except ListenerError as error:
            raise error.cause from None
        except OSError as error:
            raise self._channel.lost(f"cannot be asked: {error}", cause=error) from error

    def account(self, user: str) -> Account | None:
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
        identity = self._identity()
        with self._channel.lock:
            return self._note(RunnerProcess(self._channel, argv, cwd, self._environment(env), identity=identity))

    def open_terminal(
        self, argv: Sequence[str], *, cwd: str = "/", env: Mapping[str, str] | None = None
    ) -> TerminalProcess:
        identity = self._identity()
        with self._channel.lock:
            terminal = RunnerTerminal(self._channel, argv, cwd, self._environment(env), identity=identity)
            self._note(terminal)
            return terminal

    def listen(self, port: int) -> socket.socket:
        with self._channel.lock:
            try:
                return self._channel.listen(port, BACKLOG)
            except OSError as error:
                raise SandboxError(f"no socket on port {port} of a session: {error.strerror}") from error

    def serve(
        self, argv: Sequence[str], listener: socket.socket, *, cwd: str = "/", env: Mapping[str, str] | None = None
    ) -> Process:
        identity = self._identity()
        with self._channel.lock:
            process = RunnerProcess(
                self._channel, argv, cwd, self._environment(env), stdin=listener.fileno(), identity=identity
            )
            return self._note(process)

    def _identity(self) -> str:
        """Return as whom processes run that stay, as the runner reads it.

        Raises:
            UserError: If `user` is nobody in this session.
        """
        account = self.account(self.user) if self.user is not None else None
        if self.user is not None and account is None:
            raise UserError(NO_SUCH_USER.format(self.user))
        return account.identity if account else ""

    def connect(self, port: int, *, timeout: float = 10.0) -> socket.socket:
        with self._channel.lock:
            client = self._channel.listen(0, 0)
        try:
            client.settimeout(timeout)
            client.connect(("127.0.0.1", port))
        except BaseException:
            client.close()
            raise
        client.settimeout(None)
        return client

    def _environment(self, env: Mapping[str, str] | None) -> Mapping[str, str]:
        env = self.environment(env)
        return {**self._variables, **env} if self._variables else env

    def connect_network(self, gateway: NetworkGateway) -> None:
        """Give it the network that its limits ask for, if they do, before anything runs in it.

        Raises:
            SandboxError: If the proxy does not start, or the authorities of this machine cannot be handed on. The
                session is closed then.
        """
        if not self.limits.has_network:
            return
        try:
            self._connect_network(gateway)
        except BaseException:
            self.close()
            raise

    def _connect_network(self, gateway: NetworkGateway) -> None:
        with self._channel.lock:
            if gateway.bundle is not None:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
                descriptor = self._channel.open(0, BUNDLE, flags, mode=0o644, parents=True)
                with os.fdopen(descriptor, "wb") as file:
                    file.write(gateway.bundle)
            self._network = gateway.connect(self.listen(PORT), self.limits.network_policy)
            self._variables = gateway.variables

    def network_usage(self) -> NetworkUsage | None:
        return self._network.usage() if self._network is not None else None

    def _note(self, process: RunnerProcess) -> RunnerProcess:
        """Have *process* closed with the session."""
        self._opened = [*(each for each in self._opened if not each.closed), process]
        return process

    def read(self, path: str, *, limit: int = 1 << 20) -> bytes:
        with os.fdopen(only_file(self.open_path(path, os.O_RDONLY), path), "rb") as file:
            return file.read(limit)

    def write(self, path: str, data: bytes, *, mode: int = 0o644) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        try:
            with self._channel.lock:
                descriptor = self._channel.open(0, path, flags, mode=mode, parents=True)
            with os.fdopen(only_file(descriptor, path), "wb") as file:
                file.write(data)
        finally:
            self._channel.writes += 1  # whoever looked meanwhile has not seen all of it

    def open_path(self, path: str, flags: int, *, mode: int = 0, parents: bool = False) -> int:
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
        with self._channel.lock:
            self._must_be_open()
            return (
                self._channel.quiet
                and self.env is None
                and self.user is None
                and self._network is None  # what was fetched is not fetched again
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
        """Return what process 1 says that is in the upper layer.

        None where it says nothing, or that may have changed.
        """
        return None if self._age is None else self._channel.listing

    def processor_use(self) -> ProcessorUse:
        """Return what its processes have had of processors so far.

        Raises:
            SandboxGoneError: If the session has died.
        """
        with self._channel.lock:
            return self._channel.processor_use()

    def deadline(self, seconds: float, *, judging: bool = False) -> Deadline:
        is_judging = judging or self.limits.judging
        return ProcessorDeadline(seconds, self.processor_use) if is_judging else Deadline(seconds)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """See `Session.frozen`. Nobody need be stopped where nobody is left."""
        with self._channel.lock:
            is_ours = not (self._is_frozen or self._channel.quiet or self._channel.closed)
            if is_ours:
                self._channel.stop_all()
                self._is_frozen = True
        try:
            yield
        finally:
            if is_ours:
                with self._channel.lock:
                    self._is_frozen = False
                    if self._channel.descriptor >= 0:  # else it has ended meanwhile
                        self._channel.continue_all()

    def snapshot(self) -> Snapshot:
        with self._channel.lock:
            self._must_be_open()
            try:
                with self.frozen():
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
        """Do it; the processes are stopped.

        Raises:
            SandboxError: If it cannot be done.
            SnapshotError: If that is the session's doing.
        """

    def _must_be_open(self) -> None:
        self._channel.home.check(self)
        if self._channel.closed:
            raise SandboxError("this session is closed; start another")

    def is_quiet(self) -> bool:
        return self._channel.quiet

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
        """See `Session.interrupt`. It reaches each command's process group, and those that have a terminal."""
        self._channel.interrupt_jobs()
        for process in self._opened:
            if isinstance(process, RunnerTerminal) and not process.closed:
                process.signal(signal.SIGINT)

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
        if self._network is not None:
            self._network.close()
        on_close, self.on_close = self.on_close, None  # it holds this session: nobody has to look for the circle
        if on_close is not None:
            on_close()

    def release(self) -> None:
        """Give up what is held of the session's files."""
