"""The records of a foreign data set, and the tasks that can be made of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from os.path import exists, isdir  # unlike Path's, it stands every string
from pathlib import Path

from intercode.datasets.formats import Record, read_records, tasks_from
from intercode.datasets.formats.hugging_face import read_hugging_face
from intercode.errors import BadData
from intercode.runs.fidelity.finding import Dropped
from intercode.types import Task

_HUB = re.compile(r"[\w.-]+/[\w.-]+(:[\w.-]+)?")
"""How data sets are called at the Hugging Face hub: OWNER/NAME, and perhaps a configuration."""


def read(source: str, *, format: str | None = None, split: str = "") -> list[Record]:
    """The records in the file *source* or, where there is no such file, in the data set of that name at the hub.

    A folder is read as the hub's own would be. Raises BadData and UserError as the readers do.
    """
    if isdir(source) or (not exists(source) and _HUB.fullmatch(source) and not Path(source).suffix):
        return read_hugging_face(source, split=split)
    return read_records(Path(source), format=format)[0]


def tasks_of(
    records: Sequence[Record], source: str, *, name: str, query: str, gold: str, world: str
) -> tuple[list[Task], list[Dropped]]:
    """The tasks in *records*, and the records that are none: unreadable, without a gold, or there already.

    Raises BadData where no record has the columns *query* and *gold*.
    """
    _refuse_unless_there(records, source, query, gold)
    tasks: list[Task] = []
    dropped: list[Dropped] = []
    ids: set[str] = set()
    alike: dict[tuple[object, ...], str] = {}
    for index, record in enumerate(records):
        try:
            (task,) = tasks_from(
                [replace(record, key=record.key or str(index))],
                Path(source),
                name=name,
                query=query,
                gold=gold,
                world=world,
            )
        except BadData as error:
            dropped.append(Dropped(record.place, "the record cannot be read", str(error)))
            continue
        first = alike.setdefault((task.query, task.gold, task.extra.get("db")), task.id)
        if task.gold is None:
            dropped.append(Dropped(task.id, "there is no gold"))
        elif task.id in ids:
            dropped.append(Dropped(record.place, "the id is there already", task.id))
        elif first != task.id:
            dropped.append(Dropped(task.id, "the same task is there already", first))
        else:
            ids.add(task.id)
            tasks.append(task)
    return tasks, dropped


def _refuse_unless_there(records: Sequence[Record], source: str, *columns: str) -> None:
    there = list(dict.fromkeys(column for record in records for column in record.columns))
    for column in columns:
        if column not in there:
            raise BadData(f"{source}: no record has a column {column!r}; there are: {', '.join(there) or 'none'}")
