"""Progress in lines, where there is no terminal to draw on."""

from __future__ import annotations

import sys
import threading
import time

from intercode.cli.display.progress import ProgressCounter, clock
from intercode.runs.episode_record import Key

EVERY = 30.0
"""Seconds after which a line is due."""

STEPS = 10
"""Lines for all the work, where each part of it takes less than that."""


class PlainProgress(ProgressCounter):
    """A line for each tenth of the work and every 30 seconds, one for each kind of error, and one at the end."""

    def __init__(self, good: str = "succeeded") -> None:
        super().__init__(good)
        self._last, self._step = time.monotonic(), 0
        self._closed = threading.Event()
        self._clock = threading.Thread(target=self._tick, daemon=True)

    def on_start(self, total: int, finished: int, successes: int) -> None:
        super().on_start(total, finished, successes)
        self._last, self._step = time.monotonic(), self._steps()
        if not self._clock.is_alive():
            self._clock.start()

    def on_episode_end(self, episode: Key, success: bool | None, error: str) -> None:
        super().on_episode_end(episode, success, error)
        if error and self.is_news(episode, error):
            self.on_message(f"{episode[0]}: {error}")
        self._report()
        if self.finished == self.total and self.kinds:
            self.on_message(self.by_kind)

    def on_message(self, message: str) -> None:
        _say(message)

    def close(self) -> None:
        self._closed.set()

    def _tick(self) -> None:
        """Report while no episode ends, too: one may take long."""
        while not self._closed.wait(max(0.1, self._last + EVERY - time.monotonic())):
            self._report()

    def _report(self) -> None:
        """Print a line, if one is due."""
        with self.lock:
            if self._steps() == self._step and time.monotonic() - self._last < EVERY:
                return
            self._last, self._step = time.monotonic(), self._steps()
            figures, waiting = ", ".join([self.counts, *self.figures]), self.waiting
        time_said = f"elapsed {clock(self.seconds)}, remaining {clock(self.left)}"
        self.on_message("; ".join(filter(None, (figures, time_said, waiting))))

    def _steps(self) -> int:
        return STEPS * self.finished // max(1, self.total)


class QuietProgress(ProgressCounter):
    """Nothing but what a person must know."""

    def on_message(self, message: str) -> None:
        _say(message)


def _say(message: str) -> None:
    """In one piece: others may speak at the same time."""
    sys.stderr.write(f"{message}\n")
    sys.stderr.flush()
