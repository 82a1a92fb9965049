"""What the published data sets of the SQL world have in common: one file of tasks, and one dump of databases."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import ClassVar

from intercode.databases.base import Source
from intercode.datasets.base import ListedDataset
from intercode.datasets.overlays import overlay_of
from intercode.datasets.sources import folder_of
from intercode.datasets.sql.databases import dump_in
from intercode.datasets.sql.tasks import read_tasks
from intercode.errors import BadData
from intercode.types import Scoring, Task


class PublishedDataset(ListedDataset):
    """Tasks `NAME/0`, `NAME/1` and so on. A subclass names the files, and the column that says how hard a task is.

    *folder* is where the files are (None: where `intercode data get NAME` puts them). Raises BadData naming a file that
    is missing or malformed.
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
            raise BadData(f"{tasks} is missing: `intercode data get {self.name}` fetches it")
        published, self._checksum = read_tasks(tasks, name=self.name, difficulty=self.difficulty)
        self._tasks = [overlay_of(self.name).on(task) for task in published]
        self._source: Source | None = None

    def source(self, task: Task) -> Source:
        """The same databases for every task. Raises BadData where their file is missing; tasks can be read without."""
        if self._source is None:
            self._source = self._find_source()
        return self._source

    def _find_source(self) -> Source:
        dump = dump_in(self.folder, self.dump_file)
        if dump is None:
            raise BadData(f"{self.folder / self.dump_file} is missing: `intercode data get {self.name}` fetches it")
        return Source(self.name, dump, "mysql_dump")
