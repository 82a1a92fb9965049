"""Our own Python tasks: functions and programs to write; nothing to download, for a first run and `exact` scoring."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from intercode.datasets.base import ListedDataset
from intercode.types import Task

FOLDER = Path(__file__).parents[1] / "starter"


class StarterPythonDataset(ListedDataset):
    """The tasks of `starter/tasks.toml`, ids `starter-python/NAME`, from easy to hard.

    `extra` holds the hidden tests: `tests`, or for programs `inputs` and `outputs`. Every gold is known to score 1
    under `exact`, and doing nothing to score 0, with any Python from 3.9.
    """

    name = "starter-python"
    world = "python"

    def __init__(self) -> None:
        listed = tomllib.loads((FOLDER / "tasks.toml").read_text(encoding="utf-8"))["tasks"]
        self._tasks = tuple(_task(**entry) for entry in listed)


def _task(name: str, query: str, gold: str, category: str, difficulty: str, **tests: Any) -> Task:
    return Task(f"starter-python/{name}", query, gold.strip(), "python", category, difficulty, tests)
