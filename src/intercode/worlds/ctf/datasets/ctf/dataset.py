"""InterCode-CTF as it was published: 100 tasks of picoCTF, each with its files."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from os import PathLike
from pathlib import Path

from intercode.datasets.base import ListedDataset
from intercode.datasets.challenges import Challenge
from intercode.datasets.formats import Record, read_records, tasks_from
from intercode.datasets.sources import SOURCES, folder_of
from intercode.datasets.sources.folders import is_fetched
from intercode.errors import BadDataError, DownloadError
from intercode.types import Scoring, Task
from intercode.util.regular_files import LARGEST_DATA, read_bytes
from intercode.worlds.ctf.datasets.ctf.published_challenges import CORRECTED, EXCLUDED, SETUP_LEFT_OUT, WITHOUT_FILES
from intercode_sandbox.images import Image, Layer
from intercode_sandbox.images.copied_layer import CopiedLayer
from intercode_sandbox.images.files_layer import FilesLayer
from intercode_sandbox.sandbox import Limits

TASKS, ASSETS, SOLUTIONS = "ic_ctf.json", "task_assets", "solution"


class CtfDataset(ListedDataset):
    """The tasks `ctf/0` to `ctf/99`. A task's shell starts in /ctf/NUMBER; as published, all folders are there.

    Tasks that need a network or a server that is gone (`Task.excluded` says which) have no gold: they can be played and
    count in no score, but with *excluded*. Under `exact` scoring flags that were published wrong are corrected. A
    published set-up command is run before the agent comes, unless it needs the network.

    *folder* is where the files are (None: where `intercode data get ctf` puts them); what lies in folders called
    `solution` is left out. A task whose own files are missing raises DownloadError when it is begun, unless
    *incomplete* says that this is wanted: then its folder is empty.

    Raises:
        BadDataError: If the file of tasks is missing.
    """

    name = "ctf"
    world = "ctf"
    default_scoring: Scoring = "paper"
    default_image = "ctf"
    default_limits = Limits(tracing=True)  # its image has gdb

    def __init__(
        self, *, folder: str | PathLike[str] | None = None, excluded: bool = False, incomplete: bool = False
    ) -> None:
        self.folder = folder_of(self.name) if folder is None else Path(folder)
        self.incomplete = incomplete
        path = self.folder / TASKS
        if not path.exists():
            raise BadDataError(f"{path} is missing: `intercode data get {self.name}` fetches it")
        records, data = read_records(path)
        self._checksum = sha256(data).hexdigest()
        found = tasks_from(
            [_with_folder_number(record, path) for record in records], path, name=self.name, world=self.world
        )
        self._tasks = [_task(task, excluded) for task in found]
        self._images: dict[str, Image] = {}

    def image(self, task: Task, base: Image) -> Image:
        """Return *base* with the folders of all tasks on top, for every task the same."""
        if base.digest not in self._images:
            self._images[base.digest] = base.with_layers(*self._layers(), name=f"{base.name}+{self.name}")
        return self._images[base.digest]

    def challenge(self, task: Task, seed: int) -> Challenge:
        """Return the task's challenge, whatever the seed."""
        number = int(task.extra["task_id"])
        if not self.incomplete and not self._has_files(number):
            assets = self.folder / ASSETS / str(number)
            raise DownloadError(
                f"{self._missing(assets)}; or play it in an empty folder: --dataset-option incomplete=true"
            )
        correction = CORRECTED.get(number)
        is_wrong = correction is not None and correction.published == task.gold
        return Challenge(
            flag=correction.flag if correction is not None and is_wrong else task.gold,
            folder=f"/ctf/{number}",
            setup="" if number in SETUP_LEFT_OUT else str(task.extra.get("setup", "")),
            published=task.gold,
        )

    def asset(self, task: Task, path: str) -> bytes:
        """Return the content of *path* in the folder of *task*'s files.

        Raises:
            DownloadError: If it is missing.
        """
        file = self.folder / ASSETS / str(task.extra["task_id"]) / path
        try:
            return read_bytes(file, most=LARGEST_DATA)
        except FileNotFoundError:
            raise DownloadError(self._missing(file)) from None

    def _missing(self, path: Path) -> str:
        return f"{path} is missing: `intercode data get {self.name}` fetches the files of the tasks"

    def _has_files(self, number: int) -> bool:
        assets = self.folder / ASSETS
        is_whole = is_fetched(assets, SOURCES[self.name].commit)
        return is_whole or number in WITHOUT_FILES or (assets / str(number)).is_dir()

    def _layers(self) -> tuple[Layer, ...]:
        folders = tuple(f"ctf/{task.extra['task_id']}" for task in self)
        empty = FilesLayer(directories=folders, title="folders for the tasks")
        assets = self.folder / ASSETS
        return (empty, CopiedLayer(assets, "/ctf", without=(SOLUTIONS,))) if assets.is_dir() else (empty,)


def _with_folder_number(record: Record, path: Path) -> Record:
    """Return a task is called by the number that its files' folder has."""
    number = record.columns.get("task_id")
    if not isinstance(number, int) or isinstance(number, bool):
        raise BadDataError(f"{path}: {record.place}, field 'task_id': expected a number, not {number!r}")
    return replace(record, columns={**record.columns, "id": number})


def _task(task: Task, with_excluded: bool) -> Task:
    reason = "" if with_excluded else EXCLUDED.get(task.extra["task_id"], "")
    tags = task.extra.get("tags")
    category = str(tags[0]).lower() if isinstance(tags, list) and tags else ""
    return replace(task, gold=None if reason else task.gold, category=category, excluded=reason)
