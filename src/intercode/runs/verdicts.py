"""What was found of tasks when they were prepared, kept: playable, or why not. Runs leave out what is known to fail."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from os.path import realpath
from pathlib import Path
from urllib.parse import quote

from intercode.datasets.base import Dataset
from intercode.runs.settings import Settings
from intercode.types import Task
from intercode.util.atomic_write import write_text
from intercode_sandbox.images.digests import recipe_key
from intercode_sandbox.util import paths
from intercode_sandbox.util.text import pluralize

DECIDING = ("dataset_options", "world", "sandbox", "image", "network", "verifier_network", "reward")
"""The settings on which it depends whether a task can be played."""

SHOWN = 3
"""Tasks left out of a run that are told with their reasons."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of preparing a task: how many golds were kept, and why it cannot be played (`error`), "" if it can.

    `checksum` is that of the task then, and `seconds` how long it took.
    """

    task: str
    golds: int = 0
    error: str = ""
    seconds: float = field(default=0.0, compare=False)
    checksum: str = field(default="", compare=False)

    @property
    def is_good(self) -> bool:
        """Return whether its episodes can be played."""
        return not self.error


@dataclass(frozen=True)
class Verdicts:
    """The verdicts on the tasks of one data set under some settings, one file for each in *folder*."""

    folder: Path

    @classmethod
    def of(cls, settings: Settings) -> Verdicts:
        """Return those that hold under *settings*."""
        deciding = [(name, str(getattr(settings, name))) for name in DECIDING if getattr(settings, name)]
        return cls(paths.cache() / "prepared" / recipe_key("prepared", realpath(settings.dataset), *deciding))

    def find(self, dataset: Dataset, task: Task) -> Verdict | None:
        """Return the verdict on *task* as it is now; None if there is none."""
        found = _read(self._path(task.id))
        return found if found and found.checksum == dataset.task_checksum(task) else None

    def keep(self, verdict: Verdict) -> None:
        """Store it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        write_text(self._path(verdict.task), json.dumps(asdict(verdict), indent=1) + "\n")

    def failing(self, dataset: Dataset) -> Mapping[str, str]:
        """Return why tasks cannot be played that are known to be so, by their ids."""
        known = map(_read, sorted(self.folder.glob("*.json")))
        failing = {verdict.task: verdict for verdict in known if verdict and verdict.error}
        tasks = [task for task in dataset if task.id in failing] if failing else []
        return {task.id: failing[task.id].error for task in tasks if self.find(dataset, task)}

    def _path(self, id: str) -> Path:
        return self.folder / f"{quote(id, safe='')}.json"


def playable(settings: Settings, dataset: Dataset, say: Callable[[str], None]) -> Settings:
    """Return *settings* with the tasks named, where none are, if some of *dataset* are known not to be playable.

    *say* is told which these are, and where all are nothing is left out.
    """
    verdicts = Verdicts.of(settings)
    if settings.tasks or not verdicts.folder.is_dir():
        return settings
    failing = verdicts.failing(dataset)
    left = tuple(task.id for task in dataset if task.id not in failing)
    if not failing or not left:
        return settings
    them = "it" if len(failing) == 1 else "them"
    say(f"{pluralize(len(failing), 'task')} left out, as `intercode data prepare` found; --tasks plays {them} by name:")
    for id, error in list(failing.items())[:SHOWN]:
        say(f"  {id}: {error}")
    if len(failing) > SHOWN:
        say(f"  and {len(failing) - SHOWN} more")
    return settings.changed(tasks=left)


def _read(path: Path) -> Verdict | None:
    try:
        return Verdict(**json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError):
        return None
