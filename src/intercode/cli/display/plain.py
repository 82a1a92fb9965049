"""Progress in lines, where there is no terminal to draw on."""

from __future__ import annotations

import sys
import time

from intercode.cli.display.progress import ProgressCounter, clock
from intercode.runs.episode_record import Key

EVERY = 2.0
"""Seconds between two lines, at least."""


class PlainProgress(ProgressCounter):
    """A line now and then, one for each error, and one at the end."""

    def __init__(self, good: str = "succeeded") -> None:
        super().__init__(good)
        self._last = 0.0

    def on_episode_end(self, episode: Key, success: bool | None, error: str) -> None:
        """See `ProgressCallback`."""
        super().on_episode_end(episode, success, error)
        if error and self.is_news(error):
            self.on_message(f"{episode[0]}: {error}")
        with self.lock:
            due = time.monotonic() - self._last >= EVERY or self.finished == self.total
            self._last = time.monotonic() if due else self._last
        if due:
            figures = ", ".join([self.counts, *self.figures])
            self.on_message(f"{figures}; elapsed {clock(self.seconds)}, remaining {clock(self.left)}")
        if self.finished == self.total and self.kinds:
            self.on_message(self.by_kind)

    def on_message(self, message: str) -> None:
        """See `ProgressCallback`."""
        _say(message)


class QuietProgress(ProgressCounter):
    """Nothing but what a person must know."""

    def on_message(self, message: str) -> None:
        """See `ProgressCallback`."""
        _say(message)


def _say(message: str) -> None:
    """In one piece: others may speak at the same time."""
    sys.stderr.write(f"{message}\n")
    sys.stderr.flush()
