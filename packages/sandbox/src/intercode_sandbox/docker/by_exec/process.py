"""Commands in a container, by `docker exec`: started, fed, and read by threads, as every system can.

A time limit is kept on this side: whoever is over it is not told from others by the engine, so all of the session goes.
"""

from __future__ import annotations

import queue
import shlex
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import IO, cast

from intercode_sandbox.host.output_collector import BLOCK, OutputBuffer
from intercode_sandbox.sandbox import Process

LONGEST_LINE = 16 << 10
"""Characters of a command that go on a command line: Windows takes 32767. Longer ones go in by standard input."""

FROM_INPUT = 'eval "$(dd bs="$0" count=1 iflag=fullblock 2>/dev/null)"'
ENDING_SECONDS = 10.0
"""For how long a program that was killed may take to end."""


def execution(argv: Sequence[str], env: Mapping[str, str]) -> str:
    """Return shell text that becomes *argv*, with nothing but *env*."""
    program = argv if "=" not in argv[0] else ["/bin/sh", "-c", 'exec "$0" "$@"', *argv]
    return f"exec {shlex.join(['env', '-i', '--', *(f'{name}={value}' for name, value in env.items()), *program])}"


def shell_words(text: str, cwd: str, first: str) -> tuple[list[str], bytes]:
    """Return *text* in the folder *cwd*, for the container's shell; and what to feed it beforehand.

    *first* is shell text that runs before all else.
    """
    script = f"{first}cd -- {shlex.quote(cwd)} || exit 126; {text}"
    if len(script) < LONGEST_LINE and script.isascii():  # Windows has its own idea of other letters
        return ["/bin/sh", "-c", script], b""
    fed = script.encode("utf-8", "surrogateescape")
    return ["/bin/sh", "-c", FROM_INPUT, str(len(fed))], fed


class PipeReader:
    """A thread that keeps what a pipe gives, up to a limit, and counts the rest. *mark*: what it is to begin with.

    `is_marked` is False where it began with something else, which is kept then. *listener* is told all of it; where
    that fails, `failure` says how, and *stop* is called.
    """

    def __init__(
        self, pipe: IO[bytes], limit: int, mark: bytes = b"", *, listener: Callable[[bytes], None] | None = None,
        stop: Callable[[], None] = lambda: None,
    ) -> None:  # fmt: skip
        self.buffer, self.failure = OutputBuffer(limit, self._tell), cast("BaseException | None", None)
        self._listener, self._stop = listener, stop
        self.is_marked = not mark
        self._pipe, self._mark = pipe, mark
        self._thread = threading.Thread(target=self._read, name="intercode-docker-exec", daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with suppress(OSError, ValueError):  # it was closed
            head = self._pipe.read(len(self._mark))
            self.is_marked = head == self._mark
            self.buffer.add(b"" if self.is_marked else head)
            while block := self._pipe.read1(BLOCK):  # type: ignore[attr-defined]
                self.buffer.add(block)

    def _tell(self, block: bytes) -> None:
        if self._listener is None or self.failure is not None:
            return
        try:
            self._listener(block)
        except BaseException as error:  # noqa: BLE001 - it is another thread that is to hear of it
            self.failure = error
            self._stop()

    def wait(self) -> OutputBuffer:
        """Return what it has given by its end."""
        self._thread.join(ENDING_SECONDS)
        return self.buffer


def feed(popen: subprocess.Popen[bytes], data: bytes) -> threading.Thread:
    """Write *data* to a program in the background, and close its standard input."""

    def write() -> None:
        assert popen.stdin is not None
        with suppress(OSError, ValueError):  # it reads no more
            popen.stdin.write(data)
        with suppress(OSError, ValueError):
            popen.stdin.close()

    thread = threading.Thread(target=write, name="intercode-docker-exec", daemon=True)
    thread.start()
    return thread


class DockerExecProcess(Process):
    """A program that runs on, and the `docker exec` that leads to it. The first line that comes out is its id."""

    def __init__(
        self, popen: subprocess.Popen[bytes], fed: bytes, *, send: Callable[[str, int], None], stop: Callable[[], None]
    ) -> None:
        self._popen, self._send, self._stop = popen, send, stop
        self._blocks: queue.Queue[bytes] = queue.Queue(64)
        self._group = ""
        self._closed = False
        assert popen.stdout is not None
        assert popen.stderr is not None
        self._errors = PipeReader(popen.stderr, BLOCK)
        self._thread = threading.Thread(target=self._read, args=(popen.stdout,), daemon=True)
        if fed:
            self.send(fed)
        self._thread.start()

    def _read(self, pipe: IO[bytes]) -> None:
        with suppress(OSError, ValueError):  # it was closed
            self._group = pipe.readline(32).decode("ascii", "replace").strip()
            while (block := pipe.read1(BLOCK)) and not self._closed:  # type: ignore[attr-defined]
                self._put(block)

    def _put(self, block: bytes) -> None:
        while not self._closed:
            with suppress(queue.Full):
                self._blocks.put(block, timeout=0.2)
                return

    def send(self, data: bytes) -> None:
        assert self._popen.stdin is not None
        try:
            self._popen.stdin.write(data)
            self._popen.stdin.flush()
        except OSError as error:  # Windows says it in another way
            raise BrokenPipeError("it no longer reads") from error

    def receive(self, timeout: float) -> bytes:
        end = time.monotonic() + timeout
        while True:
            with suppress(queue.Empty):
                return self._blocks.get(timeout=max(0.0, min(0.05, end - time.monotonic())))
            if time.monotonic() >= end or (not self._thread.is_alive() and self._blocks.empty()):
                return b""

    def signal(self, number: int) -> None:
        if self.exit_code is None and self._group.isdecimal():
            self._send(f"-{self._group}", number)

    @property
    def exit_code(self) -> int | None:
        return self._popen.poll()

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        self._stop()
        self._popen.kill()
        self._popen.wait()
        self._thread.join(ENDING_SECONDS)
        self._errors.wait()
        for pipe in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
            assert pipe is not None
            with suppress(OSError):  # what was still buffered has no reader
                pipe.close()
