"""An episode as a row of the table."""

from __future__ import annotations

from typing import Any

from intercode.types import Trajectory

COLUMNS = (
    "task",
    "repeat",
    "status",
    "success_exact",
    "success_paper",
    "exact",
    "paper",
    "category",
    "difficulty",
    "turns",
    "seconds",
    "cost",
    "tokens",
    "error",
    "failed",
    "started_at",
    "query",
    "agent",
    "excluded",
)
"""The names of what `as_row` gives, in its order."""

QUERY = 160
"""Characters of a query that a row has."""


def as_row(episode: Trajectory) -> list[Any]:
    """What the table shows of *episode*: a value for each of `COLUMNS`."""
    return [
        episode.task.id,
        episode.repeat,
        episode.status,
        episode.success("exact"),
        episode.success("paper"),
        episode.value("exact"),
        episode.value("paper"),
        episode.task.category,
        episode.task.difficulty,
        len(episode.turns),
        round(episode.seconds, 3),
        episode.usage.cost,
        episode.usage.tokens,
        episode.error,
        sum(turn.observation.timed_out or turn.observation.exit_code not in (0, None) for turn in episode.turns),
        round(episode.started_at, 3),
        episode.task.query[:QUERY],
        episode.agent,
        episode.task.excluded,
    ]
