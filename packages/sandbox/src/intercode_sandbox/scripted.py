"""A sandbox that runs nothing: it answers from a table. For tests of what stands above sandboxes.

It guards nothing because nothing happens: no program is started, no file is written on this machine.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path, PurePosixPath

from intercode_sandbox import arguments
from intercode_sandbox.errors import MachineError, SandboxGoneError
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import (
    Change,
    Entry,
    Limits,
    Process,
    Prompt,
    Result,
    Sandbox,
    Session,
    Snapshot,
    TerminalProcess,
)
from intercode_sandbox.util import folders


@dataclass(frozen=True, slots=True)
class ScriptedAnswer:
    """What a command does: print, end after *seconds*, and leave *changes* behind.

    A change with `after=before` is one that it puts right again.
    """

    output: str | bytes = ""
    exit_code: int = 0
    changes: tuple[Change, ...] = ()
    timed_out: bool = False
    errors: str = ""
    seconds: float = 0.0

    def result(self, limits: Limits, *, separate: bool) -> Result:
        """Return the same as a `Result`, cut to what *limits* allow."""
        output = _bytes(self.output) if separate else _bytes(self.output) + _bytes(self.errors)
        return Result(
            137 if self.timed_out else self.exit_code,
            output[: limits.output],
            _bytes(self.errors) if separate else b"",
            timed_out=self.timed_out,
            truncated=len(output) > limits.output,
            seconds=self.seconds,
            output_bytes=len(output),
        )


class ScriptedSandbox(Sandbox):
    """Answers each command from *script*, whose keys are commands.

    A command is known by its last argument, or by that argument's last line. What is not in *script* answers 127.
    `ran` holds the argv of every command of every session, in order. *fails* says at which of them (counted from 0)
    which error is raised instead; after SandboxGoneError the session stays gone.
    """

    gives_terminal = True

    def __init__(
        self,
        script: Mapping[str, ScriptedAnswer | str] | None = None,
        *,
        fails: Mapping[int, MachineError] | None = None,
    ) -> None:
        self.script = {
            key: ScriptedAnswer(value) if isinstance(value, str) else value for key, value in (script or {}).items()
        }
        self.fails = dict(fails or {})
        self.ran: list[tuple[str, ...]] = []
        self.sessions: list[ScriptedSession] = []

    def start(
        self,
        image: Image,
        *,
        snapshot: Snapshot | None = None,
        started_at: float | None = None,
        limits: Limits | None = None,
        shuffle: int = 0,
    ) -> ScriptedSession:
        """See `Sandbox.start`; times and the order of directories play no part."""
        session = ScriptedSession(self, image, limits or Limits())
        if isinstance(snapshot, ScriptedSnapshot):
            session.state, session.files = dict(snapshot.state), dict(snapshot.files)
        self.sessions.append(session)
        return session

    def answer(self, argv: Sequence[str]) -> ScriptedAnswer:
        """Record *argv* and look it up. Raises what *fails* says."""
        number = len(self.ran)
        self.ran.append(tuple(argv))
        if number in self.fails:
            raise self.fails[number]
        text = argv[-1].rstrip("\n")  # a shell adds line ends
        known = next(
            (self.script[key] for key in (argv[-1], text, text.rsplit("\n", 1)[-1]) if key in self.script), None
        )
        return known or ScriptedAnswer(f"{text.split()[0] if text.split() else text}: not in the script\n", 127)

    def close(self) -> None:
        for session in self.sessions:
            session.close()


class ScriptedSession(Session):
    """What commands have changed so far; `open` is False once it is closed or gone."""

    def __init__(self, sandbox: ScriptedSandbox, image: Image, limits: Limits) -> None:
        self.sandbox, self.image, self.limits = sandbox, image, limits
        self.state: dict[str, Change] = {}
        self.files: dict[str, bytes] = {}
        self.is_open = True
        self.killed = 0

    def run(
        self,
        argv: Sequence[str],
        *,
        cwd: str = "/",
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        timeout: float | None = None,
        separate: bool = False,
        user: str | None = None,
        on_output: Callable[[bytes], None] | None = None,
    ) -> Result:
        """See `Session.run`; who runs it plays no part."""
        self._check_open()
        arguments.check(argv, env or {}, cwd)
        result = self.perform(argv).result(self.limits, separate=separate)
        if on_output is not None and result.output:
            on_output(result.output)
        return result

    def perform(self, argv: Sequence[str]) -> ScriptedAnswer:
        """Look *argv* up and let its changes happen."""
        try:
            answer = self.sandbox.answer(argv)
        except SandboxGoneError:
            self.is_open = False
            raise
        self.state |= {change.path: change for change in answer.changes}
        return answer

    def open(self, argv: Sequence[str], *, cwd: str = "/", env: Mapping[str, str] | None = None) -> ScriptedProcess:
        """See `Session.open`; what is sent is looked up as a command."""
        self._check_open()
        return ScriptedProcess(self)

    def open_terminal(
        self, argv: Sequence[str], *, cwd: str = "/", env: Mapping[str, str] | None = None
    ) -> ScriptedTerminal:
        """See `Session.open_terminal`; what is typed is looked up as a command."""
        self._check_open()
        return ScriptedTerminal(self)

    def read(self, path: str, *, limit: int = 1 << 20) -> bytes:
        """See `Session.read`: what `write` has written."""
        self._check_open()
        if path not in self.files:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return self.files[path][:limit]

    def write(self, path: str, data: bytes, *, mode: int = 0o644) -> None:
        self._check_open()
        self.files[path] = data
        after = Entry("file", mode, 0, 0, len(data), 0, sha256(data).hexdigest())
        self.state[path] = Change(path, None, after)

    def upload(self, source: str | Path, path: str) -> list[str]:
        """See `Session.upload`; empty folders are none."""
        left_out = []
        for folder, descriptor, files, others in folders.walk(Path(source)):
            left_out += others
            for name in files:
                with open(name, "rb", opener=partial(os.open, dir_fd=descriptor)) as file:
                    self.write(str(PurePosixPath(path, folder, name)), file.read())
        return sorted(left_out)

    def download(self, path: str, target: str | Path, *, limit: int = 1 << 30, files: int = 1 << 16) -> list[str]:
        """See `Session.download`: what has been written below *path*."""
        self._check_open()
        found = {PurePosixPath(name).relative_to(path): data for name, data in self.files.items() if _is_in(name, path)}
        if not found:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        if len(found) > files or sum(map(len, found.values())) > limit:
            raise OSError(errno.EFBIG, "more than allowed", path)
        for name, data in found.items():
            Path(target, name).parent.mkdir(parents=True, exist_ok=True)
            Path(target, name).write_bytes(data)
        return []

    def changes(self) -> list[Change]:
        self._check_open()
        return sorted((change for change in self.state.values() if change.before != change.after), key=_path)

    def snapshot(self) -> ScriptedSnapshot:
        self._check_open()
        return ScriptedSnapshot(dict(self.state), dict(self.files))

    def kill(self) -> None:
        """See `Session.kill`; `killed` counts how often."""
        self.killed += 1

    def close(self) -> None:
        self.is_open = False

    def _check_open(self) -> None:
        if not self.is_open:
            raise SandboxGoneError("this session is closed: start another")


class ScriptedProcess(Process):
    """Answers what is sent to it as if it were a command."""

    def __init__(self, session: ScriptedSession) -> None:
        self._session = session
        self._printed = b""
        self._exit_code: int | None = None

    def send(self, data: bytes) -> None:
        if self._exit_code is not None:
            raise BrokenPipeError
        self._printed += _bytes(self._session.perform([data.decode().strip()]).output)

    def receive(self, timeout: float) -> bytes:
        """See `Process.receive`; never waits."""
        printed, self._printed = self._printed, b""
        return printed

    def signal(self, number: int) -> None:
        """See `Process.signal`: it ends it."""
        self._exit_code = 128 + number if self._exit_code is None else self._exit_code

    @property
    def exit_code(self) -> int | None:
        return self._exit_code

    def close(self) -> None:
        self.signal(9)


class ScriptedTerminal(ScriptedProcess, TerminalProcess):
    """The same for what is typed: it waits for the next line at once, and the last one went well."""

    is_left = False

    def prompt(self) -> Prompt | None:
        return None if self.exit_code is not None else Prompt("", 0, 1)


@dataclass(frozen=True, slots=True)
class ScriptedSnapshot(Snapshot):
    """What had been changed and written."""

    state: Mapping[str, Change] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)

    def close(self) -> None:
        """Nothing to give back."""


def _bytes(text: str | bytes) -> bytes:
    return text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text


def _is_in(path: str, folder: str) -> bool:
    return PurePosixPath(folder) in PurePosixPath(path).parents


def _path(change: Change) -> str:
    return change.path
