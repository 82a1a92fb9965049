"""One command in flight: pipes on this side, a job on the other."""

from __future__ import annotations

import errno
import os
import select
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from threading import Lock

from intercode_sandbox.deadline import Deadline
from intercode_sandbox.errors import SandboxError
from intercode_sandbox.runner.channel import ANSWER_SECONDS, SHORT_SECONDS, Channel
from intercode_sandbox.runner.exit_status import exit_code, why_not
from intercode_sandbox.runner.output_stream import CHUNK, OutputStream
from intercode_sandbox.runner.protocol import JobEnding
from intercode_sandbox.sandbox import Process, Result
from intercode_sandbox.util.polling import readable, writable

DRAIN_SECONDS = 0.05
"""How long to wait for output that a background child may still print after the command itself has ended."""


class ListenerError(Exception):
    """What listens to a command's output has failed, by *cause*."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__(cause)
        self.cause = cause


class RunningCommand:
    """Started when made. `wait` for its result, then `close`."""

    def __init__(
        self, channel: Channel, argv: Sequence[str], cwd: str, env: Mapping[str, str], stdin: bytes, *,
        separate: bool, output_limit: int, identity: str = "", on_output: Callable[[bytes], None] | None = None,
    ) -> None:  # fmt: skip
        self._channel = channel
        self._job = 0
        self._argv, self._cwd = argv, cwd
        self._input, self._feed = memoryview(stdin), -1
        self._began = time.monotonic()
        self._is_held = not separate and not identity and on_output is None
        """Whether process 1 makes the pipe: two, or one that all may open anew or somebody listens to, it does not."""

        ends: list[int] = []
        if self._is_held:
            self._streams = [OutputStream(output_limit)]
        else:
            pipes = [channel.pipe(for_all=bool(identity)) for _ in range(1 + separate)]
            listeners = [_guarded(on_output) if on_output else None, None]
            self._streams = [
                OutputStream(output_limit, pipe[0], listener) for pipe, listener in zip(pipes, listeners, strict=False)
            ]
            ends = [pipes[0][1], pipes[-1][1]]
        if stdin:
            ends.insert(0, self._make_feed(for_all=bool(identity)))
        self._blocks = True
        """Whether reading waits: until somebody may read beside us, where a program opens its end anew."""

        try:
            self._job = channel.start_job(argv, cwd, env, ends, identity=identity, wakes=True)
        except BaseException:
            self.close()
            raise
        finally:
            for end in set(ends):
                os.close(end)

    def _make_feed(self, *, for_all: bool) -> int:
        """Return the command's end of a pipe for its input.

        What any pipe holds is written at once: nobody waits for that.
        """
        end, self._feed = self._channel.pipe(for_all=for_all)
        os.set_blocking(self._feed, False)
        if len(self._input) <= select.PIPE_BUF:
            self._write()
        return end

    def wait(self, deadline: Deadline) -> Result:
        """Read until the command has ended and its output with it, or kill it at the *deadline*."""
        timed_out = not self._pump(deadline)
        if timed_out:
            self._kill()
        if self._is_held:
            self._take_output()
            self._streams[0].is_over |= self._streams[0].descriptor < 0
        self._drain()
        return self._result(self._channel.ending(self._job), timed_out=timed_out)

    def _kill(self) -> None:
        self._channel.kill_job(self._job)
        if self._pump(Deadline(ANSWER_SECONDS)):
            return
        with self._channel.lock:
            self._channel.kill_all()  # something older holds it
            if not self._channel.has_ended(self._job):
                raise self._channel.lost(f"could not be rid of {self._argv[0]!r} after its time was over")

    def kill(self) -> None:
        """Have it killed, without waiting for that."""
        with suppress(SandboxError):  # the session has ended, and this with it
            self._channel.kill_job(self._job)

    def _pump(self, deadline: Deadline) -> bool:
        """Move bytes until the job has ended (True) or the deadline has come.

        What it prints is read when it has ended: most end before a pipe is full, and each wake-up costs. Process 1 says
        when that must be read which it holds. Of other pipes is read as they fill, after `SHORT_SECONDS`.
        """
        if self._channel.has_ended(self._job) or (self._feed < 0 and self._channel.wait_briefly(self._job)):
            return True
        poll = select.poll()
        channel, event = self._channel.descriptor, self._channel.event(self._job)
        if channel < 0:
            raise self._channel.lost()
        poll.register(channel, select.POLLIN)
        poll.register(event, select.POLLIN)
        if self._feed >= 0:
            poll.register(self._feed, select.POLLOUT)
        is_short = time.monotonic() - self._began < SHORT_SECONDS
        self._register_held(poll)
        if not is_short:
            self._register_streams(poll)
        while not self._channel.has_ended(self._job):
            left = deadline.left()
            if left <= 0:
                return False
            ready = poll.poll(min(left, SHORT_SECONDS) * 1000 + 1 if is_short else left * 1000 + 1)
            for descriptor, _ in ready:
                if descriptor in (channel, event):
                    self._channel.look_for(self._job)
                    self._register_held(poll)
                elif not self._move(descriptor):
                    poll.unregister(descriptor)
            if is_short and not ready:
                is_short = False
                self._register_streams(poll)
        return True

    def _register_streams(self, poll: select.poll) -> None:
        self._stop_blocking()
        for stream in self._streams:
            if stream.descriptor >= 0 and not stream.is_over:
                poll.register(stream.descriptor, select.POLLIN)

    def _register_held(self, poll: select.poll) -> None:
        """Read from now on what process 1 no longer holds, though the job goes on."""
        if self._is_held and self._take_output() and not self._channel.has_ended(self._job):
            poll.register(self._streams[0].descriptor, select.POLLIN)

    def _stop_blocking(self) -> None:
        if self._blocks:
            self._blocks = False
            for stream in self._streams:
                stream.stop_blocking()

    def _move(self, descriptor: int) -> bool:
        """Serve one pipe; False when there will be nothing more on it."""
        if descriptor == self._feed:
            return self._write()
        return next(stream for stream in self._streams if stream.descriptor == descriptor).read() != 0

    def _write(self) -> bool:
        try:
            self._input = self._input[os.write(self._feed, self._input[:CHUNK]) :]
        except BrokenPipeError:
            self._input = memoryview(b"")  # nobody reads the rest
        if not self._input:
            self._stop_feeding()
        return bool(self._input)

    def _stop_feeding(self) -> None:
        if self._feed >= 0:
            os.close(self._feed)
            self._feed = -1

    def _take_output(self) -> bool:
        """Take what process 1 has sent: all of the output, or (True) the pipe that it is in."""
        found = self._channel.take_output(self._job)
        if isinstance(found, int):
            self._streams[0].close()  # it has none, unless process 1 sends more than it should
            self._streams[0].descriptor = found
            return True
        if found:
            self._streams[0].add(found)
        return False

    def _drain(self) -> None:
        """Take what is still in the pipes. A background child may hold them open: it is not waited for long.

        Where no process is left, nobody holds them: whoever reads finds what is there, then the end, and never waits.
        That is so of pipes of our own. Of one that process 1 has sent nobody knows what it is.
        """
        if self._channel.quiet and not self._is_held:
            for stream in self._streams:
                while not stream.is_over and stream.read() > 0:
                    pass
            return
        self._stop_blocking()
        for stream in self._streams:
            until = time.monotonic() + DRAIN_SECONDS
            while not stream.is_over and _read_on(stream, until) and time.monotonic() < until:
                pass

    def _result(self, ending: JobEnding, *, timed_out: bool) -> Result:
        status = ending.status
        streams = [stream.data for stream in self._streams]
        if status < 0:
            streams[-1] += why_not(status, self._argv[0], self._cwd)
        return Result(
            exit_code=exit_code(status),
            output=streams[0],
            errors=streams[1] if len(streams) > 1 else b"",
            timed_out=timed_out,
            truncated=any(stream.is_cut for stream in self._streams),
            seconds=time.monotonic() - self._began,
            output_bytes=self._streams[0].size,
            cwd=ending.folder,
            cpu_seconds=ending.usage.seconds,
            peak_memory=ending.usage.memory,
        )

    def close(self) -> None:
        """Close this side's pipes."""
        self._stop_feeding()
        for stream in self._streams:
            stream.close()
        self._channel.forget_job(self._job)


