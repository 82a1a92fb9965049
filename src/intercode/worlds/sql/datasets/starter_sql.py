"""Our own SQL tasks over three small databases of ours: nothing to download, for a first run and `exact` scoring."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path

from intercode.datasets.base import ListedDataset
from intercode.types import Task
from intercode.types.databases import DatabaseSource

FOLDER = Path(__file__).parents[1] / "starter"


class StarterSqlDataset(ListedDataset):
    """The tasks of `starter/tasks.toml`, ids `starter-sql/NAME`, reading and changing, from easy to extra.

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
        """Return the three databases, for every task the same."""
        return self._source


def _task(
    name: str, query: str, gold: str, db: str, category: str, difficulty: str, alternative_golds: Sequence[str] = ()
) -> Task:
    others = tuple(alternative_golds)
    return Task(
        f"starter-sql/{name}", query, gold.strip(), "sql", category, difficulty, {"db": db}, alternative_golds=others
    )
