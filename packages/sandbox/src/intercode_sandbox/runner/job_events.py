"""What one thread tells another that waits for a job: that it has ended, and what it has printed."""

from __future__ import annotations

import os

from intercode_sandbox.runner.protocol import RunnerReply

_NONE = -1


class JobEvents:
    """An event for each job that somebody waits for. The caller holds the channel's lock."""

    def __init__(self) -> None:
        self._events: dict[int, int] = {}
        self._spare: list[int] = []
        self._woken: set[int] = set()
        self._outputs: dict[int, bytes | int] = {}
        """What jobs have printed where process 1 held that: all of it, or a descriptor to read it from."""

    def add(self, job: int) -> None:
        """Somebody will wait for *job*, and `forget` it in the end."""
        self._events[job] = _NONE

    def descriptor(self, job: int) -> int:
        """Return what can be read once *job* was woken; made when somebody first asks, since most jobs end before."""
        if self._events[job] == _NONE:
            event = self._spare.pop() if self._spare else os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
            self._events[job] = event
            if job in self._woken:
                os.eventfd_write(event, 1)
        return self._events[job]

    def wake(self, job: int) -> None:
        """Wake who waits for *job*, if anybody does."""
        if job in self._events and job not in self._woken:
            self._woken.add(job)
            if self._events[job] != _NONE:
                os.eventfd_write(self._events[job], 1)

    def wake_all(self) -> None:
        """Wake everybody."""
        for job in list(self._events):
            self.wake(job)

    def note_output(self, reply: RunnerReply) -> RunnerReply:
        """Keep what comes of a job's output for who waits for that job; the reply less the descriptor that is kept."""
        job = reply.id
        if job not in self._events or job in self._outputs or not (reply.output or reply.descriptors):
            return reply
        if not reply.descriptors:
            self._outputs[job] = reply.output
            return reply
        self._outputs[job] = reply.descriptors[0]
        return reply._replace(descriptors=reply.descriptors[1:])

    def has_output(self, job: int) -> bool:
        """Return whether something has come of what *job* prints that nobody has taken."""
        return job in self._outputs

    def take_output(self, job: int) -> bytes | int | None:
        """Return what has come: all that *job* has printed, or a descriptor; None for nothing.

        The job can be woken again.
        """
        self._settle(job)
        return self._outputs.pop(job, None)

    def _settle(self, job: int) -> None:
        if job in self._woken:
            self._woken.discard(job)
            if self._events[job] != _NONE:
                os.eventfd_read(self._events[job])

    def forget(self, job: int, *, keep: bool) -> None:
        """Nobody waits for *job* any more. *keep*: its event is for another job."""
        if job not in self._events:
            return
        output = self.take_output(job)
        if isinstance(output, int):
            os.close(output)
        event = self._events.pop(job)
        if event == _NONE:
            return
        if keep:
            self._spare.append(event)
        else:
            os.close(event)

    def close(self) -> None:
        """Let go of those that nobody uses."""
        while self._spare:
            os.close(self._spare.pop())
