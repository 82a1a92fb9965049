"""A session of the embedded sandbox, as the host holds it: a socket to its process 1 and its upper layer."""

from __future__ import annotations

import os
import select
import socket
import stat
import threading
import time
from collections.abc import Callable, Mapping, Sequence

from intercode.errors import SandboxError, SandboxGone
from intercode.sandboxes.base import Change, Limits, Process, Result, Session, Snapshot
from intercode.sandboxes.bubblewrap import wire
from intercode.sandboxes.bubblewrap.identity import Identity
from intercode.sandboxes.bubblewrap.memory import MemoryGroup
from intercode.sandboxes.bubblewrap.scratch import Scratch
from intercode.sandboxes.bubblewrap.supervisor import Supervisor, receive_or_fail
from intercode.sandboxes.bubblewrap.walk import Walker
from intercode.sandboxes.images import Image

DRAIN_SECONDS = 0.05
"""How long to wait for output that a background child may still print after the command itself has ended."""

KILL_SECONDS = 10.0
_CHUNK = 1 << 16


class EmbeddedSnapshot(Snapshot):
    """A copy of an upper layer in memory, held by nothing but this descriptor."""

    def __init__(self, descriptor: int, image: Image, release: Callable[[], None]) -> None:
        self.descriptor = descriptor
        self.image = image
        self._release = release

    def close(self) -> None:
        """Give the memory back."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1
            self._release()

    def __del__(self) -> None:
        self.close()


class EmbeddedSession(Session):
    """See `Session`. Calls from several threads are done one after the other."""

    def __init__(
        self, image: Image, limits: Limits, supervisor: Supervisor, channel: socket.socket, group: MemoryGroup | None,
        who: Identity, stamps: dict[int, int], lowers: Sequence[tuple[int, int]], scratch: Scratch | None,
    ) -> None:  # fmt: skip
        self.image = image
        self.limits = limits
        self._supervisor = supervisor
        self._channel = channel
        self._group = group
        self._who = who
        self._stamps = stamps
        self._lowers = lowers
        self._scratch = scratch
        self._lock = threading.RLock()
        self._jobs = 0
        self._ended: dict[int, int] = {}
        self._upper = -1
        self._closed = False
        self.on_close: Callable[[], None] | None = None
        self._begin()

    def _begin(self) -> None:
        try:
            hello = receive_or_fail(self._channel, "U", f"starting a session of image {self.image.name!r}")
            self._upper = hello.descriptors[0]
            if self._group is not None:
                self._group.add(hello.pid)
            receive_or_fail(self._channel, "R", "starting a session's process 1")
        except BaseException:
            self.close()
            raise

    # ---- running -------------------------------------------------------------------------------------------------

    def run(
        self, argv: Sequence[str], *, cwd: str = "/", env: Mapping[str, str] | None = None, stdin: bytes = b"",
        timeout: float | None = None, separate: bool = False,
    ) -> Result:  # fmt: skip
        """See `Session.run`."""
        with self._lock:
            self._check_open()
            began = time.monotonic()
            run = _Run(self, argv, cwd, self.image.env if env is None else env, stdin, separate)
            try:
                return run.wait(began, self.limits.seconds if timeout is None else timeout)
            finally:
                run.close()

    def open(self, argv: Sequence[str], *, cwd: str = "/", env: Mapping[str, str] | None = None) -> Process:
        """See `Session.open`."""
        with self._lock:
            self._check_open()
            return EmbeddedProcess(self, argv, cwd, self.image.env if env is None else env)

    def start_job(self, argv: Sequence[str], cwd: str, env: Mapping[str, str], streams: Sequence[int]) -> int:
        """Have the runner execute *argv* with *streams* ([stdin,] stdout, stderr); the job's number."""
        self._jobs += 1
        message = wire.execute(self._jobs, argv, cwd, env, stdin=len(streams) == 3)
        self._send(message, streams)
        return self._jobs

    def ended(self, job: int, timeout: float) -> int | None:
        """The job's wait status (see `_Run` for values over 65535) if it ended within *timeout* seconds."""
        until = time.monotonic() + timeout
        while job not in self._ended:
            if not select_readable(self._channel.fileno(), max(0.0, until - time.monotonic())):
                return None
            self._take_reply()
        return self._ended[job]

    def _take_reply(self) -> wire.Reply:
        reply = wire.receive(self._channel)
        if reply is None:
            self._channel.close()
            raise SandboxGone(f"a session of image {self.image.name!r} died (its process 1 is gone)")
        if reply.kind == "E":
            self._ended[reply.id] = reply.status
        elif reply.kind == "X":
            self._ended[reply.id] = reply.status  # negative: could not be executed
        elif reply.kind == "F":
            raise SandboxError(f"the session's process 1 failed: {reply.text}")
        return reply

    def _await(self, kind: str, seconds: float = KILL_SECONDS) -> wire.Reply:
        until = time.monotonic() + seconds
        while select_readable(self._channel.fileno(), max(0.0, until - time.monotonic())):
            reply = self._take_reply()
            if reply.kind == kind:
                return reply
        raise SandboxError(f"the session's process 1 did not answer within {seconds:.0f} s")

    def _send(self, message: bytes, descriptors: Sequence[int] = ()) -> None:
        self._check_open()
        try:
            wire.send(self._channel, message, descriptors)
        except SandboxError as error:
            raise SandboxGone(f"a session of image {self.image.name!r} died (its process 1 is gone)") from error

    def _check_open(self) -> None:
        if self._closed:
            raise SandboxError("this session is closed; start another")
        if self._channel.fileno() < 0:
            raise SandboxGone("this session has died; start another")

    def kill_job(self, job: int) -> None:
        """Kill a job and all that it started."""
        self._send(wire.order("K", job))

    def signal_job(self, job: int, number: int) -> None:
        """Send a signal to a job's process group."""
        self._send(wire.order("I", job, number))

    def kill(self) -> None:
        """See `Session.kill`."""
        with self._lock:
            self._send(wire.order("K"))
            self._await("K")

    # ---- reading and writing -------------------------------------------------------------------------------------

    def _open_inside(self, where: int, path: str, flags: int, *, mode: int = 0, parents: bool = False) -> int:
        name = os.fsencode(path)
        if b"\0" in name or len(name) > 4095:
            raise OSError(36, "no path of a file", path)
        self._send(wire.order("O", 0, where, flags, mode, int(parents), name + b"\0"))
        reply = self._await("O")
        if reply.status < 0:
            raise OSError(-reply.status, os.strerror(-reply.status), path)
        return reply.descriptors[0]

    def read(self, path: str, *, limit: int = 1 << 20) -> bytes:
        """See `Session.read`."""
        with self._lock:
            descriptor = self._open_inside(0, path, os.O_RDONLY)
        with os.fdopen(descriptor, "rb") as file:
            _want_regular(file.fileno(), path)
            return file.read(limit)

    def write(self, path: str, data: bytes, *, mode: int = 0o644) -> None:
        """See `Session.write`."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        with self._lock:
            descriptor = self._open_inside(0, path, flags, mode=mode, parents=True)
        with os.fdopen(descriptor, "wb") as file:
            _want_regular(file.fileno(), path)
            file.write(data)

    def changes(self) -> list[Change]:
        """See `Session.changes`."""
        with self._lock:
            self._check_open()
            walker = Walker(self._open_layer, self._who.user_inside, self._who.group_inside, self._stamps)
            return walker.changes(self._upper, self._lowers)

    def _open_layer(self, layer: int, path: str, flags: int) -> int:
        return self._open_inside(1 + layer, path.lstrip("/"), flags)

    def snapshot(self) -> EmbeddedSnapshot:
        """See `Session.snapshot`."""
        with self._lock:
            self._send(wire.order("S"))
            self._await("K")
            try:
                return self._copy_upper()
            finally:
                self._send(wire.order("C"))

    def _copy_upper(self) -> EmbeddedSnapshot:
        number = self._scratch.take() if self._scratch else 0

        def release() -> None:
            if self._scratch:
                self._scratch.give_back(number)

        try:
            with self._supervisor.request(wire.snapshot_request(number), [self._upper]) as answer:
                copy = receive_or_fail(answer, "U", "taking a snapshot").descriptors[0]
        except BaseException:
            release()
            raise
        return EmbeddedSnapshot(copy, self.image, release)

    # ---- the end -------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """See `Session.close`. Every process is dead when this returns; its mounts go a moment later."""
        with self._lock:
            if self._closed:
                return
            try:
                if self._channel.fileno() >= 0 and self._upper >= 0:
                    self.kill()
            except SandboxError:
                pass  # it has died already, and its processes with it
            finally:
                self._closed = True
                self._channel.close()
                if self._upper >= 0:
                    os.close(self._upper)
        if self.on_close is not None:
            self.on_close()

    @property
    def upper(self) -> int:
        """Descriptor of the upper layer: what differs from the image, as overlayfs keeps it."""
        return self._upper


def select_readable(descriptor: int, seconds: float) -> bool:
    """Whether there is something to read within so many seconds (unlike select, for any descriptor number)."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def _want_regular(descriptor: int, path: str) -> None:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise OSError(22, "not a regular file", path)


