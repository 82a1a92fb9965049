"""A session in a container that only the engine's command reaches."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from intercode_sandbox import arguments
from intercode_sandbox.docker.by_exec import file_tree, folders
from intercode_sandbox.docker.by_exec.ended_in import FIRST, LONGEST, EndedIn
from intercode_sandbox.docker.by_exec.engine import CommandEngine
from intercode_sandbox.docker.by_exec.file_tree import ImageTree
from intercode_sandbox.docker.by_exec.process import DockerExecProcess, PipeReader, execution, feed, shell_words
from intercode_sandbox.errors import SandboxGoneError, SessionLostError, UserError
from intercode_sandbox.host.process import exit_code_of
from intercode_sandbox.images import Image
from intercode_sandbox.results import FolderEntry
from intercode_sandbox.sandbox import Change, Limits, Result, Session
from intercode_sandbox.users import NO_USERS
from intercode_sandbox.util.closing import HomeProcess
from intercode_sandbox.util.naming import sandbox_name

BASH = ("bash", "/bin/bash", "/usr/bin/bash")
MARK = b"begun\n"
BEGUN = "echo begun; "
"""What every command's shell prints first. Engines print what they have to say in its place, with any status."""

ATTEMPTS = 2
MERGED = "exec 2>&1; "
ANNOUNCED = "echo $$; exec 2>&1; "


