"""One line of a run's file as the table of episodes needs it: read without the texts, which are most of it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec

from intercode import trajectories
from intercode.conversation import NO_USAGE, Usage
from intercode.types import Action, Observation, Score, Scores, Scoring, Status, TaskView, Trajectory, Turn
from intercode.validation import check

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


class _Action(msgspec.Struct):
    kind: str = "execute"


class _Observation(msgspec.Struct):
    exit_code: int | None = None
    timed_out: bool = False


class _Turn(msgspec.Struct):
    action: _Action
    observation: _Observation


class _Score(msgspec.Struct):
    value: float
    success: bool


class _Line(msgspec.Struct):
    task: TaskView
    agent: str
    status: Status
    turns: list[_Turn]
    scores: dict[Scoring, _Score] | None = None
    seed: int | None = None
    repeat: int = 0
    image: str = ""
    started_at: float = 0.0
    seconds: float = 0.0
    error: str = ""
    usage: Usage = NO_USAGE


_decoder = msgspec.json.Decoder(_Line)


def outline(line: bytes) -> Trajectory:
    """The episode in *line* without its texts, as figures are made of. Raises BadDataError for what is no episode."""
    try:
        episode = _outlined(_decoder.decode(line))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        episode = trajectories.outline(trajectories.loads(line))
    check(episode)
    return episode


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


def _outlined(line: _Line) -> Trajectory:
    return Trajectory(
        task=line.task,
        agent=line.agent,
        status=line.status,
        turns=tuple(_turn(t.action.kind, t.observation.exit_code, t.observation.timed_out) for t in line.turns),
        scores=_scores(line.scores),
        seed=line.seed,
        repeat=line.repeat,
        image=line.image,
        started_at=line.started_at,
        seconds=line.seconds,
        error=line.error,
        usage=line.usage,
    )


def _scores(found: dict[Scoring, _Score] | None) -> Scores | None:
    return None if found is None else {name: Score(each.value, each.success) for name, each in found.items()}


@lru_cache(maxsize=10_000)  # few are different
def _turn(kind: Any, exit_code: int | None, timed_out: bool) -> Turn:
    return Turn(Action(kind), Observation("", exit_code, timed_out))
