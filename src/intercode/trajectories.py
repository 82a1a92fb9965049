"""Trajectories as JSON, both ways, exactly: `loads(dumps(t)) == t`. One episode is one line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from intercode.errors import BadData
from intercode.types import Action, Observation, Score, Scores, TaskView, Trajectory, Turn

Json = dict[str, Any]


def dumps(trajectory: Trajectory) -> str:
    """One line without its line break. ASCII only, so that text of any origin (lone surrogates too) survives."""
    return json.dumps(to_json(trajectory), separators=(",", ":"))


def loads(line: str | bytes) -> Trajectory:
    """The trajectory in *line*. Raises BadData, saying what is wrong with it."""
    try:
        found = json.loads(line)
    except ValueError as error:
        raise BadData(f"not JSON: {error}") from error
    if not isinstance(found, dict):
        raise BadData(f"not an episode: a JSON {type(found).__name__} where an object belongs")
    return from_json(found)


def to_json(trajectory: Trajectory) -> Json:
    """The trajectory as plain dictionaries and lists."""
    fields = {name: getattr(trajectory, name) for name in Trajectory.__slots__}
    return fields | {
        "task": _plain(trajectory.task),
        "turns": [_turn_to_json(turn) for turn in trajectory.turns],
        "scores": scores_to_json(trajectory.scores),
        "phases": dict(trajectory.phases),
    }


def from_json(data: Mapping[str, Any]) -> Trajectory:
    """The reverse of `to_json`. Raises BadData naming the field that is missing or wrong."""
    try:
        fields = {
            "task": TaskView(**data["task"]),
            "turns": tuple(_turn_from_json(turn) for turn in data["turns"]),
            "scores": _scores_from_json(data["scores"]),
        }
        return Trajectory(**{**data, **fields})
    except KeyError as error:
        raise BadData(f"not an episode: {error} is missing") from error
    except (TypeError, AttributeError) as error:
        raise BadData(f"not an episode: {error}") from error


def scores_to_json(scores: Scores | None) -> Json | None:
    """Both judgements as dictionaries, None where nothing was judged."""
    if scores is None:
        return None
    return {scoring: _plain(score) | {"parts": dict(score.parts)} for scoring, score in scores.items()}


def _scores_from_json(data: Mapping[str, Any] | None) -> Scores | None:
    if data is None:
        return None
    return {scoring: Score(**(score | {"notes": tuple(score["notes"])})) for scoring, score in data.items()}  # type: ignore[misc]


def _turn_to_json(turn: Turn) -> Json:
    return _plain(turn) | {
        "action": _plain(turn.action),
        "observation": _plain(turn.observation),
        "scores": scores_to_json(turn.scores),
        "usage": dict(turn.usage),
    }


def _turn_from_json(data: Mapping[str, Any]) -> Turn:
    fields = {
        "action": Action(**data["action"]),
        "observation": Observation(**data["observation"]),
        "scores": _scores_from_json(data["scores"]),
    }
    return Turn(**{**data, **fields})


def _plain(value: TaskView | Action | Observation | Score | Turn) -> Json:
    return {name: getattr(value, name) for name in value.__slots__}
