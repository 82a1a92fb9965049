"""SQL tasks without end, over generated databases."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import ClassVar

from intercode.types import Task
from intercode.types.databases import DatabaseSource
from intercode.worlds.sql.databases.dumps.cached import cached_folder
from intercode_generate.dataset import GeneratedDataset
from intercode_generate.sql.maker import SqlMaker
from intercode_generate.sql.schema import SqlWorld


class GeneratedSqlDataset(GeneratedDataset[SqlWorld]):
    """Tasks of `generate/sql/families`, ids `generated-sql/SPLIT/SEED-DIFFICULTY-NUMBER`; options as its base has.

    The databases are written to the cache when their tasks are played; `extra` names a task's as `db`.
    """

    name = "generated-sql"
    world = "sql"
    maker: ClassVar[SqlMaker] = SqlMaker()

    def __init__(self, *, count: int = 1000, seed: int = 0, split: str = "train", difficulty: str = "") -> None:
        super().__init__(count=count, seed=seed, split=split, difficulty=difficulty)
        self._sources: dict[int, DatabaseSource] = {}

    def source(self, task: Task) -> DatabaseSource:
        """Return the database of the task's batch, the same for all tasks of a batch."""
        batch = self.batch_of(task)
        if batch.number not in self._sources:
            self._sources.setdefault(batch.number, _write_source(batch.world))
        return self._sources[batch.number]


def _write_source(world: SqlWorld) -> DatabaseSource:
    """Return the script of *world* in the cache."""
    script = world.script

    def write(folder: Path) -> None:
        (folder / f"{world.name}.sql").write_text(script, encoding="utf-8")

    digest = sha256(f"{world.name}\n{script}".encode()).hexdigest()[:32]
    return DatabaseSource(world.name, cached_folder("generated", digest, write) / f"{world.name}.sql", "sql")