class _Run:
    """One command in flight: pipes on this side, a job on the other."""

    def __init__(
        self, session: EmbeddedSession, argv: Sequence[str], cwd: str, env: Mapping[str, str], stdin: bytes, separate: bool
    ) -> None:  # fmt: skip
        self._session = session
        self._argv = argv
        self._cwd = cwd
        self._input = memoryview(stdin)
        self._feed = -1
        output, output_end = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._kept: dict[int, list[bytes]] = {output: []}
        self._sizes = {output: 0}
        self._output = output
        ends = [output_end, output_end]
        if separate:
            errors, ends[1] = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
            self._kept[errors] = []
            self._sizes[errors] = 0
        if stdin:
            feeding, self._feed = os.pipe2(os.O_CLOEXEC)
            os.set_blocking(self._feed, False)
            ends.insert(0, feeding)
        try:
            for end in ends:
                os.set_blocking(end, True)
            self.job = session.start_job(argv, cwd, env, ends)
        except BaseException:
            self.close()
            raise
        finally:
            for end in set(ends):
                os.close(end)

    def wait(self, began: float, timeout: float) -> Result:
        """Read until the command has ended and its output with it, or kill it at the time-out."""
        deadline = began + timeout
        status, timed_out = self._pump(deadline), False
        if status is None:
            timed_out = True
            self._session.kill_job(self.job)
            status = self._pump(time.monotonic() + KILL_SECONDS)
            if status is None:
                raise SandboxError(f"{self._argv[0]!r} could not be killed after its {timeout:g} s were over")
        self._drain()
        return self._result(status, timed_out, time.monotonic() - began)

    def _pump(self, deadline: float) -> int | None:
        """Move bytes until the job has ended: its status, or None at the deadline."""
        session, poll = self._session, select.poll()
        channel = session._channel.fileno()
        poll.register(channel, select.POLLIN)
        for stream in self._kept:
            poll.register(stream, select.POLLIN)
        if self._feed >= 0:
            poll.register(self._feed, select.POLLOUT)
        while self.job not in session._ended:
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            for descriptor, _ in poll.poll(left * 1000 + 1):
                if descriptor == channel:
                    session._take_reply()
                elif descriptor == self._feed:
                    if not self._write_input():
                        poll.unregister(descriptor)
                        self._stop_feeding()
                elif not self._read(descriptor):
                    poll.unregister(descriptor)
        return session._ended.pop(self.job)

    def _drain(self) -> None:
        """Take what is still in the pipes. A background child may hold them open: it is not waited for long."""
        for stream in list(self._kept):
            until = time.monotonic() + DRAIN_SECONDS
            while self._read(stream) and time.monotonic() < until:
                if not select_readable(stream, until - time.monotonic()):
                    break

    def _read(self, stream: int) -> bool:
        """One chunk; False at the end of the stream."""
        try:
            chunk = os.read(stream, _CHUNK)
        except BlockingIOError:
            return True
        room = self._session.limits.output - self._sizes[stream]
        if room > 0 and chunk:
            self._kept[stream].append(chunk[:room])
        self._sizes[stream] += len(chunk)
        return bool(chunk)

    def _write_input(self) -> bool:
        """One chunk of standard input; False when all is written or nobody reads it."""
        try:
            self._input = self._input[os.write(self._feed, self._input[:_CHUNK]) :]
        except BrokenPipeError:
            return False
        return bool(self._input)

    def _stop_feeding(self) -> None:
        if self._feed >= 0:
            os.close(self._feed)
            self._feed = -1

    def _result(self, status: int, timed_out: bool, seconds: float) -> Result:
        streams = [b"".join(chunks) for chunks in self._kept.values()]
        if status < 0:
            streams[-1] += _why_not(-status, self._argv[0], self._cwd)
        return Result(
            exit_code=_exit_code(status),
            output=streams[0],
            errors=streams[1] if len(streams) > 1 else b"",
            timed_out=timed_out,
            truncated=any(size > self._session.limits.output for size in self._sizes.values()),
            seconds=seconds,
            output_bytes=self._sizes[self._output],
        )

    def close(self) -> None:
        """Close this side's pipes."""
        self._stop_feeding()
        for stream in self._kept:
            os.close(stream)
        self._kept = {}


