"""NL2SH-ALFA: 300 requests for shell commands, two golds each, over five file systems; partly a correction of NL2Bash.

It is the test split of the data set of that name, as the package `icalfa` brings it.
"""

from __future__ import annotations

import shlex
from dataclasses import replace
from hashlib import sha256
from os import PathLike
from pathlib import Path

from intercode.datasets.annotations import annotations_of
from intercode.datasets.base import ListedDataset
from intercode.datasets.formats import read_records, tasks_from
from intercode.datasets.nl2bash.image import FileSystemImages, published_image, script_name
from intercode.datasets.settings.option_types import check_types
from intercode.datasets.sources import PACKAGES
from intercode.errors import BadDataError
from intercode.types import Task
from intercode_sandbox.images import Image

FILE_SYSTEMS = (1, 2, 3, 4, 5)

DIFFICULTIES = ("easy", "medium", "hard")
"""What the published 0, 1 and 2 mean."""


class Nl2shAlfaDataset(ListedDataset):
    """The tasks `nl2sh-alfa/fs1/0` to `nl2sh-alfa/fs5/17`; parts are called `nl2sh-alfa/fs1` and so on.

    Both golds of a task are accepted. *folder* is that of the package (None: where it is installed). Its code is not
    run, nor its judging rebuilt, which asks a model whether two outputs mean the same.

    Raises:
        BadDataError: If the package is not installed, or a file is missing. Says what to type.
    """

    name = "nl2sh-alfa"
    default_image = "debian"

    def __init__(self, *, folder: str | PathLike[str] | None = None) -> None:
        check_types({"folder": folder})
        self.folder = (PACKAGES[self.name].checked_folder() if folder is None else Path(folder)) / "assets"
        self._tasks: list[Task] = []
        self._images = FileSystemImages(self._image)
        digest = sha256()
        for number in FILE_SYSTEMS:
            path = self.folder / "datasets" / f"nl2bash_fs_{number}.json"
            records, data = read_records(path)
            digest.update(data)
            tasks = tasks_from(records, path, name=f"{self.name}/fs{number}", golds="gold2")
            self._tasks += [annotations_of(self.name).on(_placed(task, number)) for task in tasks]
            digest.update(self._script(number))
        self._checksum = digest.hexdigest()

    def image(self, task: Task, base: Image) -> Image:
        """Return *base* with the task's file system on top, as the published set-up script makes it.

        The fifth is published on Alpine; here it stands on *base*, too.
        """
        return self._images.of(int(task.extra["file_system"]), base)

    def _image(self, number: int, base: Image) -> Image:
        return published_image(base, number, self.folder / "docker", name=self.name, env=self._settings(number))

    def _script(self, number: int) -> bytes:
        path = self.folder / "docker" / script_name(number)
        if not path.is_file():
            raise BadDataError(f"{path} is missing: {PACKAGES[self.name].install}")
        return path.read_bytes()

    def _settings(self, number: int) -> dict[str, str]:
        """Return the variables that the published Dockerfile sets: `FILES` in the first."""
        lines = (self.folder / "docker" / f"nl2bash{number}.Dockerfile").read_text(encoding="utf-8").splitlines()
        words = (word for line in lines if line.startswith("ENV ") for word in shlex.split(line)[1:])
        return dict(word.split("=", 1) for word in words)


def _placed(task: Task, number: int) -> Task:
    level = DIFFICULTIES[int(task.difficulty)]
    return replace(task, category=f"fs{number}", difficulty=level, extra={"file_system": number})
