"""By which one thread wakes another that waits for the end of a job."""

from __future__ import annotations

import os


class JobEvents:
    """An event for each job that somebody waits for. The caller holds the channel's lock."""

    def __init__(self) -> None:
        self._events: dict[int, int] = {}
        self._spare: list[int] = []
        self._woken: set[int] = set()

    def add(self, job: int) -> None:
        """Somebody will wait for *job*, and `forget` it in the end."""
        self._events[job] = self._spare.pop() if self._spare else os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)

    def is_awaited(self, job: int) -> bool:
        """Whether somebody waits for *job*."""
        return job in self._events

    def descriptor(self, job: int) -> int:
        """What can be read once *job* was woken."""
        return self._events[job]

    def wake(self, job: int) -> None:
        """Wake who waits for *job*, if anybody does."""
        if job in self._events and job not in self._woken:
            self._woken.add(job)
            os.eventfd_write(self._events[job], 1)

    def wake_all(self) -> None:
        """Wake everybody."""
        for job in list(self._events):
            self.wake(job)

    def forget(self, job: int, *, keep: bool) -> None:
        """Nobody waits for *job* any more. *keep*: its event is for another job."""
        event = self._events.pop(job, None)
        if event is None:
            return
        if job in self._woken:
            self._woken.discard(job)
            os.eventfd_read(event)
        if keep:
            self._spare.append(event)
        else:
            os.close(event)

    def close(self) -> None:
        """Let go of those that nobody uses."""
        while self._spare:
            os.close(self._spare.pop())
