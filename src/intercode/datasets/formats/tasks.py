"""From records to tasks: which column is what, and what a field may hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from intercode.datasets.formats import criteria as judging
from intercode.datasets.formats.record import Record, kind
from intercode.errors import BadDataError
from intercode.types import DEFAULT_WORLD, NO_CRITERIA, Criteria, Task


def tasks_from(
    records: list[Record],
    path: Path,
    *,
    name: str,
    query: str = "query",
    gold: str = "gold",
    world: str = DEFAULT_WORLD,
    criteria: Criteria = NO_CRITERIA,
) -> list[Task]:
    """Make tasks of records.

    The columns `id`, `category`, `difficulty` and those of `judging` are understood; the rest is `extra`. A record
    without an id is called by its key or, without one, by its index. *query* and *gold* are the columns that hold
    these. *criteria* hold for all tasks, beside each record's own.

    Raises:
        BadDataError: If a record has no query, or a field of the wrong type; the message names both.
    """
    tasks = [
        judging.with_judging(_task(record, index, path, name, query, gold, world), record, path, criteria, _gold)
        for index, record in enumerate(records)
    ]
    places: dict[str, str] = {}
    for task, record in zip(tasks, records, strict=True):
        if task.id in places:
            raise BadDataError(f"{path}: {record.place} has the id {task.id!r}, and so has {places[task.id]}")
        places[task.id] = record.place
    return tasks


def record_of(task: Task, *, query: str = "query", gold: str = "gold") -> dict[str, Any]:
    """The columns that `tasks_from` reads as *task*, gold included; its id is without the name of its data set."""
    fields = {
        "category": task.category,
        "difficulty": task.difficulty,
        "alternative_golds": task.alternative_golds,
        "criteria": task.criteria.names,
        "known_issue": task.known_issue,
    }
    own = {"id": task.id.partition("/")[2], query: task.query, gold: task.gold}
    lists = {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items() if value}
    return own | lists | dict(task.extra)


def _task(record: Record, index: int, path: Path, name: str, query: str, gold: str, world: str) -> Task:
    def field(column: str, read: Callable[[object], str], default: object = None) -> str:
        try:
            return read(record.columns.get(column, default))
        except ValueError as error:
            raise BadDataError(f"{path}: {record.place}, field {column!r}: {error}") from error

    if query not in record.columns:
        raise BadDataError(
            f"{path}: {record.place} has no field {query!r}; its fields are: {', '.join(record.columns) or 'none'} "
            "(the first line of a table names them)"
        )
    own = field("id", _label, record.key) or str(index)
    return Task(
        id=own if own.startswith(f"{name}/") else f"{name}/{own}",
        query=field(query, _query),
        gold=field(gold, _gold) or None,
        world=world,
        category=field("category", _label),
        difficulty=field("difficulty", _label),
        extra=_without(record, query, gold, "id", "category", "difficulty", *judging.COLUMNS),
    )


def _without(record: Record, *columns: str) -> dict[str, Any]:
    return {column: value for column, value in record.columns.items() if column not in columns}


def _query(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected a string, not {kind(value)}")
    if not value.strip():
        raise ValueError("it is empty")
    return _plain(value)


def _gold(value: object) -> str:
    """A command, or several as a list; "" for none."""
    if value is None:
        return ""
    commands: list[str] = []
    for command in value if isinstance(value, list) else [value]:
        if not isinstance(command, str):
            raise ValueError(f"expected a string or a list of strings, not {kind(command)}")
        commands.append(command)
    return _plain(";".join(commands)) if any(command.strip() for command in commands) else ""


def _label(value: object) -> str:
    """A short text on one line; a whole number will do."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(f"expected a string, not {kind(value)}")
    text = _plain(str(value)).strip()
    if not text.isprintable():
        raise ValueError("it should be one line of printable characters")
    return text


def _plain(text: str) -> str:
    """*text* if it can be stored and handed to a command. Raises ValueError."""
    if "\0" in text:
        raise ValueError("it holds a NUL character, which no command can")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"it is not Unicode text: {error.reason}") from error
    return text
