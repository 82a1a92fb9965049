"""One command on this machine: started, fed, read, ended."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from intercode.polling import readable
from intercode.sandboxes.base import Process, Result
from intercode.sandboxes.plain import leash
from intercode.sandboxes.plain.collect import BLOCK, Kept, collect


class PlainProcess(Process):
    """A running command, on a leash called *name*, and the pipes to it."""

    def __init__(self, popen: subprocess.Popen[bytes], name: str) -> None:
        self.popen = popen
        self._name = name

    @classmethod
    def start(
        cls, argv: Sequence[str], *, name: str, cwd: Path, env: Mapping[str, str], separate: bool = False
    ) -> PlainProcess:
        """Start *argv* in a process group of its own. Raises OSError as `exec` would."""
        with leash.leash(name) as descriptor:
            popen = subprocess.Popen(
                list(argv),
                cwd=cwd,
                env=dict(env),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if separate else subprocess.STDOUT,
                start_new_session=True,
                pass_fds=[descriptor],
            )
        return cls(popen, name)

    def finish(self, stdin: bytes, *, seconds: float, limit: int) -> Result:
        """Feed it *stdin*, wait for its end, and tell what it did; after *seconds* it is killed."""
        started = time.monotonic()
        output, errors = Kept(limit), Kept(limit)
        pipes = (self.popen.stdout, self.popen.stderr)
        streams = {pipe.fileno(): kept for pipe, kept in zip(pipes, (output, errors), strict=True) if pipe is not None}
        try:
            timed_out = collect(self.popen, stdin, seconds=seconds, streams=streams)
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
        )

    def send(self, data: bytes) -> None:
        """See `Process.send`."""
        assert self.popen.stdin is not None
        self.popen.stdin.write(data)
        self.popen.stdin.flush()

    def receive(self, timeout: float) -> bytes:
        """See `Process.receive`."""
        assert self.popen.stdout is not None
        pipe = self.popen.stdout.fileno()
        return os.read(pipe, BLOCK) if readable(pipe, timeout) else b""

    def signal(self, number: int) -> None:
        """See `Process.signal`."""
        if self.exit_code is None:
            os.killpg(self.popen.pid, number)

    @property
    def exit_code(self) -> int | None:
        """See `Process.exit_code`."""
        code = self.popen.poll()
        return None if code is None else exit_code_of(code)

    def close(self) -> None:
        """See `Process.close`."""
        self.popen.kill()
        leash.kill(self._name)
        self.popen.wait()
        self._close_pipes()

    def _close_pipes(self) -> None:
        for pipe in (self.popen.stdin, self.popen.stdout, self.popen.stderr):
            if pipe is not None:
                _close(pipe)


def exit_code_of(returncode: int) -> int:
    """A shell's exit code for what `Popen.returncode` says."""
    return returncode if returncode >= 0 else 128 - returncode


def failure(exit_code: int, message: str) -> Result:
    """The result of a command that could not even be started."""
    output = f"{message}\n".encode("utf-8", "surrogateescape")
    return Result(exit_code, output, output_bytes=len(output))


def _close(pipe: IO[bytes]) -> None:
    try:
        pipe.close()
    except BrokenPipeError:  # what was still buffered has no reader
        return
