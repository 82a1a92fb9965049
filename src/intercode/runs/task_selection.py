"""Which tasks of a data set a run plays."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase

from intercode.datasets.base import Dataset
from intercode.errors import UserError
from intercode.types import Task


def select(
    dataset: Dataset, wanted: Sequence[str], limit: int | None, left_out: Collection[str] = ()
) -> tuple[Task, ...]:
    """Select tasks, each once, in the data set's order.

    Args:
        dataset: The data set.
        wanted: Ids, ends of ids, indices, or patterns for ids (`nl2bash/fs1/*`, `*/7`); empty: all.
        limit: The most tasks. None: no limit.
        left_out: Ids of tasks that are not taken.

    Raises:
        UnknownNameError: If there is no such task, or a pattern fits none.
        UserError: If no task is left.
    """
    if left_out:
        return _but(left_out, select(dataset, wanted, None), limit)
    if not wanted:
        return tuple(dataset[index] for index in range(len(dataset) if limit is None else min(limit, len(dataset))))
    ids = {task.id for name in wanted for task in _named(dataset, name)}
    return tuple(task for task in dataset if task.id in ids)[:limit]


def _but(left_out: Collection[str], tasks: Sequence[Task], limit: int | None) -> tuple[Task, ...]:
    kept = tuple(task for task in tasks if task.id not in left_out)[:limit]
    if not kept:
        raise UserError("--without-wrong-golds leaves no task: all that were named have wrong golds")
    return kept


def _named(dataset: Dataset, name: str) -> list[Task]:
    if not set(name) & set("*?["):
        return [dataset.find(name)]
    found = [task for task in dataset if fnmatchcase(task.id, name) or fnmatchcase(task.id, f"{dataset.name}/{name}")]
    if not found:
        raise UserError(f"no task of {dataset.name} is like {name!r}; `intercode tasks {dataset.name}` lists them")
    return found
