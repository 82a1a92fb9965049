"""The challenges of a folder for capture the flag: what each task brings, what serves it, and where its flag goes.

    task_assets/ID/...             laid out for the agent of the task ID in /ctf
    services/NAME/service.toml     port, command, and perhaps mode, of the service NAME
    services/NAME/...              laid out in its sandbox in /srv, where the agent cannot see it

`{{FLAG}}` in any of these files stands for the task's flag: its `gold`, or one that each episode makes from its seed.
A task's line may hold `setup`, a command that is run before the agent comes, and `service`, the name of one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from intercode.datasets.challenges import Challenge, Service, new_flag
from intercode.datasets.folder.files_layer import MOST
from intercode.datasets.folder.paths import inside
from intercode.datasets.formats.record import kind, toml_of
from intercode.errors import BadDataError
from intercode.types import Task

ASSETS, SERVICES, ABOUT = "task_assets", "services", "service.toml"

PLACE = b"{{FLAG}}"

PREFIX = "flag"
"""What flags begin with that are made here: `flag{amber_fjord_0123456789abcdef}`."""

Files = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Bundle:
    """A folder's files by their paths in it, and those that may be executed."""

    files: Files = field(default_factory=dict)
    programs: frozenset[str] = frozenset()

    def fill_in(self, flag: str) -> Files:
        """Return the files with *flag* in its places."""
        return {path: content.replace(PLACE, flag.encode()) for path, content in self.files.items()}

    @property
    def wants_flag(self) -> bool:
        """Return whether the flag has a place in it."""
        return any(PLACE in content for content in self.files.values())


class FolderChallenges:
    """The challenges of *tasks*, from what lies in *folder*; all of it is read now.

    Raises:
        BadDataError: For a service or a task that is not there, a file that is no file, over 64 MB of them, or a task
            whose flag is nowhere to be found.
    """

    def __init__(self, folder: Path, tasks: Sequence[Task], name: str) -> None:
        self._name = name
        self._bundles = {place.name: _bundle(place) for place in _folders(folder / ASSETS)}
        self._services = {place.name: _service(place) for place in _folders(folder / SERVICES)}
        keys = {self._key(task) for task in tasks}
        if strange := sorted(self._bundles.keys() - keys):
            raise BadDataError(
                f"{folder / ASSETS / strange[0]} belongs to no task; there are: {', '.join(sorted(keys))}"
            )
        for task in tasks:
            self._check(task)

    def challenge(self, task: Task, seed: int) -> Challenge:
        """Return what *task* stands on in the episode that *seed* belongs to."""
        flag = task.gold or new_flag(Random(f"{task.id} {seed}"), PREFIX)
        bundle, service = self._bundle(task), self._service(task)
        return Challenge(
            flag=flag,
            files=bundle.fill_in(flag),
            programs=bundle.programs,
            setup=str(task.extra.get("setup") or ""),
            service=None if service is None else replace(service, files=Bundle(service.files).fill_in(flag)),
        )

    @property
    def checksum(self) -> str:
        """A hex digest of everything that was read."""
        bundles = [(name, sorted(each.files.items()), sorted(each.programs)) for name, each in self._bundles.items()]
        return sha256(repr([bundles, sorted(self._services.items())]).encode()).hexdigest()

    def _check(self, task: Task) -> None:
        for column in ("setup", "service"):
            value = task.extra.get(column)
            if value is not None and not isinstance(value, str):
                raise BadDataError(f"{task.id}, field {column!r}: expected a string, not {kind(value)}")
        service = self._service(task)
        places = [self._bundle(task), *([Bundle(service.files)] if service else [])]
        if task.gold is None and not any(each.wants_flag for each in places):
            raise BadDataError(
                f"{task.id} has no gold, and {PLACE.decode()} is in none of its files: its flag would be nowhere. Put "
                f"one into {ASSETS}/{self._key(task)}/ or into its service, or give it a gold"
            )

    def _bundle(self, task: Task) -> Bundle:
        return self._bundles.get(self._key(task), Bundle())

    def _service(self, task: Task) -> Service | None:
        name = task.extra.get("service")
        if not name:
            return None
        if name not in self._services:
            there = ", ".join(sorted(self._services)) or "none"
            raise BadDataError(f"{task.id}: no service is called {name!r}: {SERVICES}/ has {there}")
        return self._services[name]

    def _key(self, task: Task) -> str:
        return task.id.removeprefix(f"{self._name}/")


def _folders(parent: Path) -> list[Path]:
    """Return those in *parent*. Raises BadDataError for one that lies elsewhere."""
    inside(parent.parent, parent.name)
    if not parent.is_dir():
        return []
    return sorted(inside(parent, path.name) for path in parent.iterdir() if path.is_dir())


def _bundle(folder: Path, *, but: str = "") -> Bundle:
    """Return every file below *folder*, without what Python keeps beside its own.

    Raises BadDataError for what is neither file nor folder, and for too much of it.
    """
    files, programs, left = {}, set(), MOST
    for path in sorted(path for path in folder.rglob("*") if "__pycache__" not in path.relative_to(folder).parts):
        place = path.relative_to(folder).as_posix()
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise BadDataError(f"{path} is neither a file nor a folder: links come from a set-up command")
        if path.is_dir() or place == but:
            continue
        left -= path.stat().st_size
        if left < 0:
            raise BadDataError(f"{folder}: over {MOST >> 20} MB: put large files into an image (a Dockerfile)")
        files[place] = path.read_bytes()
        if path.stat().st_mode & 0o100:
            programs.add(place)
    return Bundle(files, frozenset(programs))


def _service(folder: Path) -> Service:
    path = folder / ABOUT
    found = toml_of(path)
    if unknown := sorted(found.keys() - {"port", "command", "mode"}):
        raise BadDataError(f"{path}: no key is called {unknown[0]!r}; there are: port, command, mode")
    port, command = _port(path, found), _command(path, found)
    try:
        return Service(
            folder.name, port, command, _bundle(folder, but=ABOUT).files, mode=found.get("mode", "connections")
        )
    except BadDataError as error:
        raise BadDataError(f"{path}: {error}") from error


def _port(path: Path, found: Mapping[str, Any]) -> int:
    port = found.get("port")
    if not isinstance(port, int) or isinstance(port, bool):
        raise BadDataError(f"{path}, port: expected a number, not {port!r}")
    return port


def _command(path: Path, found: Mapping[str, Any]) -> tuple[str, ...]:
    command = found.get("command")
    if not isinstance(command, list) or not command or not all(isinstance(word, str) for word in command):
        raise BadDataError(
            f'{path}, command: expected a list of strings, such as ["python3", "butler.py"], not {command!r}'
        )
    return tuple(command)
