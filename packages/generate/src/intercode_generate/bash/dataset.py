"""Bash tasks without end, over generated file systems."""

from __future__ import annotations

from typing import ClassVar

from intercode.types import Task
from intercode_generate.bash.maker import BashMaker
from intercode_generate.bash.world import BashWorld
from intercode_generate.dataset import GeneratedDataset
from intercode_sandbox.images import Image


class GeneratedBashDataset(GeneratedDataset[BashWorld]):
    """Tasks of `generate/bash/families`, ids `generated-bash/SPLIT/SEED-DIFFICULTY-NUMBER`; options as its base has."""

    name = "generated-bash"
    maker: ClassVar[BashMaker] = BashMaker()

    def __init__(self, *, count: int = 1000, seed: int = 0, split: str = "train", difficulty: str = "") -> None:
        super().__init__(count=count, seed=seed, split=split, difficulty=difficulty)
        self._images: dict[tuple[str, str, int], Image] = {}

    def image(self, task: Task, base: Image) -> Image:
        """Return *base* with the file system of the task's batch on top, the same for all tasks of a batch."""
        batch = self.batch_of(task)
        key = (base.name, base.digest, batch.number)
        if key not in self._images:
            image = base.with_layers(batch.world.layer, name=f"{base.name}+{self.name}-{batch.number}")
            return self._images.setdefault(key, image)
        return self._images[key]
