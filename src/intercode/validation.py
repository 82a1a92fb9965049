"""Which values a stored episode may hold: a file may have been written by anybody, and its types say not enough.

Reading a file checks the types first (`trajectories.py`), then this: so nothing that reads episodes needs to expect a
time that no clock shows, half a judgement, or JSON that is nested so deeply that no program can write it again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from intercode.conversation import ModelCall, Reply, Usage
from intercode.errors import BadData
from intercode.types import SCORINGS, Scores, Trajectory, Turn

LARGEST = (1 << 63) - 1
"""What a column of whole numbers holds, in Parquet as in databases."""

LATEST = 253_402_300_799.0
"""Seconds from 1970 to the end of the year 9999, the last one that a date can be in."""

DEEPEST = 100
"""Lists and objects within each other, where a file may hold any JSON."""


def check(episode: Trajectory) -> None:
    """Raises BadData, naming the field, for a value that no episode has."""
    for name, text in _labels(episode):
        _check_label(name, text)
    check_seconds("started_at", episode.started_at)
    check_seconds("seconds", episode.seconds)
    _check_whole("repeat", episode.repeat)
    _check_whole("seed", episode.seed)
    _check_scores("scores", episode.scores)
    _check_usage("usage", episode.usage)
    for number, turn in enumerate(episode.turns):
        _check_turn(f"turns[{number}]", turn)


def check_reply(reply: Reply, name: str = "reply") -> None:
    """Raises BadData, naming the field, for a value that no model's answer has: it could not be stored and read."""
    _check_usage(f"{name}.usage", reply.usage)
    check_depth(f"{name}.raw", reply.raw)
    for number in (*reply.tokens.ids, *reply.tokens.prompt_ids) if reply.tokens else ():
        _check_whole(f"{name}.tokens", number)


def check_depth(name: str, value: Any) -> None:
    """Raises BadData where *value*, read from JSON, is nested more than DEEPEST deep."""
    level, depth = [value], 0
    while level:
        if depth > DEEPEST:
            raise BadData(f"{name}: it is nested more than {DEEPEST} deep")
        level, depth = [part for each in level for part in _parts(each)], depth + 1


def check_seconds(name: str, value: float) -> None:
    """Raises BadData where *value* is no time, or no moment from 1970 to the year 9999, in seconds."""
    if not 0.0 <= value <= LATEST:
        raise BadData(f"{name}: {value!r} is no time in seconds")


def _labels(episode: Trajectory) -> Iterator[tuple[str, str]]:
    """The names of things, which become names of files and of rows."""
    for name in ("id", "world", "category", "difficulty"):
        yield f"task.{name}", getattr(episode.task, name)
    yield "agent", episode.agent
    yield "image", episode.image


def _check_label(name: str, text: str) -> None:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise BadData(f"{name}: {text!r} is not Unicode text: {error.reason}") from error


def _check_turn(name: str, turn: Turn) -> None:
    check_seconds(f"{name}.started", turn.started)
    check_seconds(f"{name}.observation.seconds", turn.observation.seconds)
    _check_finite(f"{name}.reward", turn.reward)
    _check_whole(f"{name}.observation.exit_code", turn.observation.exit_code)
    _check_scores(f"{name}.scores", turn.scores)
    for number, call in enumerate(turn.calls):
        _check_call(f"{name}.calls[{number}]", call)


def _check_call(name: str, call: ModelCall) -> None:
    check_reply(call.reply, f"{name}.reply")
    for number, tool in enumerate(call.tools):
        check_depth(f"{name}.tools[{number}].parameters", tool.parameters)


def _check_usage(name: str, usage: Usage) -> None:
    for part in ("prompt_tokens", "completion_tokens", "cached_tokens"):
        _check_whole(f"{name}.{part}", getattr(usage, part))
    if usage.cost is not None:
        _check_finite(f"{name}.cost", usage.cost)


def _check_scores(name: str, scores: Scores | None) -> None:
    if scores is None:
        return
    if missing := [scoring for scoring in SCORINGS if scoring not in scores]:
        raise BadData(f"{name}: the judgement under {' and '.join(missing)} is missing")
    for scoring, score in scores.items():
        _check_finite(f"{name}.{scoring}.value", score.value)


def _check_whole(name: str, value: int | None) -> None:
    if value is not None and not -LARGEST <= value <= LARGEST:
        raise BadData(f"{name}: a whole number of at most 63 bits is wanted, not one of {value.bit_length()}")


def _check_finite(name: str, value: float) -> None:
    if not -1e100 < value < 1e100:  # sums of them, too, are numbers
        raise BadData(f"{name}: {value!r} is no number that it can be")


def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        yield from value.values()
    elif isinstance(value, list | tuple):
        yield from value
