"""Sessions whose processes this machine sees and whose files are in a folder on it.

A sandbox of that kind writes how a program is started (`exec`) and which processes are the session's (`processes`);
the rest is here. One whose files are elsewhere takes `HostSession` and writes `read`, `write` and `changes` as well.
"""

from __future__ import annotations

import os
import signal
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from weakref import finalize

from intercode_sandbox import arguments
from intercode_sandbox.errors import SandboxError, SandboxGoneError, SessionLostError, SnapshotError, UserError
from intercode_sandbox.host import directory_tree
from intercode_sandbox.host.layer_builder import new_folder, set_times
from intercode_sandbox.host.process import HostProcess, kill_all, send_signal, session_of, start_with_pipes
from intercode_sandbox.host.terminal import HostTerminal
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Change, Entry, Limits, Result, Session, Snapshot
from intercode_sandbox.users import NO_USERS
from intercode_sandbox.util.closing import HomeProcess
from intercode_sandbox.util.folders import only_file
from intercode_sandbox.util.naming import sandbox_name
from intercode_sandbox.util.rooted_paths import make_parents, open_in, root_descriptor

_REFUSAL = ["/bin/sh", "-c", 'printf %s "$1"; exit "$2"', "sh"]
"""Stands for a program that could not be executed."""


class HostSession(Session):
    """A session whose commands are processes of this machine, for example of `nsenter`. Only time and output end."""

    def __init__(self, image: Image, limits: Limits) -> None:
        self.image, self.limits = image, limits
        self._opened: list[HostProcess] = []
        self._open, self._is_frozen = True, False
        self._home = HomeProcess()

    @abstractmethod
    def exec(self, argv: Sequence[str], *, cwd: str, env: Mapping[str, str], separate: bool) -> HostProcess:
        """Start *argv* with pipes to it; standard error goes the same way as output unless they are *separate*.

        It may also let a shell say what is wrong, and end with 127 or 126 (`shell_command`).

        Raises:
            FileNotFoundError: If there is no such program.
            OSError: If it cannot be executed or *cwd* is no folder. Names what is wrong.
        """

    @abstractmethod
    def processes(self) -> Sequence[int]:
        """Return the ids, on this machine, of all processes that commands have started, found from outside."""

    @property
    def alive(self) -> bool:
        """Return whether what holds the session still runs, where something does."""
        return True

    def run(
        self, argv: Sequence[str], *, cwd: str = "/", env: Mapping[str, str] | None = None, stdin: bytes = b"",
        timeout: float | None = None, separate: bool = False, user: str | None = None,
        on_output: Callable[[bytes], None] | None = None,
    ) -> Result:  # fmt: skip
        """See `Session.run`. All commands are of one user: a session that can more takes *user* itself."""
        user = self.user if user is None else user
        if user is not None:
            raise UserError(NO_USERS.format(sandbox_name(self), user))
        started = self._start(argv, cwd, env, separate)
        if isinstance(started, Result):
            return started
        seconds = self.limits.seconds if timeout is None else timeout
        seconds = self.deadline(seconds).left()
        result = started.finish(stdin, seconds=seconds, limit=self.limits.output, on_output=on_output)
        return replace(result, cwd=self.path_of(result.cwd))

    def path_of(self, folder: str) -> str:
        """Return the path in the session of a folder of this machine's; "" for one outside of it."""
        root = os.path.realpath(self.root).rstrip("/")
        return folder.removeprefix(root) or "/" if f"{folder}/".startswith(f"{root}/") else ""

    def open(self, argv: Sequence[str], *, cwd: str = "/", env: Mapping[str, str] | None = None) -> HostProcess:
        """See `Session.open`; what cannot be executed is a process that says so and ends with 127 or 126."""
        started = self._start(argv, cwd, env, separate=False)
        if isinstance(started, Result):
            refusal = start_with_pipes([*_REFUSAL, started.text, str(started.exit_code)], env={})
            started = HostProcess(refusal, lambda: None)
        self._opened.append(started)
        return started

    def _start(
        self, argv: Sequence[str], cwd: str, env: Mapping[str, str] | None, separate: bool
    ) -> HostProcess | Result:
        self._check_open()
        variables = self.environment(env)
        arguments.check(argv, variables, cwd)
        try:
            return self.exec(argv, cwd=cwd, env=variables, separate=separate)
        except OSError as error:
            missing = isinstance(error, FileNotFoundError) and error.filename != cwd
            message = f"{error.filename or argv[0]}: {error.strerror}"
            return Result.refused(127 if missing else 126, message, separate=separate)

    def kill(self) -> None:
        kill_all(self.processes)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """See `Session.frozen`. Who is let go on again by another process of the session runs on."""
        if self._is_frozen:
            yield
            return
        stopped: list[int] = []
        self._is_frozen = True
        try:
            while found := [each for each in self.processes() if each not in stopped]:
                send_signal(found, signal.SIGSTOP)
                stopped += found
            yield
        finally:
            self._is_frozen = False
            send_signal(stopped, signal.SIGCONT)

    def interrupt(self) -> None:
        """See `Session.interrupt`. It reaches every process; on a terminal, those that have it."""
        terminals = {process.popen.pid: process for process in self._opened if isinstance(process, HostTerminal)}
        send_signal([pid for pid in self.processes() if session_of(pid) not in terminals], signal.SIGINT)
        for terminal in terminals.values():
            terminal.signal(signal.SIGINT)

    def close(self) -> None:
        if not self._home.is_here:
            return
        self._open = False
        self.kill()
        for process in self._opened:
            process.close()

    def _check_open(self) -> None:
        self._home.check(self)
        if not self._open:
            raise SandboxGoneError("this session is closed: start another")
        if not self.alive:
            raise SandboxGoneError("what held this session has ended: start another")


