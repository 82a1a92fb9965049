"""The tasks that clients of a server may play, and their splits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from intercode.datasets.base import Dataset, ListedDataset
from intercode.errors import UnknownNameError
from intercode.types import Task


class ServedTasks(ListedDataset):
    """The tasks that clients may play, found as in the data set that they are of.

    *splits* are parts of them by name. Where a data set has none, all of its tasks are its `test`.
    """

    def __init__(self, name: str, tasks: Sequence[Task], splits: Mapping[str, Sequence[Task]] | None = None) -> None:
        self.name, self._tasks = name, tasks
        self._splits = dict(splits or {"test": tasks})

    @classmethod
    def of(cls, dataset: Dataset, tasks: Sequence[Task]) -> ServedTasks:
        """Return those *tasks* of *dataset*, in its splits."""
        ids = {task.id for task in tasks}
        parts = {name: [task for task in part if task.id in ids] for name, part in dataset.splits.items()}
        return cls(dataset.name, tasks, {name: part for name, part in parts.items() if part})

    @property
    def split_names(self) -> list[str]:
        """The names of the splits."""
        return list(self._splits)

    def split(self, name: str) -> Sequence[Task]:
        """Return the tasks of a split.

        Raises:
            UnknownNameError: If there is no such split.
        """
        try:
            return self._splits[name]
        except KeyError:
            raise UnknownNameError(f"no split {name!r}; there are: {', '.join(self._splits)}") from None

    def of_split(self, name: str, index: int) -> Task:
        """Return the task at *index* of a split, from 0.

        Raises:
            UnknownNameError: If there is no such split or task.
        """
        found = self.split(name)
        if not 0 <= index < len(found):
            raise UnknownNameError(f"no task {index} in the split {name}: it has {len(found)}, counted from 0")
        return found[index]
