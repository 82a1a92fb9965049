"""Databases and tasks of your own: one folder with both."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from intercode.datasets.base import ListedDataset
from intercode.datasets.databases import databases_in, folder_source, read_tasks
from intercode.datasets.formats import SUFFIXES
from intercode.errors import BadDataError
from intercode.types import Task
from intercode.types.databases import DatabaseSource


class DatabaseFolderDataset(ListedDataset):
    """A folder with a file of tasks (`tasks.json`, .jsonl, .csv or .tsv) and databases (.sqlite files, or .sql files).

    A database is called after its file. Each task has at least `query`, `gold` and `db`, the name of its database; it
    may be left out where there is only one. *query* and *gold* name the columns that hold these two, *golds* one with a
    list of golds of which each is right. The columns `id`, `category`, `difficulty`, `alternative_golds` and
    `known_issue` are understood, all others go to `Task.extra`. *name* is the folder's unless given.

    Raises:
        BadDataError: If something is missing or malformed. Names the file, the record and the field.
    """

    world = "sql"

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        name: str | None = None,
        query: str = "query",
        gold: str = "gold",
        golds: str = "golds",
    ) -> None:
        self.path = Path(path)
        self.name = name or self.path.resolve().name
        tasks = tasks_file(self.path)
        self._source = folder_source(self.path, name=self.name)
        there = databases_in(self.path)
        only = there[0] if len(there) == 1 else None
        self._tasks, self._checksum, self.notes = read_tasks(
            tasks, name=self.name, query=query, gold=gold, golds=golds, only=only
        )

    def source(self, task: Task) -> DatabaseSource:
        """Return all databases in the folder, for every task the same."""
        return self._source


def tasks_file(folder: Path) -> Path:
    """Return the one file of tasks in *folder*.

    Raises:
        BadDataError: If there is none, or several.
    """
    plain = [ending for ending, format in SUFFIXES.items() if format != "pickle"]
    endings = [*plain, *(f"{ending}.gz" for ending in plain)]
    found = [folder / f"tasks{ending}" for ending in endings if (folder / f"tasks{ending}").is_file()]
    if len(found) == 1:
        return found[0]
    there = f"there are {' and '.join(path.name for path in found)}" if found else "there is none"
    raise BadDataError(
        f"{folder}: expected one file of tasks, called tasks{' or tasks'.join(plain)}, perhaps with .gz; {there}"
    )