class FolderSession(HostSession):
    """A session whose files are all in a temporary *folder*, which nothing but the session writes to."""

    def __init__(self, image: Image, limits: Limits) -> None:
        super().__init__(image, limits)
        self.folder = new_folder()
        self._remove = finalize(self, directory_tree.remove, self.folder)
        self._before: Mapping[str, Entry] = {}
        self.on_close: Callable[[], None] = lambda: None

    def fill(self, source: Path, now: float) -> None:
        """Begin with what is in *source*; files without a time of their own get *now*."""
        directory_tree.copy(source, self.folder)
        set_times(self.folder, now)
        self._before = directory_tree.scan(self.folder)

    def restore(self, snapshot: FolderSnapshot) -> None:
        """Make the folder what it was when *snapshot* was taken; times of fresh files are those of then."""
        self._before = snapshot.before
        directory_tree.remove(self.folder)
        self.folder.mkdir(mode=0o755)
        directory_tree.copy(snapshot.folder, self.folder)

    def begin(self) -> None:
        """Start what holds the session, now that its files are there; most have nothing to start."""

    def read(self, path: str, *, limit: int = 1 << 20) -> bytes:
        with os.fdopen(only_file(self.open_path(path, os.O_RDONLY), path), "rb") as file:
            return file.read(limit)

    def write(self, path: str, data: bytes, *, mode: int = 0o644) -> None:
        descriptor = self.open_path(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode=mode, parents=True)
        with os.fdopen(only_file(descriptor, path), "wb") as file:
            os.fchmod(descriptor, mode)
            file.write(data)

    def open_path(self, path: str, flags: int, *, mode: int = 0, parents: bool = False) -> int:
        self._check_open()
        with root_descriptor(self.folder) as root:
            if parents:
                make_parents(root, path)
            return open_in(root, path, flags | os.O_NONBLOCK, mode=mode)

    def changes(self) -> list[Change]:
        self._check_open()
        try:
            return directory_tree.compare(self._before, directory_tree.scan(self.folder))
        except OSError as error:
            raise SessionLostError(f"what this session has changed cannot be read: {error}") from error

    def snapshot(self) -> FolderSnapshot:
        self._check_open()
        copy = FolderSnapshot(new_folder(), self._before, self.image)
        try:
            with self.frozen():
                directory_tree.copy(self.folder, copy.folder)
        except SandboxError as error:
            copy.close()
            raise SnapshotError(f"this session cannot be saved: {error}") from error
        return copy

    def close(self) -> None:
        if not self._home.is_here:
            return
        super().close()
        self._remove()
        self.on_close()


class FolderSnapshot(Snapshot):
    """A copy of a session's folder, and what that was *before* anything happened in it."""

    def __init__(self, folder: Path, before: Mapping[str, Entry], image: Image) -> None:
        self.folder, self.before, self.image = folder, before, image
        self._remove = finalize(self, directory_tree.remove, folder)

    @property
    def closed(self) -> bool:
        """Return whether it is forgotten."""
        return not self._remove.alive

    def close(self) -> None:
        self._remove()
