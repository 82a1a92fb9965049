"""What all generated data sets have in common: a maker, its recipe, and batches that are made once."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from hashlib import sha256
from typing import Any, ClassVar, Generic, TypeVar

from intercode.datasets.base import Dataset
from intercode.datasets.settings.option_types import check_types
from intercode.errors import UnknownNameError, UserError
from intercode.types import Task
from intercode_generate.family import DIFFICULTIES, Difficulty
from intercode_generate.maker import Batch, Maker, Recipe, source_digest
from intercode_generate.splits import SPLITS, check

KEPT = 512
"""Batches that are kept in memory; others are made again."""

World = TypeVar("World")


class GeneratedDataset(Dataset, Generic[World]):
    """*count* tasks of a *split*, made in batches as they are asked for, the same on every machine for a *seed*.

    With a *difficulty* (`easy`, `medium`, `hard`) all tasks have it. A larger *count* only adds tasks. A subclass gives
    its `maker`, and says what its tasks stand on.

    Raises:
        UserError: For options that do not exist.
    """

    maker: ClassVar[Maker[Any]]

    def __init__(self, *, count: int = 1000, seed: int = 0, split: str = "train", difficulty: str = "") -> None:
        check_types({"count": count, "seed": seed})
        if count < 1:
            raise UserError("count starts at 1")
        self.count = count
        self.recipe = Recipe(seed, check(split), _difficulty(difficulty))
        self._batch = lru_cache(maxsize=KEPT)(partial(self.maker.batch, self.recipe))
        self._making = threading.Lock()

    def batch(self, number: int) -> Batch[World]:
        """Return the batch of that *number*, made once; safe to ask from several threads."""
        with self._making:
            found: Batch[World] = self._batch(number)
        return found

    def batch_of(self, task: Task) -> Batch[World]:
        """Return the batch that *task* is in."""
        return self.batch(int(task.extra["batch"]))

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> Task:
        if not 0 <= index < self.count:
            raise IndexError(f"{self.name} has {self.count} tasks")
        return self.batch(index // self.maker.size).tasks[index % self.maker.size]

    def __iter__(self) -> Iterator[Task]:
        return (self[index] for index in range(self.count))

    def find(self, name: int | str) -> Task:
        """See `Dataset.find`. An id says where its task is: nothing is searched."""
        if isinstance(name, str) and "-" in name:
            number = name.rpartition("-")[2]
            if number.isdecimal() and len(number) < 19 and int(number) < self.count:
                task = self[int(number)]
                if name == task.id or task.id.endswith(f"/{name}"):
                    return task
            raise UnknownNameError(f"no task {name!r} in {self.name}; `intercode tasks {self.name}` lists them")
        return super().find(name)

    @property
    def splits(self) -> Mapping[str, Dataset]:
        """All splits, each with the same options: `generated-bash/test-families` is one of them."""
        recipe = self.recipe
        options: dict[str, Any] = {"count": self.count, "seed": recipe.seed, "difficulty": recipe.difficulty or ""}
        return {split: type(self)(split=split, **options) for split in SPLITS}

    @property
    def checksum(self) -> str:
        """Of the recipe and of the source that follows it: nothing has to be made for it."""
        return sha256(f"{self.name} {self.recipe!r} {self.count} {source_digest()}".encode()).hexdigest()


def _difficulty(name: str) -> Difficulty | None:
    if not name:
        return None
    for known in DIFFICULTIES:
        if name == known:
            return known
    raise UserError(f"no difficulty called {name!r}; there are: {', '.join(DIFFICULTIES)}")
