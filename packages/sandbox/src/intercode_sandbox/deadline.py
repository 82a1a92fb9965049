"""The end of what a command may take: by the clock, or where a judge waits by time that nobody else can slow.

An agent's commands end by the clock. A judge's must come to the same end however busy the machine is: for them the time
stands while they wait for a processor that others have.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

PATIENCE = 10.0
"""How much more of the clock than of its own time a judge's command may take: the end of waiting for a processor."""

LOOK = 0.1
"""Seconds between two looks at what a judge's command does."""


@dataclass(frozen=True, slots=True)
class ProcessorUse:
    """What the processes of a session have had of processors.

    Attributes:
        seconds: So much so far, all together, the dead included.
        wanting: How many of their threads run, or would if they had a processor.
    """

    seconds: float
    wanting: int


class Deadline:
    """So many *seconds* from now, by the clock."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Return for how many seconds to wait until this is asked again; 0 or less when time is over."""
        return self._end - time.monotonic()


class ProcessorDeadline(Deadline):
    """So many *seconds* of work, or of idleness, as *look* shows them; at most `PATIENCE` times as many by the clock.

    Time passes as fast as the session's processes work, never faster than the clock, and with the clock while none of
    them wants a processor: who sleeps is not slowed by others.
    """

    def __init__(self, seconds: float, look: Callable[[], ProcessorUse]) -> None:
        super().__init__(seconds * PATIENCE)
        self._look, self._own = look, seconds
        self._seen, self._used = time.monotonic(), -1.0  # most commands end before the first look

    def left(self) -> float:
        passed = time.monotonic() - self._seen
        if passed >= min(LOOK, self._own):
            self._own -= self._spent(passed)
            passed = 0.0
        return min(self._own, max(LOOK - passed, 0.001), super().left())

    def _spent(self, passed: float) -> float:
        """Return what has gone by of the command's own time since the last look, *passed* seconds ago."""
        use = self._look()
        seen = min(passed, 2 * LOOK)  # who looks late, for want of a processor, knows nothing of what was in between
        worked = seen if self._used < 0 else min(use.seconds - self._used, passed)
        self._seen, self._used = time.monotonic(), use.seconds
        return worked if use.wanting else max(worked, seen)
