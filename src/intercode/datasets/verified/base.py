"""What verified sets share: the tasks of a published set, changed or left out as their lines say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from intercode.databases.base import DatabaseSource
from intercode.datasets.base import Dataset, ListedDataset
from intercode.datasets.challenges import Challenge
from intercode.datasets.verified.changes import FOLDER, Change, changes_of
from intercode.errors import BadDataError, UnknownNameError
from intercode.sandboxes.images import Image
from intercode.types import Scoring, Task


class VerifiedDataset(ListedDataset):
    """The tasks of *published* with the changes that ship with the package, judged by `exact` unless told.

    `fs1/3` of `nl2bash` is `nl2bash-verified/fs1/3`. A changed task says why in `extra`: `reason`, `reworded`,
    `published_query`. What is not in the set is in `left_out`, with the reason. A subclass makes *published*, with what
    is planted in its worlds; *folder* is where the changes are.

    Raises:
        BadDataError: For a change to a task that there is not.
    """

    default_scoring: Scoring = "exact"

    def __init__(self, published: Dataset, folder: Path = FOLDER) -> None:
        self.published, self._folder = published, folder
        self.name = f"{published.name}-verified"
        self.world = published.world
        self.default_image, self.default_limits = published.default_image, published.default_limits
        self.changes: Mapping[str, Change] = changes_of(published.name, folder)
        self.left_out = {id: change.reason for id, change in self.changes.items() if change.left_out}
        before = {task.id.partition("/")[2]: task for task in published}
        if strange := sorted(self.changes.keys() - before.keys()):
            raise BadDataError(f"{self.name}: a change is to {strange[0]}, which is not a task of {published.name}")
        self._tasks = [self._task(id, task) for id, task in before.items() if id not in self.left_out]
        if any(change.check for change in self.changes.values()):
            self.reward_file = folder / checks(published.name)

    @property
    def checksum(self) -> str:
        """Of the published files and of all that is changed."""
        name = self.published.name
        here = self._folder
        files = [*here.glob(f"{name}.*"), *here.glob(f"{name}/*"), here / checks(name)]
        ours = [path.read_bytes() for path in sorted(files) if path.is_file()]
        return sha256(b"\0".join([self.published.checksum.encode(), *ours])).hexdigest()

    def find(self, name: int | str) -> Task:
        """See `Dataset.find`. Of a task that was left out, the error says why."""
        end = str(name).removeprefix(f"{self.name}/")
        if isinstance(name, str) and end in self.left_out:
            raise UnknownNameError(f"{end} is not in {self.name}: {self.left_out[end]}")
        return super().find(name)

    def image(self, task: Task, base: Image) -> Image:
        """The published set's image for *task*, with what is planted."""
        return self.published.image(task, base)

    def source(self, task: Task) -> DatabaseSource:
        """The published set's databases, with what is planted."""
        return self.published.source(task)

    def database(self, task: Task) -> str:
        """The published set's database for *task*."""
        return self.published.database(task)

    def challenge(self, task: Task, seed: int) -> Challenge:
        """The published set's challenge for *task*."""
        return self.published.challenge(task, seed)

    def _task(self, id: str, task: Task) -> Task:
        changed = self.changes[id].on(task) if id in self.changes else task
        return replace(changed, id=f"{self.name}/{id}")


def checks(published: str) -> str:
    """The file here with the set's own reward, whose functions judge the tasks that name a `check`."""
    return f"{published}_checks.py"