def _exit_code(status: int) -> int:
    """As a shell tells it: 128 + n after signal n, 127 for no such program, 126 for one that cannot be executed."""
    if status < 0:
        return 127 if -status == 2 else 126
    return status >> 8 & 0xFF if status & 0x7F == 0 else 128 + (status & 0x7F)


def _why_not(error: int, program: str, cwd: str) -> bytes:
    culprit = cwd if error & wire.BAD_FOLDER else program
    return os.fsencode(f"{culprit}: {os.strerror(error & ~wire.BAD_FOLDER)}\n")


class EmbeddedProcess(Process):
    """A program that stays (see `Session.open`)."""

    def __init__(self, session: EmbeddedSession, argv: Sequence[str], cwd: str, env: Mapping[str, str]) -> None:
        self._session = session
        feeding, self._feed = os.pipe2(os.O_CLOEXEC)
        self._output, output_end = os.pipe2(os.O_CLOEXEC)
        try:
            self._job = session.start_job(argv, cwd, env, [feeding, output_end, output_end])
        except BaseException:
            os.close(self._feed)
            os.close(self._output)
            raise
        finally:
            os.close(feeding)
            os.close(output_end)
        self._status: int | None = None

    def send(self, data: bytes) -> None:
        """See `Process.send`."""
        while data:
            data = data[os.write(self._feed, data[:_CHUNK]) :]

    def receive(self, timeout: float) -> bytes:
        """See `Process.receive`."""
        return os.read(self._output, _CHUNK) if select_readable(self._output, timeout) else b""

    def signal(self, number: int) -> None:
        """See `Process.signal`."""
        with self._session._lock:
            self._session.signal_job(self._job, number)

    @property
    def exit_code(self) -> int | None:
        """See `Process.exit_code`."""
        if self._status is None:
            with self._session._lock:
                self._status = self._session.ended(self._job, 0.0)
        return None if self._status is None else _exit_code(self._status)

    def close(self) -> None:
        """See `Process.close`."""
        if self._feed < 0:
            return
        try:
            if self.exit_code is None:
                with self._session._lock:
                    self._session.kill_job(self._job)
        except SandboxError:
            pass  # the session has ended, and this with it
        finally:
            os.close(self._feed)
            os.close(self._output)
            self._feed = -1


