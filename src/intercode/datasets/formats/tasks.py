"""From records to tasks: which column is what, and what a field may hold."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from intercode.datasets.formats import criteria as judging
from intercode.datasets.formats.columns import guess, look_up, message_of
from intercode.datasets.formats.record import Record, kind
from intercode.errors import BadDataError
from intercode.types import DEFAULT_WORLD, NO_CRITERIA, Criteria, Task

A_LIST = (
    'a list of {many} texts may be alternatives or commands in a row. Alternatives: say golds = "{column}" in a '
    "folder's task.toml (of a file: --dataset-option golds={column}). "
    "Commands: write one text, with ; or line ends between"
)
DOS_END = re.compile(r"\r+(?=\n|\Z)")

T = TypeVar("T")

MISSING = object()

SHOWN = 60
"""Characters of an id that is refused which its message shows."""


def tasks_from(
    records: list[Record],
    path: Path,
    *,
    name: str,
    query: str = "query",
    gold: str = "gold",
    golds: str = "golds",
    world: str = DEFAULT_WORLD,
    criteria: Criteria = NO_CRITERIA,
) -> list[Task]:
    """Make tasks of records.

    The columns `id`, `category`, `difficulty` and those of `judging` are understood; the rest is `extra`. A record
    without an id is called by its key or, without one, by its index. *query* and *gold* are the columns that hold
    these: parts of columns too (`reward_model.ground_truth`), or conversations. *golds* is the column with a list of
    golds, each as right as the others. *criteria* hold for all tasks, beside each record's own.

    Raises:
        BadDataError: If a record has no query, or a field of the wrong type; the message names both.
    """
    tasks = [
        judging.with_judging(
            _task(record, index, path, name, query, gold, golds, world), record, path, criteria, _commands
        )
        for index, record in enumerate(records)
    ]
    places: dict[str, str] = {}
    for task, record in zip(tasks, records, strict=True):
        if task.id in places:
            raise BadDataError(f"{path}: {record.place} has the id {task.id!r}, and so has {places[task.id]}")
        places[task.id] = record.place
    return tasks


def record_of(task: Task, *, query: str = "query", gold: str = "gold") -> dict[str, Any]:
    """Return the columns that `tasks_from` reads as *task*, gold included.

    Its id is without the name of its data set.
    """
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


def _task(record: Record, index: int, path: Path, name: str, query: str, gold: str, golds: str, world: str) -> Task:
    columns = record.columns

    def field(column: str, read: Callable[[Any], T], default: object = None) -> T:
        try:
            return read(look_up(columns, column, default))
        except ValueError as error:
            raise BadDataError(f"{path}: {record.place}, field {column!r}: {error}") from error

    if look_up(columns, query, MISSING) is MISSING:
        hint = guess(columns)
        raise BadDataError(
            f"{path}: {record.place} has no field {query!r}; its fields are: {', '.join(columns) or 'none'} "
            + (f"(say which is which, {hint})" if hint else "(the first line of a table names them)")
        )
    own = field("id", _label, record.key) or str(index)
    first = "" if gold == golds else field(gold, lambda value: _gold(value, gold))
    accepted = [*([first] if first else []), *field(golds, _golds)]
    task = Task(
        id=own if own.startswith(f"{name}/") else f"{name}/{own}",
        query=field(query, _query),
        gold=accepted[0] if accepted else None,
        world=world,
        category=field("category", _label),
        difficulty=field("difficulty", _label),
        extra=_without(record, query, gold, golds, "id", "category", "difficulty", *judging.COLUMNS),
    )
    others = accepted[1:]
    return (
        replace(task, alternative_golds=field(golds, lambda _: judging.alternatives(others, task, str)))
        if others
        else task
    )


def _without(record: Record, *columns: str) -> dict[str, Any]:
    return {column: value for column, value in record.columns.items() if column not in columns}


def _query(value: object) -> str:
    value = message_of(value, "user")
    if not isinstance(value, str):
        raise ValueError(f"expected a string, not {kind(value)}")
    if not value.strip():
        raise ValueError("it is empty")
    return _plain(value)


def _gold(value: object, column: str) -> str:
    """Return one text, perhaps alone in a list; "" for none."""
    value = message_of(value, "assistant")
    if isinstance(value, list) and len(value) > 1 and _commands(value):
        raise ValueError(A_LIST.format(many=len(value), column=column))
    return _commands(value)


def _golds(value: object) -> list[str]:
    """Texts of which each is right; one text is a list of one."""
    return [gold for each in (value if isinstance(value, list) else [value]) if (gold := _commands(each))]


def _commands(value: object) -> str:
    """Return a command, or several as a list, with the line ends of the sandbox; "" for none."""
    if value is None:
        return ""
    commands: list[str] = []
    for command in value if isinstance(value, list) else [value]:
        if not isinstance(command, str):
            raise ValueError(f"expected a string or a list of strings, not {kind(command)}")
        commands.append(command if "\r" not in command else DOS_END.sub("", command))
    return _plain(";".join(commands)) if any(command.strip() for command in commands) else ""


def _label(value: object) -> str:
    """Return a short text on one line; a whole number will do."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(f"expected a string, not {kind(value)}")
    text = _plain(str(value)).strip()
    if not text.isprintable():
        raise ValueError(
            f"it should be one line of printable characters, not {text[:SHOWN]!r}{' …' if len(text) > SHOWN else ''}"
        )
    return text


def _plain(text: str) -> str:
    """Return *text* if it can be stored and handed to a command. Raises ValueError."""
    if "\0" in text:
        raise ValueError("it holds a NUL character, which no command can")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"it is not Unicode text: {error.reason}") from error
    return text
