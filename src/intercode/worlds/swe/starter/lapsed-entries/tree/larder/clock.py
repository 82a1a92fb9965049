"""Where the time comes from; tests bring their own."""

import time


class Clock:
    """The machine's own clock, which never goes back."""

    def now(self):
        return time.monotonic()


class ManualClock(Clock):
    """A clock that stands still until it is told."""

    def __init__(self, start=0.0):
        self._now = start

    def now(self):
        return self._now

    def advance(self, seconds):
        if seconds < 0:
            raise ValueError("time goes one way")
        self._now += seconds
