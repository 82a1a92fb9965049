"""What is known of a finished episode without its trajectory: its name, its line for the store, and its outcome."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Self

from intercode.trajectories import dumps
from intercode.types import SCORINGS, Scoring, Trajectory

Key = tuple[str, int]
"""An episode's name within a run: task id and repeat, from 0."""


def key_of(episode: Trajectory) -> Key:
    """The name of *episode* within its run."""
    return episode.task.id, episode.repeat


@dataclass(frozen=True, slots=True)
class EpisodeOutcome:
    """What a resumed run needs to know of an episode.

    Attributes:
        is_finished: Whether it need not be played again.
        won: The scorings under which it is a success.
    """

    is_finished: bool
    won: tuple[Scoring, ...]


@dataclass(frozen=True, slots=True)
class EpisodeRecord:
    """A finished episode: its line for the store, and what is counted.

    Attributes:
        task: The task's id.
        repeat: Which try at the task it is, from 0.
        line: The episode as JSON, with its line break.
        won: The scorings under which it is a success. None where nothing was judged.
        error: The machine's error; "" for none.
    """

    task: str
    repeat: int
    line: bytes
    won: tuple[Scoring, ...] | None
    error: str

    @classmethod
    def of(cls, episode: Trajectory) -> Self:
        """The record of *episode*."""
        won = tuple(each for each in SCORINGS if episode.success(each)) if episode.scores is not None else None
        error = (episode.error or "error") if episode.status == "error" else ""
        return cls(episode.task.id, episode.repeat, dumps(episode).encode("ascii") + b"\n", won, error)

    @property
    def key(self) -> Key:
        """Its name within the run."""
        return self.task, self.repeat

    @property
    def outcome(self) -> EpisodeOutcome:
        """What a resumed run needs to know of it."""
        return _shared(not self.error, self.won or ())

    def success(self, scoring: Scoring) -> bool | None:
        """Whether it is a success under *scoring*; None where nothing was judged."""
        return None if self.won is None else scoring in self.won


def outcome_of(episode: Trajectory) -> EpisodeOutcome:
    """The outcome of *episode*. Equal ones are one object, since a run may have a million."""
    return _shared(episode.status != "error", tuple(each for each in SCORINGS if episode.success(each)))


_shared = cache(EpisodeOutcome)
