"""The sandbox provider `intercode`: a session for each sample, started in milliseconds, without a daemon.

A session belongs to the process that started it and has no network. Commands of one session run at once; a command
whose caller is cancelled goes on until its time-out or the end of its sample. What a command leaves behind is ended
where it takes nearly all processes that a session may have, as a fork bomb does; the command's result says so.
"""

from __future__ import annotations

import atexit
import os
import posixpath
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, TypeVar, overload

import anyio
from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxEnvironment,
    SandboxEnvironmentConfigType,
    SandboxEnvironmentLimits,
    SandboxUnavailableError,
    SandboxUserUnsupportedError,
    sandboxenv,
)
from pydantic import BaseModel

from intercode import registry
from intercode.errors import MachineError, UserError
from intercode.integrations.inspect.config import COMPOSE_FILES, IntercodeSandboxConfig, read_config
from intercode.integrations.threads import in_thread, open_in_thread
from intercode_sandbox.sandbox import Result, Sandbox, Session
from intercode_sandbox.util.closing import Closeable

_Value = TypeVar("_Value")

ROOM_CHECK = """
for each in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    set -- /proc/[0-9]*
    [ $# -lt "$MOST" ] && /bin/true || exit 1
done
"""
"""Fails where a session has nearly as many processes as it may. Beside a bomb, some still start."""

ROOM_SECONDS = 10.0

NO_ROOM = "intercode: nearly all of the {} processes of this session were taken, so what ran in it was ended\n"

_shared: dict[tuple[str, str], Any] = {}
_shared_lock = threading.Lock()


def get_shared(kind: str, name: str, make: Callable[[], Closeable]) -> Any:
    """Return the one thing of that kind and name in this process, made if need be.

    It is closed when the process ends.
    """
    with _shared_lock:
        if (kind, name) not in _shared:
            made = _shared[kind, name] = make()
            atexit.register(made.close)
        return _shared[kind, name]


def shared_sandbox(name: str) -> Sandbox:
    """Return the one sandbox of that name."""
    found: Sandbox = get_shared("sandbox", name, lambda: registry.create("sandboxes", name))
    return found


@contextmanager
def _unavailable() -> Iterator[None]:
    """Inspect calls a sandbox that has given way unavailable."""
    try:
        yield
    except MachineError as error:
        raise SandboxUnavailableError(str(error)) from error


async def _ask(function: Callable[..., _Value], *arguments: Any, **options: Any) -> _Value:
    """Call what a session does in a thread of its own."""
    with _unavailable():
        return await in_thread(function, *arguments, **options)


