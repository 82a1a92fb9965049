"""Which episodes hold a text: in their queries, actions, observations or thoughts."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Collection, Iterator

import msgspec

from intercode.runs.episode_record import Key, key_of
from intercode.types import Trajectory, trajectories
from intercode.view.index import IndexEntry, RunIndex

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
    """Return the names of the episodes that hold *text* in one of *fields*; large and small letters are the same."""
    entries = _candidates(index, text)
    needle = text.casefold()
    found = []
    for entry, line in zip(entries, index.lines([entry.place for entry in entries]), strict=True):
        if any(needle in each.casefold() for each in _texts(line, fields)):
            found.append(key_of(entry.outline))
    return found


def _candidates(index: RunIndex, text: str) -> list[IndexEntry]:
    """Return the episodes whose lines are worth reading: of most, their bytes say that they are not."""
    entries = index.entries()
    if not text.isascii():  # in a line it is escaped, in as many ways as it has letters
        return entries
    entries.sort(key=_offset)
    escaped = json.dumps(text)[1:-1].lower().encode()
    numbers = {bisect_right(entries, place, key=_offset) - 1 for place in index.places_of(escaped)}
    return [entries[number] for number in sorted(numbers) if number >= 0]


def _offset(entry: IndexEntry) -> int:
    return entry.place.offset


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
