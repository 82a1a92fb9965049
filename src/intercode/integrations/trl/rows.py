"""A data set's tasks as rows for a trainer: a prompt and a task's id, and nothing of its gold."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from intercode import datasets, world_specs
from intercode.datasets.base import Dataset
from intercode.integrations.scored_tasks import scored_tasks
from intercode.models.core.chat_protocol import messages_to_json
from intercode.types import Task
from intercode.world_specs.tools import first_messages

if TYPE_CHECKING:
    import datasets as hugging_face


def to_hf_dataset(
    dataset: str | PathLike[str] | Dataset, *, tasks: Iterable[str] = (), shell: str = "fresh"
) -> hugging_face.Dataset:
    """The tasks that can be scored as a `datasets.Dataset` with the columns `prompt` (messages) and `task` (an id).

    Args:
        dataset: A name, a path or a `Dataset`, such as `mbpp/train`.
        tasks: The ids of those to take, or their ends; empty for all.
        shell: What the instructions say of worlds with a shell: `fresh` or `persistent`.

    Raises:
        UserError: For a data set or a task that there is not.
    """
    import datasets as hugging_face

    found = dataset if isinstance(dataset, Dataset) else datasets.load(fspath(dataset))
    chosen = [found.find(name) for name in tasks] or list(found)
    return hugging_face.Dataset.from_list([row(task, shell) for task in scored_tasks(found, chosen)])


def row(task: Task, shell: str) -> dict[str, Any]:
    """Return one of its rows."""
    return {
        "prompt": messages_to_json(first_messages(world_specs.find(task.world), task.query, shell=shell)),
        "task": task.id,
    }