@sandboxenv(name="intercode")
class IntercodeSandboxEnvironment(SandboxEnvironment):
    """One session of ours, as Inspect asks for it."""

    def __init__(self, session: Session, config: IntercodeSandboxConfig) -> None:
        super().__init__()
        self.session = session
        self.workdir = config.workdir or session.image.workdir
        self.env = {**session.image.env, **config.env}

    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        """See `SandboxEnvironment.exec`. Nothing is tried again after a time-out."""
        stdin = input.encode() if isinstance(input, str) else input or b""
        variables = {**self.env, **await self._home(user), **(env or {})}
        try:
            result = await _ask(
                self.session.run, cmd, cwd=self._path(cwd or ""), env=variables, stdin=stdin, timeout=timeout,
                separate=True, user=user,
            )  # fmt: skip
        except UserError as error:
            if user is not None and "user" in str(error):
                raise SandboxUserUnsupportedError(str(error)) from error
            raise
        return _exec_result(cmd, result, timeout, await self._make_room())

    async def _make_room(self) -> str:
        """End what is left running where it leaves no room for another command; returns what to say of it, or ""."""
        if self.session.is_quiet():
            return ""
        most = self.session.limits.processes
        argv, env = ["/bin/sh", "-c", ROOM_CHECK], {**self.env, "MOST": str(most * 3 // 4)}
        checked = await _ask(self.session.run, argv, env=env, timeout=ROOM_SECONDS)
        if checked.exit_code == 0 and not checked.timed_out:
            return ""
        await _ask(self.session.kill)
        return NO_ROOM.format(most)

    async def _home(self, user: str | None) -> dict[str, str]:
        """Return what `docker exec --user` sets: the home that /etc/passwd says."""
        if user is None:
            return {}
        try:
            account = await _ask(self.session.account, user)
        except UserError as error:
            raise SandboxUserUnsupportedError(str(error)) from error
        return {"HOME": account.home} if account and account.home else {}

    async def write_file(self, file: str, contents: str | bytes) -> None:
        await _ask(self.session.write, self._path(file), contents.encode() if isinstance(contents, str) else contents)

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...

    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...

    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        limit = SandboxEnvironmentLimits.MAX_READ_FILE_SIZE
        data = await _ask(self.session.read, self._path(file), limit=limit + 1)
        if len(data) > limit:
            raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_READ_FILE_SIZE_STR, None)
        return data.decode() if text else data

    def _path(self, file: str) -> str:
        return posixpath.join(self.workdir, file)

    def default_polling_interval(self) -> float:
        """Asking costs two milliseconds here."""
        return 0.2

    @classmethod
    def default_concurrency(cls) -> int | None:
        """Samples at once; sessions are light, and commands share the processors."""
        return 4 * (os.cpu_count() or 1)

    @classmethod
    def config_files(cls) -> list[str]:
        """Return those that the docker provider takes, too."""
        return COMPOSE_FILES

    @classmethod
    def config_deserialize(cls, config: dict[str, Any]) -> BaseModel:
        """From a log."""
        return IntercodeSandboxConfig(**config)

    @classmethod
    async def task_init(cls, task_name: str, config: SandboxEnvironmentConfigType | None) -> None:
        """Refuse what cannot be had, before any sample; build the image."""
        asked = read_config(config)
        session = await open_in_thread(_start, asked)
        await _close(session)

    @classmethod
    async def sample_init(
        cls, task_name: str, config: SandboxEnvironmentConfigType | None, metadata: dict[str, str]
    ) -> dict[str, SandboxEnvironment]:
        """Return a fresh session, called `default`."""
        asked = read_config(config)
        with _unavailable():
            environment = cls(await open_in_thread(_start, asked), asked)
        return {"default": environment}

    @classmethod
    async def sample_cleanup(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,
    ) -> None:
        """End the sample's session and all that runs in it."""
        for environment in environments.values():
            await _close(environment.as_type(cls).session)


class _CommandTimeoutError(TimeoutError):
    """What Inspect reads of a time-out: the output until then, under this name."""

    def __init__(self, message: str, output: str) -> None:
        super().__init__(message)
        self.truncated_output = output


def _start(config: IntercodeSandboxConfig) -> Session:
    limits = config.limits(SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE)
    session = shared_sandbox(config.sandbox).start(config.find_image(), limits=limits)
    try:
        session.run(["/bin/mkdir", "-p", config.workdir or session.image.workdir])
    except MachineError:
        session.close()
        raise
    return session


async def _close(session: Session) -> None:
    """Also where the caller is cancelled."""
    with anyio.CancelScope(shield=True):
        await in_thread(session.close)


def _exec_result(cmd: list[str], result: Result, timeout: float | None, note: str) -> ExecResult[str]:
    """Return *result* with a *note* as Inspect has it; raises what it wants raised."""
    errors = result.errors.decode("utf-8", "replace") + note
    if result.timed_out:
        raise _CommandTimeoutError(
            f"{cmd[0]!r} was killed after {timeout if timeout is not None else result.seconds:g} s",
            result.text + errors,
        )
    if result.truncated:
        raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE_STR, result.text)
    if result.exit_code == 126 and errors == f"{cmd[0]}: Permission denied\n":
        raise PermissionError(errors.strip())
    return ExecResult(result.exit_code == 0, result.exit_code, result.text, errors)
