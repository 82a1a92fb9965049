"""Which values a stored episode may hold: a file may have been written by anybody, and its types say not enough.

Reading a file checks the types first (`trajectories.py`), then this: so nothing that reads episodes needs to expect a
time that no clock shows, half a judgement, or JSON that is nested so deeply that no program can write it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from intercode.errors import BadDataError
from intercode.types import Scores, Trajectory, Turn, reward_name
from intercode.types.conversation import Reply, Usage

LARGEST = (1 << 63) - 1
"""What a column of whole numbers holds, in Parquet as in databases."""

LATEST = 253_402_300_799.0
"""Seconds from 1970 to the end of the year 9999, the last one that a date can be in."""

DEEPEST = 100
"""Lists and objects within each other, where a file may hold any JSON."""


def check(episode: Trajectory) -> None:
    """Check the values of an episode.

    Raises:
        BadDataError: If one is none that an episode has; the message names the field.
    """
    check_head(episode)
    for number, turn in enumerate(episode.turns):
        check_turn(turn, number)


def check_head(episode: Trajectory) -> None:
    """The same for all of *episode* but its turns.

    Raises:
        BadDataError: As `check` does.
    """
    for name, text in _labels(episode):
        _check_label(name, text)
    check_seconds("started_at", episode.started_at)
    check_seconds("seconds", episode.seconds)
    _check_whole("repeat", episode.repeat)
    _check_whole("seed", episode.seed)
    _check_scores("scores", episode.scores)
    _check_usage("usage", episode.usage)
    if (used := episode.network) is not None:
        for name in ("requests", "refused", "sent", "received"):
            _check_whole(f"network.{name}", getattr(used, name))
        for host in used.unreached:
            _check_label("network.unreached", host)


def check_turn(turn: Turn, number: int = 0) -> None:
    """The same for its turn *number*.

    Raises:
        BadDataError: As `check` does.
    """
    seen = turn.observation
    check_seconds("turns[{}].started", turn.started, number)
    check_seconds("turns[{}].observation.seconds", seen.seconds, number)
    _check_finite("turns[{}].reward", turn.reward, number)
    _check_whole("turns[{}].observation.exit_code", seen.exit_code, number)
    _check_scores("turns[{}].scores", turn.scores, number)
    for place, call in enumerate(turn.calls):
        check_reply(call.reply, "turns[{}].calls[{}].reply", number, place)
        for tool in call.tools:
            check_depth("turns[{}].calls[{}].tools", tool.parameters, number, place)


def check_reply(reply: Reply, name: str = "reply", *places: int) -> None:
    """Check the values of a model's answer.

    Raises:
        BadDataError: If one is none that an answer has; the message names the field.
    """
    _check_usage(f"{name}.usage", reply.usage, *places)
    check_depth(f"{name}.raw", reply.raw, *places)
    for number in (*reply.tokens.ids, *reply.tokens.prompt_ids) if reply.tokens else ():
        _check_whole(f"{name}.tokens", number, *places)


def check_depth(name: str, value: Any, *places: int) -> None:
    """Check how deep *value*, read from JSON, is nested.

    Raises:
        BadDataError: If it is deeper than `DEEPEST`.
    """
    level, depth = [value], 0
    while level:
        if depth > DEEPEST:
            raise BadDataError(f"{name.format(*places)}: it is nested more than {DEEPEST} deep")
        level, depth = [part for each in level for part in _parts(each)], depth + 1


def check_seconds(name: str, value: float, *places: int) -> None:
    """Check a time: a duration, or a moment from 1970 to the year 9999, in seconds.

    Raises:
        BadDataError: If *value* is neither.
    """
    if not 0.0 <= value <= LATEST:
        raise BadDataError(f"{name.format(*places)}: {value!r} is not a time in seconds")


# Names are put together only where something is wrong: runs have many turns, and few are hostile


def _labels(episode: Trajectory) -> Iterator[tuple[str, str]]:
    """Yield the names of things, which become names of files and of rows."""
    task = episode.task
    yield from (("task.id", task.id), ("task.world", task.world))
    yield from (("task.category", task.category), ("task.difficulty", task.difficulty))
    yield from (("agent", episode.agent), ("image", episode.image))


def _check_label(name: str, text: str) -> None:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise BadDataError(f"{name}: {text!r} is not Unicode text: {error.reason}") from error


def _check_usage(name: str, usage: Usage, *places: int) -> None:
    counts = (usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens)
    for value in (*counts, usage.reasoning_tokens, usage.from_cache):
        _check_whole(name, value, *places)
    if usage.cost is not None:
        _check_finite(name, usage.cost, *places)


def _check_scores(name: str, scores: Scores | None, *places: int) -> None:
    if scores is None:
        return
    if not scores:
        raise BadDataError(f"{name.format(*places)}: no reward has judged; what was not judged has null here")
    for reward, score in scores.items():
        if not _is_reward_name(reward):
            raise BadDataError(f"{name.format(*places)}: {reward!r} is not the name of a reward")
        _check_finite(name, score.value, *places)


@lru_cache(maxsize=1000)  # few are different
def _is_reward_name(name: str) -> bool:
    return bool(name) and name == reward_name(name)


def _check_whole(name: str, value: int | None, *places: int) -> None:
    if value is not None and not -LARGEST <= value <= LARGEST:
        bits = value.bit_length()
        raise BadDataError(f"{name.format(*places)}: expected a whole number of at most 63 bits, not one of {bits}")


def _check_finite(name: str, value: float, *places: int) -> None:
    if not -1e100 < value < 1e100:  # sums of them, too, are numbers
        raise BadDataError(f"{name.format(*places)}: {value!r} is out of range")


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list | tuple) else ()
