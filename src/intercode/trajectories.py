"""Trajectories as JSON, both ways, exactly: `loads(dumps(t)) == t`. One episode is one line."""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intercode.conversation import Message, ModelCall, Reply, Tokens, Tool, ToolCall, Usage
from intercode.errors import BadDataError
from intercode.types import Action, Observation, Score, Scores, TaskView, Trajectory, Trial, Turn
from intercode.validation import check

if TYPE_CHECKING:
    import msgspec

Json = dict[str, Any]

EPISODES = "episodes.jsonl"
"""The file in a run's directory that holds its episodes, one a line."""


def dumps(trajectory: Trajectory) -> str:
    """One line without its line break. ASCII only, so that text of any origin (lone surrogates too) survives."""
    return json.dumps(to_json(trajectory), separators=(",", ":"))


def loads(line: str | bytes) -> Trajectory:
    """The trajectory in *line*. Raises BadDataError, saying what is wrong with it."""
    return from_json(parse(line))


def parse(line: str | bytes) -> Json:
    """The JSON object in *line*, whether it is a trajectory or not. Raises BadDataError."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadDataError(f"not JSON: {error}") from error
    if not isinstance(found, dict):
        raise BadDataError(f"not an episode: a JSON {type(found).__name__} where an object belongs")
    return found


def read(path: Path) -> tuple[tuple[Trajectory, ...], bytes]:
    """The episodes in a file, in order, and the line at its end that was torn while it was written (b"" if none was).

    Raises BadDataError as `stream` does.
    """
    torn: list[bytes] = []
    with without_collecting():
        return tuple(stream(path, torn=torn.append)), b"".join(torn)


def read_line(line: bytes) -> Trajectory:
    """The episode in *line*, checked: read the quick way, and where that fails the way that can say what is wrong."""
    episode = _decoded(line)
    check(episode)
    return episode


def stream(
    path: Path,
    *,
    torn: Callable[[bytes], object] = bool,
    reader: Callable[[bytes], Trajectory] = read_line,
) -> Iterator[Trajectory]:
    """The episodes in a file one after the other, however many there are. *torn* gets a last line that is not whole.

    *reader* makes an episode of a line.

    A last line that has its line break but is no JSON is torn too: after a loss of power it may be full of zeros.
    Raises BadDataError naming the file and the line, also for values that no episode has (`validation.check`).
    """
    number, line = 0, b""
    for following in chain(_lines(path), (b"",)):
        if line and not following and not (line.startswith(b"{") and line.endswith(b"}\n")):
            torn(line)
        elif line:
            number += 1
            try:
                yield reader(line)
            except BadDataError as error:
                raise BadDataError(f"{path}, line {number}: {error}") from error
        line = following


def to_json(trajectory: Trajectory) -> Json:
    """The trajectory as plain dictionaries and lists."""
    fields = {name: getattr(trajectory, name) for name in Trajectory.__slots__}
    return fields | {
        "task": _plain(trajectory.task),
        "turns": [_turn_to_json(turn) for turn in trajectory.turns],
        "scores": scores_to_json(trajectory.scores),
        "phases": dict(trajectory.phases),
        "usage": _plain(trajectory.usage),
    }


def from_json(data: Mapping[str, Any]) -> Trajectory:
    """The reverse of `to_json`. Raises BadDataError naming the field that is missing or wrong."""
    import msgspec

    try:
        return msgspec.convert(dict(data), Trajectory)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:  # half a surrogate pair where a word belongs
        said = re.sub(r"^Object missing required field `(\w+)`", r"'\1' is missing", str(error))
        raise BadDataError(f"not an episode: {said}") from error


def scores_to_json(scores: Scores | None) -> Json | None:
    """Both judgements as dictionaries, None where nothing was judged."""
    if scores is None:
        return None
    return {scoring: _plain(score) | {"parts": dict(score.parts)} for scoring, score in scores.items()}


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            yield from file
    except OSError as error:
        raise BadDataError(f"cannot read {path}: {error.strerror}") from error


def _decoded(line: bytes) -> Trajectory:
    import msgspec

    try:
        return _decoder().decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return loads(line)


@cache
def _decoder() -> msgspec.json.Decoder[Trajectory]:
    import msgspec

    return msgspec.json.Decoder(Trajectory)


@contextmanager
def without_collecting() -> Iterator[None]:
    """Reading makes many objects and drops none: looking for garbage among them would take half of the time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _turn_to_json(turn: Turn) -> Json:
    found = _plain(turn) | {
        "action": _plain(turn.action),
        "observation": _plain(turn.observation),
        "scores": scores_to_json(turn.scores),
        "calls": [_call_to_json(call) for call in turn.calls],
    }
    if turn.trials:
        found["trials"] = [_trial_to_json(trial) for trial in turn.trials]
    else:
        del found["trials"]  # few agents try anything: most lines need not say that they did not
    return found


def _trial_to_json(trial: Trial) -> Json:
    return _plain(trial) | {"action": _plain(trial.action), "observation": _plain(trial.observation)}


def _call_to_json(call: ModelCall) -> Json:
    reply = _plain(call.reply) | {
        "tool_calls": [_plain(each) for each in call.reply.tool_calls],
        "usage": _plain(call.reply.usage),
        "tokens": None if call.reply.tokens is None else _plain(call.reply.tokens),
        "raw": dict(call.reply.raw),
    }
    tools = {"tools": [_plain(tool) | {"parameters": dict(tool.parameters)} for tool in call.tools]}
    sent = [message_to_json(message) for message in call.sent]
    return {"kept": call.kept, "sent": sent, "reply": reply} | (tools if call.tools else {})


def message_to_json(message: Message) -> Json:
    """A message as a dictionary."""
    return _plain(message) | {"tool_calls": [_plain(each) for each in message.tool_calls]}


def message_from_json(data: Mapping[str, Any]) -> Message:
    """The reverse of `message_to_json`. Raises BadDataError naming the field that is missing or wrong."""
    import msgspec

    try:
        return msgspec.convert(dict(data), Message)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        raise BadDataError(f"not a message: {error}") from error


_Plain = TaskView | Action | Observation | Score | Trial | Turn | Message | Reply | Tool | ToolCall | Tokens | Usage


def _plain(value: _Plain) -> Json:
    return {name: getattr(value, name) for name in value.__slots__}
