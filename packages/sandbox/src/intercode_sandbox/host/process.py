"""Commands on this machine: started, fed, read, ended."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import IO

from intercode_sandbox.host.output_collector import BLOCK, OutputBuffer, collect
from intercode_sandbox.sandbox import Process, Result
from intercode_sandbox.util.polling import readable

PATIENCE = 2.0
"""Seconds in which killed processes must be gone."""

IN_SHELL = 'cd -- "$0" || exit 126; exec env -i -- "$@"'


def shell_command(argv: Sequence[str], cwd: str, env: Mapping[str, str]) -> list[str]:
    """Return *argv* in the folder *cwd* with nothing but *env*, as a command for a session's own shell.

    For sandboxes that start programs by one of their own (`nsenter`, `docker exec`), which has other ways to fail.
    """
    program = argv if "=" not in argv[0] else ["/bin/sh", "-c", 'exec "$0" "$@"', *argv]
    return ["/bin/sh", "-c", IN_SHELL, cwd, *(f"{name}={value}" for name, value in env.items()), *program]


def start_with_pipes(
    argv: Sequence[str], *, env: Mapping[str, str], cwd: str = "/", separate: bool = False,
    pass_fds: Sequence[int] = (), stdin: int = subprocess.PIPE,
) -> subprocess.Popen[bytes]:  # fmt: skip
    """Start *argv* on this machine, in a session of its own, with pipes to it; *stdin* stands in for one.

    Raises:
        OSError: As `exec` raises it.
    """
    pipe = subprocess.PIPE
    errors = pipe if separate else subprocess.STDOUT
    return subprocess.Popen(
        list(argv), cwd=cwd, env=dict(env), stdin=stdin, stdout=pipe, stderr=errors, start_new_session=True,
        pass_fds=pass_fds,
    )  # fmt: skip


class HostProcess(Process):
    """A running command and the pipes to it; *stop* kills what it has started, wherever that went.

    *place* is a pipe that tells, when it has ended, in which folder of this machine; negative where nobody does.
    """

    def __init__(self, popen: subprocess.Popen[bytes], stop: Callable[[], None], *, place: int = -1) -> None:
        self.popen = popen
        self._stop, self._place = stop, place

    def finish(
        self, stdin: bytes, *, seconds: float, limit: int, on_output: Callable[[bytes], None] | None = None
    ) -> Result:
        """Feed it *stdin*, wait for its end, and tell what it did; after *seconds* it is killed."""
        started = time.monotonic()
        output, errors = OutputBuffer(limit, on_output), OutputBuffer(limit)
        pipes = (self.popen.stdout, self.popen.stderr)
        streams = {
            pipe.fileno(): buffer for pipe, buffer in zip(pipes, (output, errors), strict=True) if pipe is not None
        }
        try:
            timed_out = collect(self.popen, stdin, seconds=seconds, streams=streams)
            cwd = "" if timed_out or self._place < 0 else os.fsdecode(os.read(self._place, BLOCK))
        finally:
            if self.exit_code is None:
                self.close()
            self._close_pipes()
        return Result(
            exit_code_of(self.popen.returncode),
            bytes(output.data),
            bytes(errors.data),
            timed_out=timed_out,
            truncated=output.total > len(output.data),
            seconds=time.monotonic() - started,
            output_bytes=output.total,
            cwd=cwd,
        )

    def send(self, data: bytes) -> None:
        assert self.popen.stdin is not None
        self.popen.stdin.write(data)
        self.popen.stdin.flush()

    def receive(self, timeout: float) -> bytes:
        assert self.popen.stdout is not None
        pipe = self.popen.stdout.fileno()
        return os.read(pipe, BLOCK) if readable(pipe, timeout) else b""

    def signal(self, number: int) -> None:
        if self.exit_code is None:
            os.killpg(self.popen.pid, number)

    @property
    def exit_code(self) -> int | None:
        code = self.popen.poll()
        return None if code is None else exit_code_of(code)

    def close(self) -> None:
        self.popen.kill()
        self._stop()
        self.popen.wait()
        self._close_pipes()

    def _close_pipes(self) -> None:
        for pipe in (self.popen.stdin, self.popen.stdout, self.popen.stderr):
            if pipe is not None:
                _close(pipe)
        if self._place >= 0:
            os.close(self._place)
            self._place = -1


def process_ids() -> list[int]:
    """Return all processes that can be seen from here, but this one."""
    return [int(entry) for entry in os.listdir("/proc") if entry.isdecimal() and int(entry) != os.getpid()]


def session_of(pid: int) -> int:
    """Return the number of the session that a process belongs to; 0 where it has ended."""
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return 0


def send_signal(pids: Sequence[int], number: int) -> None:
    """Send a signal to each that is still there."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def kill_all(find: Callable[[], Sequence[int]]) -> None:
    """Kill every process that *find* tells, and those that they start while this goes on."""
    end = time.monotonic() + PATIENCE
    while (found := find()) and time.monotonic() < end:
        send_signal(found, signal.SIGKILL)
        time.sleep(0.001)


def exit_code_of(returncode: int) -> int:
    """Return a shell's exit code for what `Popen.returncode` says."""
    return returncode if returncode >= 0 else 128 - returncode


def _close(pipe: IO[bytes]) -> None:
    try:
        pipe.close()
    except BrokenPipeError:  # what was still buffered has no reader
        return
