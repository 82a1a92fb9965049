"""Task folders in Harbor's format (and Terminal-Bench's): an instruction, an environment, tests, often a solution."""

from intercode.datasets.harbor_tasks.settings import (
    COMPOSE,
    INSTRUCTION,
    NAME,
    HarborTask,
    is_task,
    read_task,
    task_folders,
)

__all__ = ["COMPOSE", "INSTRUCTION", "NAME", "HarborTask", "is_task", "read_task", "task_folders"]
