"""The host's end of a session: orders to its process 1, and what comes back."""

from __future__ import annotations

import errno
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Mapping, Sequence

from intercode_sandbox.deadline import ProcessorUse
from intercode_sandbox.errors import SandboxError, SandboxGoneError, SessionLostError
from intercode_sandbox.runner import protocol
from intercode_sandbox.runner.job_events import JobEvents
from intercode_sandbox.runner.pipes import file_of, make_pipe
from intercode_sandbox.util.closing import HomeProcess
from intercode_sandbox.util.polling import readable

ANSWER_SECONDS = 10.0
SHORT_SECONDS = 0.01
"""How long a command may run before others are served that use the same session, and pipes are read as it prints."""


def _nobody_knows() -> bool:
    return False


class Channel:
    """Threads hold `lock` around each exchange. Everything raises SandboxGoneError once process 1 has given way.

    Who waits for the end of a job polls `descriptor` and an event of its own: the answer that tells of it may be taken
    by another thread, which then sets that event.

    A loss is a SessionLostError, and the doing of what ran in the session, where `is_sandbox_sound` says yes.
    """

    def __init__(self, connection: socket.socket, image: str, owner: int) -> None:
        self.lock = threading.RLock()
        self.home = HomeProcess()
        self.closed = False
        self.is_sandbox_sound = _nobody_knows
        """Whether a fresh session works; asked once, when process 1 has died or does not do what it is told."""

        self.quiet = True
        """Whether no process is left but process 1: then nothing in the session changes until it is told to."""

        self.version = protocol.NO_VERSION
        """Where it is quiet: what stays the same while nothing in the upper layer changes, if process 1 can tell."""

        self.writes = 0
        """How often the host has written to a file of it."""

        self._listing: bytes | None = None
        self._listed_at = 0
        self._waits_briefly = False
        self._loss: tuple[type[SandboxGoneError], str] | None = None
        self.connection = connection
        """Where answers come from; only for who waits for the first of them."""

        self._image = image
        self._owner = owner
        self._jobs = self._opens = 0
        self._running: set[int] = set()
        self._ended: dict[int, protocol.JobEnding] = {}
        self._events = JobEvents()

    @property
    def descriptor(self) -> int:
        """Return what to poll for answers; negative once it is closed."""
        return self.connection.fileno()

    def send(self, message: bytes, descriptors: Sequence[int] = ()) -> None:
        """Send one order."""
        self.home.check(self)
        if self.closed:
            raise SandboxError("this session is closed; start another")
        try:
            protocol.send(self.connection, message, descriptors)
        except SandboxError as error:
            raise self.lost() from error

    def take(self, waiter: int = 0, *, wait: bool = True, brief: bool = False) -> protocol.RunnerReply | None:
        """Return the next answer; ends of jobs are noted besides. None where none is there and it shall not *wait*.

        *waiter*: the job whose end the caller waits for: nobody else need be woken for that. *brief*: None, too, where
        none comes within the channel's time-out.
        """
        try:
            reply = protocol.receive(self.connection, wait=wait)
        except OSError as error:
            if (not wait and isinstance(error, BlockingIOError)) or (brief and isinstance(error, TimeoutError)):
                return None
            raise self.lost(cause=error) from error
        if reply is None:
            raise self.lost()
        if reply.kind == "F":
            raise self.lost(f"failed: {reply.text}")
        if reply.kind in "EX" and reply.id in self._running:  # what cannot be executed says X, then ends
            self._running.discard(reply.id)
            self._ended[reply.id] = protocol.JobEnding(reply.status, reply.folder, reply.usage)
            if reply.id != waiter:
                self._events.wake(reply.id)
        if reply.kind == "E":
            self.quiet = reply.quiet and not self._running
            self.version = reply.version if self.quiet else protocol.NO_VERSION
            self._listing = reply.listing if self.quiet else None
        if reply.kind == "D" and reply.id != waiter:
            self._events.wake(reply.id)
        return self._events.note_output(reply) if reply.kind in "DE" else reply

    @property
    def listing(self) -> bytes | None:
        """Where it is quiet: what is in the upper layer, if process 1 has said so and the host has not written since.

        Whether what it wrote while the last job ran is in there nobody knows.
        """
        return self._listing if self.writes == self._listed_at else None

    def look_for(self, job: int) -> None:
        """Take what has come by now, until it tells of *job*."""
        with self.lock:
            while not self._has_news(job) and (reply := self.take(job, wait=False)) is not None:
                for descriptor in reply.descriptors:  # of an order whose sender was interrupted
                    os.close(descriptor)

    def wait_briefly(self, job: int) -> bool:
        """Wait for the end of *job*, while nobody else is served: for `SHORT_SECONDS` at most. Whether it has come."""
        with self.lock:
            if not self._waits_briefly:
                protocol.limit_receiving(self.connection, SHORT_SECONDS)
                self._waits_briefly = True
            while not self._has_news(job):
                reply = self.take(job, brief=True)
                if reply is None:
                    return False
                for descriptor in reply.descriptors:  # of an order whose sender was interrupted
                    os.close(descriptor)
            return job in self._ended

    def _has_news(self, job: int) -> bool:
        """Return whether *job* has ended, or what it prints is there to be read."""
        return job in self._ended or self._events.has_output(job)

    def lost(self, how: str = "died (its process 1 is gone)", *, cause: OSError | None = None) -> SandboxGoneError:
        """Return what to raise when the session gives way, or this process lacks what it needs (*cause*).

        It is over then.
        """
        self._disconnect()
        if self._loss is None:
            text = f"a session of image {self._image!r} {how}"
            if cause is not None and cause.errno in protocol.OUT_OF_RESOURCES:
                lack = f"{cause.strerror}, for this process: `ulimit -a` shows what it may have"
                self._loss = SandboxGoneError, f"a session of image {self._image!r} is lost: {lack}"
            elif self.is_sandbox_sound():
                self._loss = SessionLostError, f"{text}, of what ran in it: a fresh session works"
            else:
                self._loss = SandboxGoneError, f"{text}; start another"
        kind, text = self._loss
        return kind(text)

    def has_answer(self, seconds: float) -> bool:
        """Return whether there is something to `take` within so many seconds."""
        if self.descriptor < 0:
            raise self.lost()
        return readable(self.descriptor, seconds)

    def ask(self, message: bytes, answer: str, number: int = 0) -> protocol.RunnerReply:
        """Send an order and wait for an answer of that kind and *number*.

        An answer of another number is to an order whose sender was interrupted before it came.

        Raises:
            SandboxGoneError: If none comes.
        """
        self.send(message)
        until = time.monotonic() + ANSWER_SECONDS
        while self.has_answer(until - time.monotonic()):
            reply = self.take()
            assert reply is not None  # it has waited
            if reply.kind == answer and reply.id == number:
                return reply
            for descriptor in reply.descriptors:
                os.close(descriptor)
        raise self.lost(f"did not answer within {ANSWER_SECONDS:.0f} s")

    def pipe(self, *, for_all: bool = False) -> tuple[int, int]:
        """Return both ends of a new pipe, which belongs to the session's root: `> /dev/stderr` opens it anew.

        *for_all*: the session's other users may do so as well.
        """
        return make_pipe(None if for_all else self._owner)

    def start_job(
        self, argv: Sequence[str], cwd: str, env: Mapping[str, str], streams: Sequence[int], *, identity: str = "",
        wakes: bool = False,
    ) -> int:  # fmt: skip
        """Have *argv* executed with *streams* ([stdin,] [stdout, stderr]); the job's number.

        Without stdout and stderr process 1 holds what is printed to both, for `take_output`.
        *wakes*: its end sets an event, `event`, which somebody has to `forget_job` in the end.
        """
        strings = protocol.command_strings(argv, cwd, env, identity)
        has_input, is_held = len(streams) % 2, protocol.HELD * (len(streams) < 2)
        if len(strings) <= protocol.STRINGS_LIMIT:
            return self._send_job((len(argv), len(env), has_input, is_held), strings, streams, wakes=wakes)
        with file_of(strings) as file:
            counts = (len(argv), len(env), has_input, is_held | protocol.IN_FILE)
            return self._send_job(counts, b"", [*streams, file], wakes=wakes)

    def _send_job(
        self, counts: tuple[int, int, int, int], strings: bytes, descriptors: Sequence[int], *, wakes: bool
    ) -> int:
        with self.lock:
            self._jobs += 1
            self.quiet, self.version = False, protocol.NO_VERSION
            self._listing, self._listed_at = None, self.writes
            self.send(protocol.order("X", self._jobs, *counts, strings), descriptors)
            self._running.add(self._jobs)
            if wakes:
                self._events.add(self._jobs)
            return self._jobs

    def event(self, job: int) -> int:
        """The descriptor that can be read once another thread has learnt that *job* has ended, or that all is lost."""
        with self.lock:
            return self._events.descriptor(job)

    def forget_job(self, job: int) -> None:
        """Nobody waits for that job any more."""
        with self.lock:
            self._events.forget(job, keep=not self.closed)

    def take_output(self, job: int) -> bytes | int | None:
        """Return what process 1 has sent of what it held of a job's output: all of it, or a descriptor.

        None for nothing.
        """
        with self.lock:
            return self._events.take_output(job)

    def has_ended(self, job: int) -> bool:
        """Return whether the end of a job has been noted by now."""
        return job in self._ended

    def ending(self, job: int) -> protocol.JobEnding:
        """Return how a job has ended, once."""
        return self._ended.pop(job)

    def kill_job(self, job: int) -> None:
        """Kill a job and all that it started."""
        self.send(protocol.order("K", job))

    def kill_jobs(self) -> None:
        """Kill all jobs and what they started, without the lock: whoever waits for one of them holds it."""
        for job in self._running.copy():
            self.kill_job(job)

    def signal_job(self, job: int, number: int) -> None:
        """Send a signal to a job's process group."""
        self.send(protocol.order("I", job, number))

    def interrupt_jobs(self) -> None:
        """Send SIGINT to the process groups of all jobs, without the lock, as `kill_jobs`."""
        for job in self._running.copy():
            self.signal_job(job, signal.SIGINT)

    def kill_all(self) -> None:
        """Kill every process of the session; they are dead when this returns."""
        self.ask(protocol.order("K"), "K")
        self.quiet = not self._running

    def stop_all(self) -> None:
        """Stop every process of the session; none runs any more when this returns.

        Raises:
            SandboxGoneError: If they will not stand still, or process 1 has given way.
        """
        if moving := self.ask(protocol.order("S"), "K").status:
            raise self.lost(f"does not stand still: {moving} of its threads run on, whatever is done")

    def continue_all(self) -> None:
        """Let all of them go on."""
        self.send(protocol.order("C"))

    def processor_use(self) -> ProcessorUse:
        """Return how much its processes have worked so far, and how many of their threads want a processor."""
        self._opens += 1
        reply = self.ask(protocol.order("W", self._opens), "W", self._opens)
        return ProcessorUse(int.from_bytes(reply.version[:8], sys.byteorder) / 1e6, reply.status)

    @property
    def jobs(self) -> int:
        """Return how many jobs have been started."""
        return self._jobs

    def open(self, where: int, path: str, flags: int, *, mode: int = 0, parents: bool = False) -> int:
        """Have a file opened: 0 as the session's programs see it, 1 in the upper layer, 2 + i in lower layer i."""
        name = os.fsencode(path)
        if b"\0" in name:
            raise OSError(errno.EINVAL, "a path cannot hold a NUL byte", path)
        if len(name) > 4095:
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG), path)
        self._opens += 1
        order = protocol.order("O", self._opens, where, flags, mode, int(parents), name + b"\0")
        reply = self.ask(order, "O", self._opens)
        if reply.status < 0:
            raise OSError(-reply.status, os.strerror(-reply.status), path)
        return reply.descriptors[0]

    def listen(self, port: int, backlog: int) -> socket.socket:
        """Have a TCP socket made that listens on *port* of the session's loopback device.

        Port 0: one of the session's network that is not connected.

        Raises:
            OSError: If there can be none, as where the port is taken.
        """
        self._opens += 1
        reply = self.ask(protocol.order("L", self._opens, port, backlog), "L", self._opens)
        if reply.status < 0:
            raise OSError(-reply.status, os.strerror(-reply.status))
        return socket.socket(fileno=reply.descriptors[0])

    def is_pristine(self) -> bool:
        """Return whether all but files is as it was before the first job: /dev, and what is shared in memory."""
        self._opens += 1
        return self.ask(protocol.order("P", self._opens), "P", self._opens).status == 1

    def close(self) -> None:
        """Let go; process 1 ends then, and with it the session."""
        self.closed, self.is_sandbox_sound = True, _nobody_knows
        self._disconnect()
        self._events.close()

    def _disconnect(self) -> None:
        self.connection.close()
        self._events.wake_all()
