"""An episode as a row of the table."""

from __future__ import annotations

from typing import Any

from intercode.types import Trajectory
from intercode.world_specs.action_errors import is_error

COLUMNS = (
    "task",
    "repeat",
    "status",
    "success_exact",
    "success_paper",
    "success_leading",
    "exact",
    "paper",
    "leading",
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


def as_row(episode: Trajectory, leading: str) -> list[Any]:
    """Return what the table shows of *episode*, of a run in which a reward leads: a value for each of `COLUMNS`."""
    return [
        episode.task.id,
        episode.repeat,
        episode.status,
        episode.success("exact"),
        episode.success("paper"),
        episode.success(leading),
        episode.value("exact"),
        episode.value("paper"),
        episode.value(leading),
        episode.task.category,
        episode.task.difficulty,
        len(episode.turns),
        round(episode.seconds, 3),
        episode.usage.cost,
        episode.usage.tokens,
        episode.error,
        sum(is_error(turn, episode.task.world) for turn in episode.turns),
        round(episode.started_at, 3),
        episode.task.query[:QUERY],
        episode.agent,
        episode.task.excluded,
    ]
