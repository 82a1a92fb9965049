"""The records of a foreign data set, and the tasks that can be made of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from math import isnan
from os.path import exists, isdir  # unlike Path's, it stands every string
from pathlib import Path

from intercode import world_specs
from intercode.audit.dataset_import.finding import DroppedRecord
from intercode.datasets.formats import Record, read_records, tasks_from
from intercode.datasets.formats.columns import look_up
from intercode.datasets.formats.hugging_face import read_hugging_face
from intercode.errors import BadDataError
from intercode.types import Task
from intercode.worlds.python.hidden_tests import hidden_tests

_HUB = re.compile(r"[\w.-]+/[\w.-]+(:[\w.-]+)?")
"""How data sets are called at the Hugging Face hub: OWNER/NAME, and perhaps a configuration."""

LABELS = ("id", "category", "difficulty")

UNREADABLE = "the record cannot be read"


def read(source: str, *, split: str = "") -> tuple[list[Record], list[DroppedRecord]]:
    """Return the records in the file *source* or, where there is no such file, in the data set of that name at the hub.

    With them those that cannot be read. A folder is read as the hub's own would be.

    Raises:
        BadDataError: As the readers do, or if not one record can be read.
        UserError: As the readers do.
    """
    if isdir(source) or (not exists(source) and _HUB.fullmatch(source) and not Path(source).suffix):
        return read_hugging_face(source, split=split), []
    unread: list[DroppedRecord] = []

    def drop(place: str, error: BadDataError) -> None:
        unread.append(DroppedRecord(place, UNREADABLE, _without_place(error, source, place)))

    try:
        return read_records(Path(source), drop=drop)[0], unread
    except BadDataError as error:
        first = f"{source}: {unread[0].place} {unread[0].detail}" if unread else str(error)
        raise BadDataError(first) from error


def tasks_of(
    records: Sequence[Record], source: str, *, name: str, query: str, gold: str, world: str,
    databases: Sequence[str] = (),
) -> tuple[list[Task], list[DroppedRecord]]:  # fmt: skip
    """Return the tasks in *records*, and the records that are none.

    Unreadable, there already, or not all that is wanted.

    Statements are about one of *databases*.

    Raises:
        BadDataError: If no record has the columns *query* and *gold*.
    """
    _refuse_unless_there(records, source, query, gold)
    tasks: list[Task] = []
    dropped: list[DroppedRecord] = []
    ids: set[str] = set()
    alike: dict[tuple[object, ...], str] = {}
    for index, record in enumerate(records):
        text = look_up(record.columns, query)
        if text is None or (isinstance(text, str) and not text.strip()):
            dropped.append(DroppedRecord(record.place, "there is no query"))
            continue
        try:
            (task,) = tasks_from(
                [_with_labels(record, index, but=(query, gold))],
                Path(source),
                name=name,
                query=query,
                gold=gold,
                world=world,
            )
        except BadDataError as error:
            dropped.append(DroppedRecord(record.place, UNREADABLE, _without_place(error, source, record.place)))
            continue
        if lack := _lack(task, databases):
            dropped.append(DroppedRecord(task.id, *lack))
            continue
        first = alike.setdefault((task.query, task.gold, task.extra.get("db")), task.id)
        if task.id in ids:
            dropped.append(DroppedRecord(record.place, "another record has this id", task.id))
        elif first != task.id:
            dropped.append(DroppedRecord(task.id, "another record is the same task", first))
        else:
            ids.add(task.id)
            tasks.append(task)
    return tasks, dropped


def _lack(task: Task, databases: Sequence[str]) -> tuple[str, str] | None:
    """Return what *task* lacks to be one of its world, and a detail."""
    if task.gold is None:
        return "there is no gold", ""
    material = world_specs.find(task.world).material
    if material == "databases":
        named = task.extra.get("db", databases[0] if len(databases) == 1 else None)
        if str(named).lower() not in {each.lower() for each in databases}:
            return "its database is not there", f"the column db says {named!r}; there are: {', '.join(databases)}"
    if material == "tests":
        try:
            hidden_tests(task)
        except BadDataError as error:
            return "there are no tests to judge by", str(error)
    return None


def _with_labels(record: Record, index: int, *, but: Sequence[str]) -> Record:
    """*record* with an id, and with the columns *but* these put into words that others use for what is no label."""
    labels = {name: _words(record.columns[name]) for name in LABELS if name in record.columns and name not in but}
    if not labels.get("id", True):
        labels["id"] = record.key or str(index)
    return replace(record, key=record.key or str(index), columns={**record.columns, **labels})


def _words(value: object) -> str | int | None:
    """Return a label: text on one line, a whole number, or None for none."""
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None if isnan(value) else str(value)
    if isinstance(value, list | tuple):
        return ", ".join(str(_words(each)) for each in value)
    text = " ".join(str(value).split())
    return "".join(each for each in text if each.isprintable())


def _without_place(error: BadDataError, source: str, place: str) -> str:
    """Return what is said of a record, without where it is: that is told beside it."""
    return str(error).removeprefix(f"{Path(source)}: ").removeprefix(place).lstrip(", ")


def _refuse_unless_there(records: Sequence[Record], source: str, *columns: str) -> None:
    there = list(dict.fromkeys(column for record in records for column in record.columns))
    for column in columns:
        if all(look_up(record.columns, column) is None for record in records):
            names = ", ".join(map(_legible, there)) or "none"
            raise BadDataError(f"{source}: no record has a column {column!r}; there are: {names}{_hint(there)}")


def _legible(column: str) -> str:
    """Return a column's name as it can be typed again: one with blanks at its ends or line ends in it is quoted."""
    return column if column == column.strip() and column.isprintable() else repr(column)


def _hint(there: Sequence[str]) -> str:
    separators = [each for each in (";", "\t", "|") if len(there) == 1 and each in there[0]]
    return f" (are the columns separated by {separators[0]!r}? a .tsv has tabs, a .csv commas)" if separators else ""
