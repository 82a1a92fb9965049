"""Which tasks a trainer can learn from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from intercode import world_specs
from intercode.datasets.base import Dataset
from intercode.types import Task


def scored_tasks(dataset: Dataset, tasks: Iterable[Task] | None = None) -> Iterator[Task]:
    """Return those of *tasks* (None: all of *dataset*) whose endings are judged.

    Flags of challenges come with the episode, and a reward of the data set's own needs no gold.
    """
    brings = world_specs.find(dataset.world).material == "challenges" or dataset.reward_file is not None
    chosen = dataset if tasks is None else tasks
    return (task for task in chosen if not task.excluded and (brings or task.gold is not None))
