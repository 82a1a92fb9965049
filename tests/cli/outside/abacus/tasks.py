"""Three tasks on the abacus."""

from __future__ import annotations

from intercode.datasets.base import ListedDataset
from intercode.types import Task
from intercode_sandbox.images import Image
from intercode_sandbox.images.files_layer import FilesLayer

LAYER = FilesLayer({"/abacus/rods": "apples 17\nfigs 5\npears 25\n"}, title="an abacus")
TASKS = {
    "sum": (
        "Add the pears to the apples, and say how many there are then.",
        "add apples pears\nshow apples",
    ),
    "clear": ("Put 0 on the rod of figs.", "put figs 0"),
    "less": ("Take the figs from the pears, and say what is left.", "take pears figs\nshow pears"),
}


class AbacusDataset(ListedDataset):
    """`--dataset abacus`."""

    name = "abacus"
    world = "abacus"

    def __init__(self) -> None:
        self._tasks = [Task(f"abacus/{id}", query, gold, "abacus") for id, (query, gold) in TASKS.items()]
        self._images: dict[str, Image] = {}

    def image(self, task: Task, base: Image) -> Image:
        return self._images.setdefault(base.digest, base.with_layers(LAYER, name="abacus"))