class DockerExecSession(Session):
    """See `Session`. *stamp* is the time, in seconds, of files that have none of their own."""

    def __init__(
        self, engine: CommandEngine, container: str, image: Image, limits: Limits, tree: ImageTree, stamp: int
    ) -> None:
        self.image, self.limits, self.container = image, limits, container
        self.on_close: Callable[[], None] = lambda: None
        self._engine, self._tree, self._stamp = engine, tree, stamp
        self._opened: list[DockerExecProcess] = []
        self._lock = threading.Lock()
        self._is_running, self._is_open = True, True
        self._home = HomeProcess()

    # Commands

    def run(
        self, argv: Sequence[str], *, cwd: str = "/", env: Mapping[str, str] | None = None, stdin: bytes = b"",
        timeout: float | None = None, separate: bool = False, user: str | None = None,
        on_output: Callable[[bytes], None] | None = None,
    ) -> Result:  # fmt: skip
        """See `Session.run`. At its time limit everything in the session is killed."""
        user = self.user if user is None else user
        if user is not None:
            raise UserError(NO_USERS.format(sandbox_name(self), user))
        for _ in range(ATTEMPTS):
            if (result := self._try_run(argv, cwd, env, stdin, timeout, separate, on_output)) is not None:
                return result
            self._check_process_1()
            self._kill_if_open()  # it may have used up its processes
        raise SessionLostError("the engine starts no command in this session any more")

    def _try_run(
        self, argv: Sequence[str], cwd: str, env: Mapping[str, str] | None, stdin: bytes, timeout: float | None,
        separate: bool, on_output: Callable[[bytes], None] | None,
    ) -> Result | None:  # fmt: skip
        """Run a command; None where it did not even begin."""
        started = time.monotonic()
        ended_in = EndedIn() if argv and argv[0] in BASH else None
        first = f"{BEGUN}{FIRST if ended_in else ''}{'' if separate else MERGED}"
        popen, fed = self._exec(argv, cwd, env, first, ended_in)
        assert popen.stdout is not None
        assert popen.stderr is not None
        with popen:
            try:
                output, errors = (
                    PipeReader(popen.stdout, self.limits.output, MARK, listener=on_output, stop=popen.kill),
                    PipeReader(popen.stderr, self.limits.output + LONGEST),
                )
                feeder = feed(popen, fed + stdin)
                timed_out = not _ends(popen, self.deadline(self.limits.seconds if timeout is None else timeout).left())
                if timed_out:
                    self._stop(popen)
                feeder.join()
                printed, said = output.wait(), errors.wait()
            except BaseException:  # such as a Ctrl-C
                popen.kill()
                raise
        if output.failure is not None:
            self._kill_if_open()
            raise output.failure
        if not output.is_marked and not timed_out:
            return None
        told, folder = ended_in.split(bytes(said.data)) if ended_in else (bytes(said.data), "")
        return Result(
            exit_code_of(popen.returncode), bytes(printed.data), told[: self.limits.output] if separate else b"",
            timed_out=timed_out, truncated=printed.total > len(printed.data), seconds=time.monotonic() - started,
            output_bytes=printed.total, cwd=folder,
        )  # fmt: skip

    def open(self, argv: Sequence[str], *, cwd: str = "/", env: Mapping[str, str] | None = None) -> DockerExecProcess:
        """See `Session.open`. Closing it kills everything in the session."""
        popen, fed = self._exec(argv, cwd, env, ANNOUNCED)
        process = DockerExecProcess(popen, fed, send=self._signal, stop=self._kill_if_open)
        self._opened.append(process)
        return process

    def _exec(
        self, argv: Sequence[str], cwd: str, env: Mapping[str, str] | None, first: str, ended_in: EndedIn | None = None
    ) -> tuple[subprocess.Popen[bytes], bytes]:
        variables = self.environment(env)
        arguments.check(argv, variables, cwd)
        text = ended_in.script(argv, variables) if ended_in else execution(argv, variables)
        words, fed = shell_words(text, cwd, first)
        self._ready()
        return self._engine.start("exec", "--interactive", self.container, *words, stdin=subprocess.PIPE), fed

    def _stop(self, popen: subprocess.Popen[bytes]) -> None:
        self._kill_if_open()
        if not _ends(popen, 5.0):
            popen.kill()

    def _check_process_1(self) -> None:
        """Raise SandboxGoneError where the container has ended: SessionLostError where that is the session's doing."""
        if self._engine.is_left_alone(self.container):
            raise SessionLostError("process 1 of this session has ended, of what ran in it")
        if not self._engine.is_running(self.container):
            raise SandboxGoneError("the container of this session was ended: start another")

    def _signal(self, target: str, number: int) -> None:
        self._engine.try_call("exec", self.container, "/bin/sh", "-c", f"kill -s {number} -- {target}")

    def interrupt(self) -> None:
        """See `Session.interrupt`. It reaches every process."""
        self._check_open()
        self._signal("-1", 2)

    def kill(self) -> None:
        """See `Session.kill`: the engine stops the container, which is started again for the next command."""
        self._check_open()
        self._kill_if_open()

    def _kill_if_open(self) -> None:
        with self._lock:
            if self._is_open and self._is_running:
                self._is_running = False
                status, _, errors = self._engine.try_call("kill", self.container)
                if status and self._engine.is_running(self.container):
                    raise SessionLostError(f"what runs in this session cannot be killed: {errors}")

    def _ready(self) -> None:
        """Start the container again, if all in it was killed."""
        self._check_open()
        with self._lock:
            if not self._is_running:
                status, _, errors = self._engine.try_call("start", self.container)
                if status:
                    raise SessionLostError(f"the container of this session does not start again: {errors}")
                self._is_running = True

    # Files

    def read(self, path: str, *, limit: int = 1 << 20) -> bytes:
        self._check_open()
        with self._engine.archive(self.container, _absolute(path), follow=True, to_end=False) as archive:
            member = archive.next()
            if member is None or not member.isreg():
                raise IsADirectoryError(21, "Is a directory", path) if member and member.isdir() else _odd(path)
            content = archive.extractfile(member)
            assert content is not None
            return content.read(limit)

    def write(self, path: str, data: bytes, *, mode: int = 0o644) -> None:
        """See `Session.write`. A link at *path* is replaced by the file."""
        self._check_open()
        self._engine.put(self.container, [folders.pack_file(_absolute(path), data, mode, time.time())], path)

    def upload(self, source: str | Path, path: str) -> list[str]:
        self._check_open()
        left_out: list[str] = []
        blocks = folders.pack_folder(Path(source), _absolute(path).rstrip("/"), time.time(), left_out)
        self._engine.put(self.container, blocks, path)
        return sorted(left_out)

    def download(self, path: str, target: str | Path, *, limit: int = 1 << 30, files: int = 1 << 16) -> list[str]:
        self._check_open()
        folder = _absolute(path).rstrip("/") or "/"
        with self._engine.archive(self.container, folder, follow=True) as archive:
            return folders.unpack(archive, folder, Path(target), limit=limit, files=files)

    def list_folder(self, path: str) -> list[FolderEntry]:
        """See `Session.list_folder`. The engine hands out all that lies below the folder, too."""
        self._check_open()
        folder = _absolute(path).rstrip("/") or "/"
        with self._engine.archive(self.container, folder, follow=True) as archive:
            return folders.entries(archive, path)

    def changes(self) -> list[Change]:
        """See `Session.changes`. Times are known in whole seconds; /etc/hosts and the like are the engine's."""
        self._check_open()
        return file_tree.changes(self._engine, self.container, self._tree, self._stamp, self.limits)

    # Its end

    def close(self) -> None:
        if not self._home.is_here or not self._is_open:
            return
        self._is_open = False
        try:
            self._engine.remove(self.container)
        finally:
            for process in self._opened:
                process.close()
            self.on_close()

    def _check_open(self) -> None:
        self._home.check(self)
        if not self._is_open:
            raise SandboxGoneError("this session is closed: start another")


def _ends(popen: subprocess.Popen[bytes], seconds: float) -> bool:
    """Return whether a program ends within so many seconds."""
    try:
        popen.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def _absolute(path: str) -> str:
    """As the engine takes paths. Raises OSError for one that holds a NUL byte."""
    if "\0" in path:
        raise OSError(22, "a path cannot hold a NUL byte", path)
    return f"/{path.lstrip('/')}"


def _odd(path: str) -> OSError:
    return OSError(22, "not a regular file", path)
