"""Files of SQL tasks: each with the name of its database."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from intercode.datasets.formats import Record, read_records, tasks_from
from intercode.datasets.formats.notes import notes_on
from intercode.errors import BadDataError
from intercode.types import Task


def read_tasks(
    path: Path,
    *,
    name: str,
    query: str = "query",
    gold: str = "gold",
    golds: str = "golds",
    difficulty: str = "difficulty",
    only: str | None = None,
    world: str = "sql",
) -> tuple[list[Task], str, tuple[str, ...]]:
    """Return the tasks in a file, ids beginning with *name*, the file's SHA-256, and notes on them.

    *query*, *gold*, *golds* and *difficulty* are the columns of those names. The column `db` names a task's database,
    which is its category unless there is one; *only* is the database of tasks that name none.

    Raises:
        BadDataError: If it is missing or malformed. Names the file, the record and the field.
    """
    records, data = read_records(path)
    tasks = tasks_from(records, path, name=name, query=query, gold=gold, golds=golds, world=world)
    placed = [_with_database(task, record, path, difficulty, only) for task, record in zip(tasks, records, strict=True)]
    return placed, sha256(data).hexdigest(), notes_on(tasks, records, gold=gold, golds=golds)


def _with_database(task: Task, record: Record, path: Path, difficulty: str, only: str | None) -> Task:
    database = task.extra.get("db", only)
    if not isinstance(database, str) or not database.strip():
        raise BadDataError(f"{path}: {record.place}, field 'db': expected the name of a database")
    extra = {**task.extra, "db": database}
    hardness = task.difficulty or str(extra.pop(difficulty, ""))
    return replace(task, category=task.category or database, difficulty=hardness, extra=extra)
