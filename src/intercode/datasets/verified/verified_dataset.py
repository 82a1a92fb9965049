"""What verified sets share: the tasks of a published set, changed or left out as their lines say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from intercode.datasets.base import Dataset, ListedDataset
from intercode.datasets.challenges import Challenge
from intercode.datasets.verified.changes import TaskChange, changes_in
from intercode.errors import BadDataError
from intercode.types import Scoring, Task
from intercode.types.databases import DatabaseSource
from intercode_sandbox.images import Image


class VerifiedDataset(ListedDataset):
    """The tasks of *published* with the changes that ship with the package, judged by `exact` unless told.

    `fs1/3` of `nl2bash` is `nl2bash-verified/fs1/3`. A changed task says why in `extra`: `reason`, `reworded`,
    `published_query`. What is not in the set is in `left_out`, with the reason. A subclass makes *published*, with what
    is planted in its worlds; *folder* is its own: the changes are there in `changes.jsonl`, and in `checks.py` the
    reward whose functions judge the tasks that name a `check`.

    Raises:
        BadDataError: For a change to a task that there is not.
    """

    default_scoring: Scoring = "exact"

    def __init__(self, published: Dataset, folder: Path) -> None:
        self.published, self._folder = published, folder
        self.name = f"{published.name}-verified"
        self.world = published.world
        self.default_image, self.default_limits = published.default_image, published.default_limits
        self.changes: Mapping[str, TaskChange] = changes_in(folder)
        self.left_out = {id: change.reason for id, change in self.changes.items() if change.left_out}
        before = {task.id.partition("/")[2]: task for task in published}
        if strange := sorted(self.changes.keys() - before.keys()):
            raise BadDataError(f"{self.name}: a change is to {strange[0]}, which is not a task of {published.name}")
        self._tasks = [self._task(id, task) for id, task in before.items() if id not in self.left_out]
        if any(change.check for change in self.changes.values()):
            self.reward_file = folder / "checks.py"

    @property
    def checksum(self) -> str:
        """Of the published files and of all that is changed."""
        here = self._folder
        files = [*sorted(here.glob("planted/*")), here / "changes.jsonl", here / "checks.py"]
        ours = [path.read_bytes() for path in files if path.is_file()]
        return sha256(b"\0".join([self.published.checksum.encode(), *ours])).hexdigest()

    def image(self, task: Task, base: Image) -> Image:
        """Return the published set's image for *task*, with what is planted."""
        return self.published.image(task, base)

    def source(self, task: Task) -> DatabaseSource:
        """Return the published set's databases, with what is planted."""
        return self.published.source(task)

    def database(self, task: Task) -> str:
        """Return the published set's database for *task*."""
        return self.published.database(task)

    def challenge(self, task: Task, seed: int) -> Challenge:
        """Return the published set's challenge for *task*."""
        return self.published.challenge(task, seed)

    def _task(self, id: str, task: Task) -> Task:
        changed = self.changes[id].on(task) if id in self.changes else task
        return replace(changed, id=f"{self.name}/{id}")
