"""JSON, JSON lines and pickle: values that hold lists and names of their own."""

from __future__ import annotations

import json
import pickle
from functools import partial
from pathlib import Path

from intercode.datasets.formats.record import Drop, Record, kind, readable, record
from intercode.errors import BadDataError


def read_json(text: str, path: Path, *, drop: Drop | None = None) -> list[Record]:
    """Return a list of records, or an object whose values are records and whose keys are their ids."""
    return _records(_parse(text, path, 1), path, drop)


def read_jsonl(text: str, path: Path, *, drop: Drop | None = None) -> list[Record]:
    """Return one record a line; blank lines are passed over."""
    lines = ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
    return readable(((f"line {number}", partial(_line, line, path, number)) for number, line in lines), drop)


def read_pickle(data: bytes, path: Path, *, drop: Drop | None = None) -> list[Record]:
    """Return the same two shapes as JSON's. Runs whatever code *data* holds."""
    try:
        value = pickle.loads(data)
    except (
        # What the standard library says may come of bytes that are no pickle, or one of classes not installed here.
        pickle.UnpicklingError, EOFError, AttributeError, ImportError, LookupError, ValueError, TypeError,
        MemoryError, OverflowError, RecursionError,
    ) as error:  # fmt: skip
        raise BadDataError(f"{path}: it cannot be unpickled: {type(error).__name__}: {error}") from error
    return _records(value, path, drop)


def _records(value: object, path: Path, drop: Drop | None) -> list[Record]:
    items: list[tuple[str, object, str | None]]
    if isinstance(value, list):
        items = [(f"record {index}", item, None) for index, item in enumerate(value)]
    elif isinstance(value, dict):
        items = [(f"record {key!r}", item, str(key)) for key, item in value.items()]
    else:
        raise BadDataError(f"{path}: expected a list of records, or an object of them, not {kind(value)}")
    return readable(((place, partial(record, item, place, path, key=key)) for place, item, key in items), drop)


def _line(text: str, path: Path, number: int) -> Record:
    return record(_parse(text, path, number), f"line {number}", path)


def _parse(text: str, path: Path, first_line: int) -> object:
    """Return one JSON value; lines are counted from *first_line*. A name that stands twice in an object is refused."""
    try:
        return json.loads(text, object_pairs_hook=_no_doubles)
    except json.JSONDecodeError as error:
        where = f"line {first_line + error.lineno - 1}, column {error.colno}"
        raise BadDataError(f"{path}: {where} is not JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise BadDataError(f"{path}: from line {first_line} on: {error}") from error


def _no_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        double = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {double!r} occurs twice in one object")
    return found
