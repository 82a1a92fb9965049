"""How long an action may take, and an episode: what bounds each, beside the session that it runs in."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field


@dataclass(slots=True)
class EpisodeClock:
    """Counts an episode's time from its reset, an agent's thinking included. All times are in seconds, wall-clock."""

    seconds: float | None = None
    """What bounds each action; None where only the session does."""

    episode_seconds: float | None = None
    """When an episode is truncated, from its reset; None for never."""

    patience: float = math.inf
    """What bounds each action, and a verifier that a task brings, besides: attacks often end with a time limit."""

    allowed: float = math.inf
    """What the caller, or the end of the episode, leaves the action that is being taken."""

    _began: float = field(default_factory=time.monotonic)
    """When the episode began, on the monotonic clock."""

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

    def allow(self, seconds: float | None) -> None:
        """Let the next action take *seconds*, and no more than the environment or the episode leaves it."""
        own = math.inf if self.seconds is None else self.seconds
        self.allowed = min(math.inf if seconds is None else seconds, own, self.patience, self.seconds_left)
