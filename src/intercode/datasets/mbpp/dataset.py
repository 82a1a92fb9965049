"""MBPP as InterCode published it: 974 functions to write, each with tests."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from os import PathLike
from pathlib import Path

from intercode.datasets.base import Dataset, ListedDataset, Subset
from intercode.datasets.formats import read_records, tasks_from
from intercode.datasets.sources import folder_of
from intercode.errors import BadDataError
from intercode.types import Scoring, Task

FILE = "ic_mbpp.json"

SPLITS = {"prompt": (1, 10), "test": (11, 510), "validation": (511, 600), "train": (601, 974)}
"""The `task_id`s of MBPP's own parts, from the first to the last; `prompt` is for few-shot prompts."""


class MbppDataset(ListedDataset):
    """The tasks `mbpp/0` to `mbpp/973`; `extra` holds the hidden `tests`, `test_setup_code`, and MBPP's own `task_id`.

    *folder* is where the file is (None: where `intercode data get mbpp` puts it).

    Raises:
        BadDataError: If the file is missing or malformed. Names what is wrong.
    """

    name = "mbpp"
    world = "python"
    default_scoring: Scoring = "paper"
    default_image = "debian"

    def __init__(self, *, folder: str | PathLike[str] | None = None) -> None:
        self.folder = folder_of(self.name) if folder is None else Path(folder)
        path = self.folder / FILE
        if not path.exists():
            raise BadDataError(f"{path} is missing: `intercode data get mbpp` fetches it")
        records, data = read_records(path)
        self._checksum = sha256(data).hexdigest()
        self._tasks = tasks_from(records, path, name=self.name, world=self.world)

    @property
    def splits(self) -> Mapping[str, Dataset]:
        """MBPP's own, by `task_id`: see `Dataset.splits`."""
        return {name: Subset(self, f"{self.name}/{name}", tasks) for name in SPLITS if (tasks := self._part(name))}

    def _part(self, name: str) -> list[Task]:
        first, last = SPLITS[name]
        return [task for task in self._tasks if first <= int(task.extra.get("task_id", 0)) <= last]
