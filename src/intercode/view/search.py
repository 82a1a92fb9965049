"""Which episodes hold a text: in their queries, actions, observations or thoughts."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator

import msgspec

from intercode import trajectories
from intercode.runs.store import Key, key_of
from intercode.types import Trajectory
from intercode.view.index import RunIndex

FIELDS = ("query", "action", "observation", "thought")
"""Where can be searched."""


class _Text(msgspec.Struct):
    text: str = ""


class _Turn(msgspec.Struct):
    action: _Text
    observation: _Text
    thought: str = ""


class _Task(msgspec.Struct):
    query: str


class _Line(msgspec.Struct):
    task: _Task
    turns: list[_Turn]


_decoder = msgspec.json.Decoder(_Line)


def search(index: RunIndex, text: str, fields: Collection[str] = FIELDS) -> list[Key]:
    """The names of the episodes that hold *text* in one of *fields*; large and small letters are the same."""
    entries = index.entries()
    wanted = text.casefold()
    may_hold = _filter(text)
    found = []
    for entry, line in zip(entries, index.lines([entry.place for entry in entries]), strict=True):
        if may_hold(line) and any(wanted in each.casefold() for each in _texts(line, fields)):
            found.append(key_of(entry.outline))
    return found


def _filter(text: str) -> Callable[[bytes], bool]:
    """Whether a line is worth reading: most are not, and their bytes say so."""
    if not text.isascii():  # in a line it is escaped, in as many ways as it has letters
        return lambda line: True
    escaped = json.dumps(text)[1:-1].lower().encode()
    return lambda line: escaped in line.lower()


def _texts(line: bytes, fields: Collection[str]) -> Iterator[str]:
    try:
        found: _Line | Trajectory = _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        found = trajectories.loads(line)
    if "query" in fields:
        yield found.task.query
    for turn in found.turns:
        if "action" in fields:
            yield turn.action.text
        if "observation" in fields:
            yield turn.observation.text
        if "thought" in fields:
            yield turn.thought
