"""Tasks in Harbor's format, such as Terminal-Bench's: one folder, or a folder of such folders."""

from __future__ import annotations

import base64
import os
import shlex
from contextlib import suppress
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import get_args

from intercode.datasets.base import ListedDataset
from intercode.datasets.core.option_types import check_types
from intercode.datasets.harbor_tasks import HarborTask, read_task, task_folders
from intercode.datasets.harbor_tasks.dockerfile import read_dockerfile
from intercode.datasets.harbor_tasks.image import Build, task_image
from intercode.datasets.harbor_tasks.settings import SOLUTION
from intercode.errors import BadDataError, UserError
from intercode.sandboxes.images import Image
from intercode.sandboxes.images.digests import file_key
from intercode.types import Task


class HarborFolderDataset(ListedDataset):
    """The task folders in the folder *path*, or that one itself; ids are `FOLDER/TASK`.

    A task's image is that of its Dockerfile. *build* says how: `host` (a simple Dockerfile on this machine's programs,
    or on the image that is chosen instead), `archive` (on Debian or Ubuntu from their archives) or `engine` (docker,
    podman or buildah builds it as it is). With *network* the sessions of tasks whose network is public have one, where
    the sandbox gives it, as `docker` does; what builds and what judges has none even so. In a folder of several tasks,
    those that cannot be played here are in `left_out`, with the reason.

    Raises:
        BadDataError: If none is left.
    """

    world = "harbor"

    def __init__(
        self, path: str | PathLike[str], *, name: str | None = None, build: Build = "host", network: bool = False
    ) -> None:
        if build not in get_args(Build):
            raise UserError(f"build={build}: an image is built from one of {', '.join(get_args(Build))}")
        check_types({"network": network})
        self.path, self.build, self.network = Path(path), build, network
        self.name = name or self.path.resolve().name
        folders, tasks, why = task_folders(str(path)), list[Task](), dict[str, str]()
        for folder in folders:
            try:
                tasks.append(self._task(folder))
            except BadDataError as error:
                if len(folders) == 1:
                    raise
                why[folder.name] = str(error)
        if not tasks:
            raise BadDataError(f"{path}: no task here can be played: {next(iter(why.values()), 'there is none')}")
        self._tasks, self.left_out = tasks, why
        self._checksum = sha256("\n".join(fact for folder in folders for fact in _facts(folder)).encode()).hexdigest()
        self._images: dict[tuple[str, str], Image] = {}

    def image(self, task: Task, base: Image) -> Image:
        """What the Dockerfile of *task* makes of *base*; see the class for *build*."""
        key = (task.id, base.digest)
        if key not in self._images:
            about = HarborTask.of(task)
            folder = about.folder / "environment"
            self._images[key] = task_image(folder, base, self.build, env=about.env, workdir=about.workdir)
        return self._images[key]

    def _task(self, folder: Path) -> Task:
        about = read_task(folder, network=self.network)
        if self.build != "engine":
            read_dockerfile(about.folder / "environment")  # refused now, and not when it is played
        return Task(
            f"{self.name}/{about.folder.name}",
            about.query,
            gold_command(about) if about.has_solution else None,
            self.world,
            about.category,
            about.difficulty,
            {"harbor": about},
        )


def gold_command(task: HarborTask) -> str:
    """A command for a shell that puts the solution where Harbor has it, `/solution`, and runs it."""
    folder = (task.folder / SOLUTION).parent
    lines = [
        _write(path, f"/solution/{path.relative_to(folder).as_posix()}")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    ]
    variables = [f"{name}={value}" for name, value in task.solution_env.items()]
    lines.append(shlex.join([*(["env", *variables] if variables else []), "bash", f"/{SOLUTION}"]))
    return "\n".join(lines)


def _write(path: Path, place: str) -> str:
    """Commands that write what is in *path* to *place*: readable where it is text."""
    data, target = path.read_bytes(), shlex.quote(place)
    text, how = base64.encodebytes(data).decode(), "base64 -d"
    if data.endswith(b"\n") and b"\0" not in data and b"\r" not in data:
        with suppress(UnicodeDecodeError):
            text, how = data.decode(), "cat"
    end = "END"
    while end in text:
        end += "_"
    executable = f" && chmod +x {target}" if path.stat().st_mode & 0o100 else ""
    return f"mkdir -p {shlex.quote(place.rpartition('/')[0])} && {how} > {target} <<'{end}'{executable}\n{text}{end}"


def _facts(folder: Path) -> list[str]:
    """What makes a task: names, contents, and what may be executed."""
    found = [folder.name]
    for path in sorted(Path(place, name) for place, _, files in os.walk(folder) for name in files):
        content = os.readlink(path) if path.is_symlink() else file_key(path)
        found.append(f"{path.relative_to(folder).as_posix()} {path.lstat().st_mode & 0o111} {content}")
    return found
