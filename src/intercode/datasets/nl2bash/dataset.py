"""NL2Bash as InterCode published it: 200 requests for shell commands over four file systems."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from os import PathLike
from pathlib import Path

from intercode.datasets.annotations import annotations_of
from intercode.datasets.base import ListedDataset
from intercode.datasets.formats import read_records, tasks_from
from intercode.datasets.nl2bash.image import FILE_SYSTEMS, FileSystemImages, published_image, script_name
from intercode.datasets.settings.option_types import check_types
from intercode.datasets.sources import folder_of
from intercode.errors import BadDataError, UnknownNameError
from intercode.types import Scoring, Task
from intercode_sandbox.images import Image
from intercode_sandbox.images.files_layer import FilesLayer


class NL2BashDataset(ListedDataset):
    """The tasks `nl2bash/fs1/0` to `nl2bash/fs4/26`; parts are called `nl2bash/fs1` and so on.

    *folder* is where the files are (None: where `intercode data get nl2bash` puts them). *file_system* puts all tasks
    on that one, 1 to 4, as happened to some published recordings. What was found out about golds by reading them is in
    `annotations.toml`.

    Raises:
        BadDataError: If a file is missing. Names it.
    """

    name = "nl2bash"
    default_scoring: Scoring = "paper"
    default_image = "debian"

    def __init__(self, *, file_system: int | None = None, folder: str | PathLike[str] | None = None) -> None:
        check_types({"file_system": file_system, "folder": folder})
        if file_system not in (None, *FILE_SYSTEMS):
            there = ", ".join(map(str, FILE_SYSTEMS))
            raise UnknownNameError(f"no file system {file_system!r} in nl2bash; there are: {there}")
        self.file_system = file_system
        self.folder = folder_of("nl2bash") if folder is None else Path(folder)
        _refuse_missing(self.folder)
        self._tasks: list[Task] = []
        self._images = FileSystemImages(self._image)
        digest = sha256()
        for number in FILE_SYSTEMS:
            records, data = read_records(self.folder / _tasks_file(number))
            digest.update(data)
            tasks = tasks_from(records, self.folder / _tasks_file(number), name=f"nl2bash/fs{number}")
            placed = (replace(task, category=f"fs{number}", extra={"file_system": number}) for task in tasks)
            self._tasks += [annotations_of(self.name).on(task) for task in placed]
        self._checksum = digest.hexdigest()

    def image(self, task: Task, base: Image) -> Image:
        """The published image of the task's file system (or of the one chosen for all), with *base* underneath."""
        number = self.file_system or int(task.extra["file_system"])
        return self._images.of(number, base)

    def _image(self, file_system: int, base: Image) -> Image:
        return published_image(base, file_system, self.folder, planted=self.planted_files(file_system))

    def planted_files(self, file_system: int) -> FilesLayer | None:
        """Return what a verified set adds to that file system; nothing as published."""
        return None


def _tasks_file(number: int) -> str:
    return f"nl2bash_fs_{number}.json"


def _refuse_missing(folder: Path) -> None:
    """A file system is there as a tar of its tree or as its set-up script."""
    for number in FILE_SYSTEMS:
        tree, script = folder / f"fs_{number}.tar.gz", folder / script_name(number)
        tasks = folder / _tasks_file(number)
        missing = tasks if not tasks.exists() else script if not (tree.is_file() or script.is_file()) else None
        if missing:
            raise BadDataError(f"{missing} is missing: `intercode data get nl2bash` fetches it")
