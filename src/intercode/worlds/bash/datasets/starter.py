"""Our own Bash tasks over a file system of ours: nothing to download, made for a first run and for `exact` scoring."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence

from intercode.datasets.base import ListedDataset
from intercode.types import Criteria, Task
from intercode.worlds.bash.starter.image import FOLDER, shop_layer
from intercode_sandbox.images import Image


class StarterDataset(ListedDataset):
    """The tasks of `starter/tasks.toml`, ids `starter/bash/NAME`, from easy to hard, reading and changing files.

    Every gold is known to score 1 under `exact`, and doing nothing to score 0, on any Debian or Ubuntu of today.
    """

    name = "starter"

    def __init__(self) -> None:
        listed = tomllib.loads((FOLDER / "tasks.toml").read_text(encoding="utf-8"))["tasks"]
        self._tasks = tuple(_task(**entry) for entry in listed)
        self._shop = shop_layer()
        self._images: dict[tuple[str, str], Image] = {}

    def image(self, task: Task, base: Image) -> Image:
        """Return *base* with the shop's folder on top, for every task the same."""
        key = base.name, base.digest
        if key not in self._images:
            self._images.setdefault(key, base.with_layers(self._shop, name=f"{base.name}+starter"))
        return self._images[key]


def _task(name: str, query: str, gold: str, category: str, difficulty: str, criteria: Sequence[str] = ()) -> Task:
    chosen = Criteria(**dict.fromkeys(criteria, True))
    return Task(f"starter/bash/{name}", query, gold.strip(), category=category, difficulty=difficulty, criteria=chosen)