def _guarded(listener: Callable[[bytes], None]) -> Callable[[bytes], None]:
    """Return *listener*, whose errors are told from those of pipes and sessions."""

    def listen(chunk: bytes) -> None:
        try:
            listener(chunk)
        except BaseException as error:
            raise ListenerError(error) from error

    return listen


def _read_on(stream: OutputStream, until: float) -> bool:
    """Read what there is, or comes by then; False where nothing has come."""
    before = stream.size
    stream.read()
    is_there = stream.size > before or stream.is_over
    return is_there or readable(stream.descriptor, until - time.monotonic())


class RunnerProcess(Process):
    """A program that stays (see `Session.open`). Given a descriptor as *stdin*, that is its input, and none of ours."""

    def __init__(
        self, channel: Channel, argv: Sequence[str], cwd: str, env: Mapping[str, str], *, stdin: int | None = None,
        identity: str = "",
    ) -> None:  # fmt: skip
        self._channel = channel
        self._status: int | None = None
        self._pipes, self.closed = Lock(), False  # who closes a session does not close what another thread reads
        feeding, self._feed = channel.pipe(for_all=bool(identity)) if stdin is None else (os.dup(stdin), -1)
        if stdin is None:
            os.set_blocking(self._feed, False)
        self._output, output_end = channel.pipe(for_all=bool(identity))
        try:
            self._job = channel.start_job(argv, cwd, env, [feeding, output_end, output_end], identity=identity)
        except BaseException:
            self._close_pipes()
            raise
        finally:
            os.close(feeding)
            os.close(output_end)

    def send(self, data: bytes) -> None:
        """See `Process.send`. A program that takes nothing for so long that it must be stopped no longer reads."""
        with self._pipes:
            if self._feed < 0:
                raise BrokenPipeError(errno.EPIPE, "its input is closed, or not ours to write to")
            while data:
                if not writable(self._feed, ANSWER_SECONDS):
                    raise BrokenPipeError(errno.EPIPE, f"it has not read its input for {ANSWER_SECONDS:.0f} s")
                with suppress(BlockingIOError):  # the room has gone again
                    data = data[os.write(self._feed, data[:CHUNK]) :]

    def receive(self, timeout: float) -> bytes:
        with self._pipes:
            return os.read(self._output, CHUNK) if not self.closed and readable(self._output, timeout) else b""

    def signal(self, number: int) -> None:
        with self._channel.lock:
            self._channel.signal_job(self._job, number)

    @property
    def exit_code(self) -> int | None:
        with self._channel.lock:
            while self._status is None and not self._channel.has_ended(self._job):
                if self._channel.take(wait=False) is None:
                    return None
            if self._status is None:
                self._status = self._channel.ending(self._job).status
            return exit_code(self._status)

    def close(self) -> None:
        if self.closed:
            return
        try:
            with self._channel.lock:
                if self.exit_code is None:
                    self._channel.kill_job(self._job)
        except SandboxError:
            pass  # the session has ended, and this with it
        finally:
            self._close_pipes()

    def _close_pipes(self) -> None:
        with self._pipes:
            for descriptor in () if self.closed else (self._feed, self._output):
                if descriptor >= 0:
                    os.close(descriptor)
            self.closed, self._feed = True, -1
