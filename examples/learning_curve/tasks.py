"""The generated tasks that policies learn on, and those that no policy learns from."""

from __future__ import annotations

from collections.abc import Sequence

from examples.learning_curve.templates import Library

from intercode.datasets import load
from intercode.datasets.base import Dataset
from intercode.types import Task

TOPICS = ("archives", "gather", "links", "mail", "settings")
HELD_OUT = ("test-parameters", "test-phrasings", "test-families")


def load_tasks(
    train: int, held_out: int, splits: Sequence[str], topics: Sequence[str] = TOPICS
) -> tuple[list[Dataset], dict[str, list[Task]], Library]:
    """The data sets, their tasks of *topics* by split, and the command templates.

    *train* and *held_out* are how many tasks there are before other topics are left out. Of those for training, the
    ones stay that the templates can solve.
    """
    datasets, tasks = load_chat_tasks(train, held_out, splits, topics)
    library = Library(tasks["train"])
    tasks["train"] = [task for task in tasks["train"] if library.demonstration(task)]
    return list(datasets.values()), tasks, library


def load_chat_tasks(
    train: int, held_out: int, splits: Sequence[str], topics: Sequence[str]
) -> tuple[dict[str, Dataset], dict[str, list[Task]]]:
    """The data sets, and their tasks of *topics*, all where there are none, by split: easy ones."""
    counts = {**dict.fromkeys(splits, held_out), "train": train}
    datasets: dict[str, Dataset] = {
        split: load("generated-bash", count=count, seed=0, split=split, difficulty="easy")
        for split, count in counts.items()
    }
    tasks = {
        split: [task for task in dataset if not topics or task.category in topics]
        for split, dataset in datasets.items()
    }
    return datasets, tasks
