"""Spider with golds, requests and rows on which people and rewards agree."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path

from intercode.datasets.databases.extended_dump import with_statements
from intercode.datasets.spider.dataset import SpiderDataset
from intercode.datasets.verified import VerifiedDataset
from intercode.datasets.verified.planted_files import rows
from intercode.types import Task
from intercode.types.databases import DatabaseSource

FOLDER = Path(__file__).parent


class SpiderVerifiedDataset(VerifiedDataset):
    """The tasks `spider-verified/0` and so on: those of `spider` with the changes and rows that ship here.

    *folder* is where the published files are (None: where `intercode data get spider` puts them). See
    `VerifiedDataset` for what a changed task tells, and docs/decisions/verified-sets.md for how changes are made.
    """

    name = "spider-verified"

    def __init__(self, *, folder: str | PathLike[str] | None = None) -> None:
        super().__init__(_PlantedSpider(folder=folder), FOLDER)

    def _task(self, id: str, task: Task) -> Task:
        """Return the task as it is here, where what is known of the published golds does not hold.

        Void ones show planted rows, and ambiguous and wrong ones have changes of their own.
        """
        return replace(super()._task(id, task), known_issue="")


class _PlantedSpider(SpiderDataset):
    """The published set on databases with planted rows."""

    def _find_source(self) -> DatabaseSource:
        return with_statements(super()._find_source(), rows(FOLDER / "planted"))
