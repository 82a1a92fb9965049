"""Which task is played next: the one that was asked for, or the next of an order that the seed decides."""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import Any

import numpy as np

from intercode.datasets.base import Dataset
from intercode.errors import UserError
from intercode.types import Task


def choose(dataset: Dataset, options: Mapping[str, Any], order: list[int], random: np.random.Generator) -> Task:
    """Return the task that *options* ask for, by index or id, or else the last of *order*, which loses it.

    An empty *order* is filled first: every task comes once before any comes again.

    Raises:
        UserError: For other options.
        UnknownNameError: For unknown tasks.
    """
    if unknown := sorted(options.keys() - {"task"}):
        raise UserError(f"unknown options {unknown}: reset takes options={{'task': index or id}}")
    task = options.get("task")
    if isinstance(task, str):
        return dataset.find(task)
    if task is not None:
        return dataset.find(_index(task))
    if not order:
        order += [int(number) for number in random.permutation(len(dataset))]
    return dataset[order.pop()]


def _index(task: Any) -> int:
    if isinstance(task, bool):  # a whole number in Python, and nobody who writes it means a task
        raise UserError(f"a task is an index or an id, not {task!r}")
    try:
        return index(task)
    except TypeError as error:
        raise UserError(f"a task is an index or an id, not {task!r}") from error
