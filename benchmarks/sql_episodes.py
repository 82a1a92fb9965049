"""The episodes that designs of the SQL world play: five recorded queries on one of Spider's databases, and its gold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle

from intercode.audit.replay.published import recordings
from intercode.datasets.spider.dataset import SpiderDataset
from intercode.types import Task
from intercode.worlds.sql.databases.dialect.access_level import access_level
from intercode_sandbox.util import paths

RECORDED = "recorded/sql/ic_sql_multiturn_gpt-3.5_10_turns.json.gz"

QUERIES = tuple("12345")
"""The commands of `timing.play`: which query of the episode that goes on is to be run."""


@dataclass(frozen=True, slots=True)
class Episode:
    """A task and what was asked for it; `database` is the one it is about."""

    task: Task
    database: str
    queries: tuple[str, ...]

    def query(self, command: str) -> str:
        """Return the query that a command of `QUERIES` stands for."""
        return self.queries[int(command) - 1]


def episodes(dataset: SpiderDataset) -> list[Episode] | None:
    """Return all recorded episodes with five queries that read; None where the recordings are not there."""
    path = paths.data() / RECORDED
    return list(_read(dataset)) if path.is_file() else None


def endless(found: list[Episode]) -> Iterator[Episode]:
    """Return the same episodes in the same order for every design, over and over."""
    return cycle(found)


def _read(dataset: SpiderDataset) -> Iterator[Episode]:
    for each in recordings.read(paths.data() / RECORDED).episodes:
        queries = tuple(turn.code for turn in each.turns if turn.kind == "run" and access_level(turn.code) == "read")
        if len(queries) >= len(QUERIES):
            task = dataset.find(each.number)
            yield Episode(task, dataset.database(task), queries[: len(QUERIES)])
