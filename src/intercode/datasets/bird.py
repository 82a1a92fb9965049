"""BIRD as InterCode published it: 338 questions over three of its databases."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path

from intercode.datasets.databases import PublishedDataset, dump_in, folder_source
from intercode.errors import BadDataError
from intercode.types.databases import DatabaseSource

BIRDS_OWN = "dev_databases"
"""The folder in BIRD's archive that holds a folder for each database."""


class BirdDataset(PublishedDataset):
    """The tasks `bird/0` to `bird/337`; a task's difficulty is BIRD's own: simple, moderate or challenging.

    The databases come from BIRD itself: *databases* is the folder of its .sqlite files (or of .sql files of yours).
    Without it they are looked for beside the tasks, as BIRD's folder `dev_databases` or as the published MySQL dump
    `ic_bird_dbs.sql`. With *evidence* each query ends with the hint that BIRD gives to it; the published benchmark
    leaves it out. `extra` holds `evidence` and BIRD's `question_id`.
    """

    name = "bird"
    tasks_file = "ic_bird.json"
    dump_file = "ic_bird_dbs.sql"

    def __init__(
        self,
        *,
        folder: str | PathLike[str] | None = None,
        databases: str | PathLike[str] | None = None,
        evidence: bool = False,
    ) -> None:
        super().__init__(folder=folder)
        self.databases = None if databases is None else Path(databases)
        if evidence:
            self._tasks = [
                replace(task, query=f"{task.query} ({task.extra['evidence']})") if task.extra.get("evidence") else task
                for task in self._tasks
            ]

    def _find_source(self) -> DatabaseSource:
        if self.databases is not None:
            return folder_source(self.databases, name=self.name)
        own, dump = self.folder / BIRDS_OWN, dump_in(self.folder, self.dump_file)
        if own.is_dir():
            return folder_source(own, name=self.name)
        if dump is not None:
            return DatabaseSource(self.name, dump, "mysql_dump")
        raise BadDataError(
            f"the databases of BIRD are not here: take the folder {BIRDS_OWN} from its archive of development data and "
            f"put it at {own}, or say where it is by the option databases=FOLDER"
        )
