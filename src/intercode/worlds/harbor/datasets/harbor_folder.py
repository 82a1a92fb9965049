"""Tasks in Harbor's format, such as Terminal-Bench's: one folder, or a folder of such folders."""

from __future__ import annotations

import base64
import os
import shlex
from collections.abc import Iterable, Sequence
from contextlib import suppress
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Literal, get_args

from intercode.datasets.base import ListedDataset
from intercode.datasets.dockerfiles.dockerfile import read_dockerfile
from intercode.datasets.dockerfiles.image import Build, task_image
from intercode.datasets.dockerfiles.line_ends import refuse_dos
from intercode.datasets.settings.kept_paths import kept_paths
from intercode.datasets.settings.option_types import check_types
from intercode.errors import BadDataError, ImageError, UserError
from intercode.types import Task
from intercode.util.regular_files import read_bytes
from intercode.worlds.harbor import verifier_tools
from intercode.worlds.harbor.task_settings import SOLUTION, TESTS, HarborTask, missing, read_task, task_folders
from intercode_sandbox.images import Image
from intercode_sandbox.images.digests import file_key
from intercode_sandbox.network.hosts import NetworkPolicy, network_policy

Tools = Literal["script", "prepared"]


class HarborFolderDataset(ListedDataset):
    """The task folders in the folder *path*, or that one itself; ids are `FOLDER/TASK`.

    A task's image is that of its Dockerfile. *build* says how: `host` (a simple Dockerfile on this machine's programs,
    or on the image that is chosen instead), `archive` (on Debian or Ubuntu from their archives) or `engine` (docker,
    podman or buildah builds it as it is). With *network* agents and solutions have the network that their task gives
    them; the verifier has its own unless *verifier_network* is False; RUN instructions have what
    *build_network* says (`none`, `allow`, or hosts with commas between them); unless it is given, everybody's with
    `archive` and none with `host` (with `engine` they have the engine's). *tools* says where `uv` and its Python come
    from that tests install: the `script` fetches them itself, or they are `prepared` in the image, where the script's
    own words would put them. *keep* are paths of the system that are work in all tasks, besides those that each names
    itself, with commas between them. In a folder of
    several tasks, those that cannot be played here are in `left_out`, with the reason.

    Raises:
        BadDataError: If none is left.
    """

    world = "harbor"

    @staticmethod
    def reads(path: str) -> bool:
        """Return whether *path* is a folder of such tasks, or of one that lacks a file."""
        return bool(task_folders(path) or missing(path))

    def __init__(
        self, path: str | PathLike[str], *, name: str | None = None, build: Build = "host", network: bool = False,
        verifier_network: bool = True, build_network: str | Sequence[str] | None = None, keep: str | Sequence[str] = (),
        tools: Tools = "script",
    ) -> None:  # fmt: skip
        if tools not in get_args(Tools):
            raise UserError(f"tools={tools}: what tests install comes from one of {', '.join(get_args(Tools))}")
        if build not in get_args(Build):
            raise UserError(f"build={build}: an image is built from one of {', '.join(get_args(Build))}")
        check_types({"network": network, "verifier_network": verifier_network})
        self.path, self.build = Path(path), build
        self.build_network = None if build_network is None else network_policy(build_network)
        self.tools = tools
        self._gives_network, self._gives_verifier_network = network, verifier_network
        try:
            self._keep = kept_paths(keep or ())
        except ValueError as error:
            raise UserError(f"keep={keep!r:.80}: {error}") from error
        self.name = name or self.path.resolve().name
        folders, tasks, why = task_folders(str(path)), list[Task](), dict[str, str]()
        for folder in folders:
            try:
                tasks.append(self._task(folder))
            except BadDataError as error:
                if len(folders) == 1:
                    raise
                why[folder.name] = str(error)
        if not folders and (lacks := missing(str(path))):
            raise BadDataError(f"{path}: it is like one task of Harbor's, but has no {lacks}")
        if not tasks:
            raise BadDataError(f"{path}: no task here can be played: {next(iter(why.values()), 'there is none')}")
        self._tasks, self.left_out = tasks, why
        self._checksum = _digest(fact for folder in folders for fact in _facts(folder))
        self._images: dict[tuple[str, str], Image] = {}

    def image(self, task: Task, base: Image) -> Image:
        """Return what the Dockerfile of *task* makes of *base*; see the class for *build*.

        Raises:
            ImageError: If nothing can be made of it.
        """
        key = (task.id, base.digest)
        if key not in self._images:
            about = HarborTask.of(task)
            folder = about.folder / "environment"
            try:
                image = task_image(
                    folder, base, self.build, env=about.env, workdir=about.workdir, network=self.build_network
                )
                if self.tools == "prepared":
                    script = read_bytes(about.folder / TESTS).decode("utf-8", "replace")
                    image = image.with_layers(*verifier_tools.tools(script, image))
            except BadDataError as error:  # of this task alone: others are played
                raise ImageError(str(error)) from error
            self._images[key] = image
        return self._images[key]

    def task_checksum(self, task: Task) -> str:
        """Return that of its folder."""
        return _digest(_facts(HarborTask.of(task).folder))

    def grader_files(self, task: Task) -> Sequence[Path]:
        """Return all files of its tests."""
        tests = HarborTask.of(task).folder / "tests"
        return [path for path in sorted(tests.rglob("*")) if path.is_file() and not path.is_symlink()]

    def kept_paths(self, task: Task) -> tuple[str, ...]:
        """Return those of the option `keep`, and those of the task."""
        return (*self._keep, *HarborTask.of(task).keep)

    def network(self, task: Task) -> NetworkPolicy:
        """Return what the task gives its agents."""
        return HarborTask.of(task).limits.network_policy

    def verifier_network(self, task: Task) -> NetworkPolicy:
        """Return what the task gives its verifier."""
        return HarborTask.of(task).verifier_network

    def _task(self, folder: Path) -> Task:
        about = read_task(folder, network=self._gives_network, verifier_network=self._gives_verifier_network)
        if self.build != "engine":
            read_dockerfile(about.folder / "environment")  # refused now, and not when it is played
        for script in (TESTS, *([SOLUTION] if about.has_solution else [])):
            refuse_dos(about.folder / script)
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
    """Return a command for a shell that puts the solution where Harbor has it, `/solution`, and runs it."""
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
    try:
        data, target = read_bytes(path), shlex.quote(place)
    except OSError as error:
        raise BadDataError(f"cannot read {path}: {error.strerror}") from error
    text, how = base64.encodebytes(data).decode(), "base64 -d"
    if data.endswith(b"\n") and b"\0" not in data and b"\r" not in data:
        with suppress(UnicodeDecodeError):
            text, how = data.decode(), "cat"
    end = "END"
    while end in text:
        end += "_"
    executable = f" && chmod +x {target}" if path.stat().st_mode & 0o100 else ""
    return f"mkdir -p {shlex.quote(place.rpartition('/')[0])} && {how} > {target} <<'{end}'{executable}\n{text}{end}"


def _digest(facts: Iterable[str]) -> str:
    return sha256("\n".join(facts).encode()).hexdigest()


def _facts(folder: Path) -> list[str]:
    """Return what makes a task: names, contents, and what may be executed."""
    found = [folder.name]
    for path in sorted(Path(place, name) for place, _, files in os.walk(folder) for name in files):
        content = os.readlink(path) if path.is_symlink() else file_key(path)
        found.append(f"{path.relative_to(folder).as_posix()} {path.lstat().st_mode & 0o111} {content}")
    return found
