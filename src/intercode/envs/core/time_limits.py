"""How long an action and an episode may take."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod


class TimeLimits(ABC):
    """The part of `Env` that knows the time. All times are in seconds, wall-clock."""

    seconds: float | None
    """What bounds each action; None where only the session does."""

    episode_seconds: float | None
    """When an episode is truncated, from its reset; None for never."""

    _began: float
    """When the episode began, on the monotonic clock."""

    _allowed: float = math.inf
    """What the caller, or the end of the episode, leaves the action that is being taken."""

    @property
    def elapsed(self) -> float:
        """Since the episode began. Replays set it to what it was."""
        return time.monotonic() - self._began

    @elapsed.setter
    def elapsed(self, seconds: float) -> None:
        self._began = time.monotonic() - seconds

    @property
    def seconds_left(self) -> float:
        """Until the episode is truncated for its time; 0 when that is over, infinity where none is set."""
        return math.inf if self.episode_seconds is None else max(0.0, self.episode_seconds - self.elapsed)

    @property
    def action_seconds(self) -> float:
        """What the action that is being taken may take: worlds that run it hold to this."""
        return min(self.limit_seconds, self._allowed)

    @property
    @abstractmethod
    def limit_seconds(self) -> float:
        """What any action may take."""

    def _allow(self, seconds: float | None) -> None:
        """The next action may take *seconds*, and no more than the environment or the episode leaves it."""
        own = math.inf if self.seconds is None else self.seconds
        self._allowed = min(math.inf if seconds is None else seconds, own, self.seconds_left)
