"""What the published data sets of the SQL world have in common: one file of tasks, and one dump of databases."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import ClassVar

from intercode.datasets.annotations import annotations_of
from intercode.datasets.base import Dataset, ListedDataset, Subset
from intercode.datasets.databases.files import dump_in
from intercode.datasets.databases.tasks import read_tasks
from intercode.datasets.sources import folder_of
from intercode.errors import BadDataError
from intercode.types import Scoring, Task
from intercode.types.databases import DatabaseSource


class PublishedDataset(ListedDataset):
    """Tasks `NAME/0`, `NAME/1` and so on. A subclass names the files, and the column that says how hard a task is.

    *folder* is where the files are (None: where `intercode data get NAME` puts them).

    Raises:
        BadDataError: If a file is missing or malformed. Names it.
    """

    world = "sql"
    default_scoring: Scoring = "paper"
    tasks_file: ClassVar[str]
    dump_file: ClassVar[str]
    difficulty: ClassVar[str] = "difficulty"

    def __init__(self, *, folder: str | PathLike[str] | None = None) -> None:
        self.folder = folder_of(self.name) if folder is None else Path(folder)
        tasks = self.folder / self.tasks_file
        if not tasks.exists():
            raise BadDataError(f"{tasks} is missing: `intercode data get {self.name}` fetches it")
        published, self._checksum, _ = read_tasks(tasks, name=self.name, difficulty=self.difficulty)
        self._tasks = [annotations_of(self.name).on(task) for task in published]
        self._source: DatabaseSource | None = None

    @property
    def splits(self) -> Mapping[str, Dataset]:
        """Return what was published is the part for development: see `Dataset.splits`."""
        return {"validation": Subset(self, f"{self.name}/validation", self._tasks)}

    def source(self, task: Task) -> DatabaseSource:
        """Return the same databases for every task.

        Raises:
            BadDataError: If their file is missing; tasks can be read without.
        """
        if self._source is None:
            self._source = self._find_source()
        return self._source

    def _find_source(self) -> DatabaseSource:
        dump = dump_in(self.folder, self.dump_file)
        if dump is None:
            raise BadDataError(
                f"{self.folder / self.dump_file} is missing: `intercode data get {self.name}` fetches it"
            )
        return DatabaseSource(self.name, dump, "mysql_dump")
