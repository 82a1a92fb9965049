"""What is known of a finished episode without its trajectory: its name, its line for the store, and its outcome."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Self

from intercode.types import Trajectory
from intercode.types.trajectories import dumps

Key = tuple[str, int]
"""An episode's name within a run: task id and repeat, from 0."""


def key_of(episode: Trajectory) -> Key:
    """Return the name of *episode* within its run."""
    return episode.task.id, episode.repeat


@dataclass(frozen=True, slots=True)
class EpisodeOutcome:
    """What a resumed run needs to know of an episode.

    Attributes:
        is_finished: Whether it need not be played again.
        won: The rewards to which it is a success.
    """

    is_finished: bool
    won: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EpisodeRecord:
    """A finished episode: its line for the store, and what is counted.

    Attributes:
        task: The task's id.
        repeat: Which try at the task it is, from 0.
        line: The episode as JSON, with its line break.
        won: The rewards to which it is a success. None where nothing was judged.
        error: The machine's error; "" for none.
    """

    task: str
    repeat: int
    line: bytes
    won: tuple[str, ...] | None
    error: str

    @classmethod
    def of(cls, episode: Trajectory) -> Self:
        """Return the record of *episode*."""
        won = None if episode.scores is None else _won(episode)
        error = (episode.error or "error") if episode.status == "error" else ""
        return cls(episode.task.id, episode.repeat, dumps(episode).encode("ascii") + b"\n", won, error)

    @property
    def key(self) -> Key:
        """Its name within the run."""
        return self.task, self.repeat

    @property
    def outcome(self) -> EpisodeOutcome:
        """Return what a resumed run needs to know of it."""
        return _shared(not self.error, self.won or ())

    def success(self, scoring: str) -> bool | None:
        """Return whether it is a success under *scoring*; None where nothing was judged."""
        return None if self.won is None else scoring in self.won


def outcome_of(episode: Trajectory) -> EpisodeOutcome:
    """Return the outcome of *episode*. Equal ones are one object, since a run may have a million."""
    return _shared(episode.status != "error", _won(episode))


def _won(episode: Trajectory) -> tuple[str, ...]:
    return tuple(name for name, score in (episode.scores or {}).items() if score.success)


_shared = cache(EpisodeOutcome)
