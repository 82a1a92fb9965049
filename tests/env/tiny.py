"""A data set of a few tasks over a few files, for tests of worlds."""

from __future__ import annotations

from intercode.datasets.base import Dataset
from intercode.types import Scoring, Task
from intercode_sandbox.images import Image
from intercode_sandbox.images.files_layer import FilesLayer

FILES = FilesLayer(
    {"/shop/a.txt": "apple\nbanana\n", "/shop/b.txt": "cherry\n", "/shop/deep/c.txt": "damson\n"},
    mtimes={"/shop/a.txt": 1_000_000_000},
    title="files of the tests",
)
FRESH = FilesLayer({"/shop/now.txt": "now\n"}, fresh=True, title="fresh files of the tests")

TASKS = (
    ("Print the number of lines of a.txt in /shop.", "wc -l < /shop/a.txt"),
    ("Remove everything below /shop/deep.", "rm -r /shop/deep"),
    ("Print all fruits in /shop, in any order.", "find /shop -type f -exec cat {} +"),
    ("In /shop, sort a.txt downwards in place.", "cd /shop && sort -r -o a.txt a.txt"),
    ("Say when /shop/now.txt was made, in seconds.", "stat -c %Y /shop/now.txt"),
)


class TinyDataset(Dataset):
    """Five tasks: an answer, a change, an answer in any order, a change after `cd`, and one about the start's time."""

    name = "tiny"

    def __init__(self, scoring: Scoring = "exact", tasks: tuple[tuple[str, str | None], ...] = TASKS) -> None:
        self.default_scoring = scoring
        self._tasks = [Task(f"tiny/{number}", query, gold) for number, (query, gold) in enumerate(tasks)]
        self._images: dict[str, Image] = {}

    def __len__(self) -> int:
        return len(self._tasks)

    def __getitem__(self, index: int) -> Task:
        return self._tasks[index]

    def image(self, task: Task, base: Image) -> Image:
        if base.digest not in self._images:
            self._images[base.digest] = base.with_layers(FILES, FRESH, name="tiny")
        return self._images[base.digest]
