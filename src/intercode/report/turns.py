"""Success by turn: what another turn is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from intercode.report.statistics import Interval
from intercode.report.summary import Clusters, is_counted
from intercode.types import Trajectory


@dataclass(frozen=True, slots=True)
class ByTurn:
    """One turn of all counted episodes.

    A turn is an action of the agent that is code, or should have been; handing in belongs to the turn before it. An
    episode has succeeded from the first turn on whose judgement was a success. Where only endings are judged, that is
    the last.

    Attributes:
        turn: The turn, from 1.
        rate: The share of episodes that had succeeded by then.
        interval: Where the true share lies.
        going_on: How many episodes had not ended by then.
    """

    turn: int
    rate: float
    interval: Interval
    going_on: int

    def to_json(self) -> dict[str, Any]:
        """As plain dictionaries."""
        return {
            "turn": self.turn,
            "rate": self.rate,
            "low": self.interval.low,
            "high": self.interval.high,
            "going_on": self.going_on,
        }


def by_turn(episodes: Sequence[Trajectory], scoring: str, *, seed: int = 0) -> tuple[ByTurn, ...]:
    """Return the success reached after each turn, from 1 to the longest episode's last."""
    counted = [episode for episode in episodes if is_counted(episode)]
    won = [first_success(episode, scoring) for episode in counted]
    lengths = [length(episode) for episode in counted]
    clusters, found = Clusters(counted), []
    for turn in range(1, max(lengths, default=0) + 1):
        successes = [at is not None and at <= turn for at in won]
        interval = clusters.interval(successes, seed=seed)
        going_on = sum(each >= turn for each in lengths)
        found.append(ByTurn(turn, sum(successes) / len(successes), interval, going_on))
    return tuple(found)


def first_success(episode: Trajectory, scoring: str) -> int | None:
    """Return the turn at which *episode* was first judged a success, from 1; None where it never was."""
    number = 0
    for turn in episode.turns:
        number += turn.action.kind in ("execute", "nothing")
        if turn.scores and scoring in turn.scores and turn.scores[scoring].success:
            return max(number, 1)
    return None


def length(episode: Trajectory) -> int:
    """Return how many turns it took, at least 1."""
    return max(1, sum(turn.action.kind in ("execute", "nothing") for turn in episode.turns))
