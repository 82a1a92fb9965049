"""Our own SQL tasks over three small databases of ours: nothing to download, for a first run and `exact` scoring."""

from __future__ import annotations

import tomllib
from pathlib import Path

from intercode.databases.base import DatabaseSource
from intercode.datasets.base import ListedDataset
from intercode.types import Task

FOLDER = Path(__file__).parent / "starter_databases"


class StarterSqlDataset(ListedDataset):
    """The tasks of `starter_databases/tasks.toml`, ids `starter-sql/NAME`, reading and changing, from easy to extra.

    A bicycle shop, a library and weather stations; `extra` names the database as `db`. Every gold is known to score 1
    under `exact`, and doing nothing to score 0, on SQLite, MySQL and MariaDB alike.
    """

    name = "starter-sql"
    world = "sql"

    def __init__(self) -> None:
        listed = tomllib.loads((FOLDER / "tasks.toml").read_text(encoding="utf-8"))["tasks"]
        self._tasks = tuple(_task(**entry) for entry in listed)
        self._source = DatabaseSource(self.name, FOLDER, "sql")

    def source(self, task: Task) -> DatabaseSource:
        """The three databases, for every task the same."""
        return self._source


def _task(name: str, query: str, gold: str, db: str, category: str, difficulty: str) -> Task:
    return Task(f"starter-sql/{name}", query, gold.strip(), "sql", category, difficulty, {"db": db})
