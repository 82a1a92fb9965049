"""A task of one's own: a folder with `task.toml`, the tasks, and perhaps a Dockerfile, files and a reward."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from os import PathLike
from pathlib import Path

from intercode import world_specs
from intercode.datasets.base import ListedDataset
from intercode.datasets.challenges import Challenge
from intercode.datasets.database_folder import tasks_file
from intercode.datasets.databases import databases_in, folder_source, read_tasks
from intercode.datasets.folder import NAME, place_of, read_settings
from intercode.datasets.folder.challenges import FolderChallenges
from intercode.datasets.folder.files_layer import files_layer
from intercode.datasets.folder.paths import inside
from intercode.datasets.formats import read_records, tasks_from
from intercode.datasets.formats.notes import notes_on
from intercode.errors import BadDataError
from intercode.types import Task
from intercode.types.databases import DEFAULT_LIMITS, DatabaseSource
from intercode.world_specs.spec import Material
from intercode_sandbox.images import Image
from intercode_sandbox.network.hosts import NetworkPolicy

DOCKERFILE = "Dockerfile"
REWARD = "reward.py"
NO_REPOSITORIES = (
    "tasks of {world!r} are no folder's: they need repositories and tests, which a file like SWE-bench's names "
    "(--dataset swebench, see docs/how-to/software-engineering.md)"
)
NO_TASK_FOLDERS = (
    "tasks of {world!r} are folders of their own, with an instruction.md: leave out this file, and name the folder "
    "that they are in (--dataset FOLDER, see docs/how-to/harbor.md)"
)
REFUSED: Mapping[str, str] = {"repositories": NO_REPOSITORIES, "task folders": NO_TASK_FOLDERS}
"""By what a world's tasks bring: why they cannot be in a file of tasks."""

NO_SANDBOX = "in the world {world} nothing runs in a sandbox: leave it out, or say false"
NO_LIMITS = (
    f"in the world {{world}} every statement has {DEFAULT_LIMITS.seconds:g} s, and none can be set: leave them out"
)


class TaskFolderDataset(ListedDataset):
    """The tasks of a folder, given by its path or by the name that a package installed it under.

    `task.toml` says which world they are for and what holds in it; `tasks.jsonl` (or .json, .csv, .tsv) has at least a
    query and mostly a gold for each. The image is what `task.toml` says, else that of the `Dockerfile`, else `host`;
    what lies in `files/` is put on top. Databases (.sqlite or .sql files) are those of an SQL world, and what lies in
    `task_assets/` and `services/` belongs to capture the flag (see `folder/challenges.py`). A `reward.py` judges
    instead of the world; it is run when an environment is made, and not before. *name* begins the tasks' ids; it is the
    folder's unless given.

    Raises:
        BadDataError: If something is missing or malformed. Names the file and the place in it.
    """

    def __init__(self, path: str | PathLike[str], *, name: str | None = None) -> None:
        self.path = place_of(str(path))
        self.name = name or self.path.resolve().name
        self.settings = read_settings(self.path)
        is_file = self.settings.world.endswith(".py")
        self.world = str(self.path / self.settings.world) if is_file else self.settings.world
        material = world_specs.find(self.world).material
        self._refuse_what_cannot_be(material)
        self.default_scoring = self.settings.scoring
        self.default_limits = self.settings.limits
        self.reward_file = inside(self.path, REWARD) if (self.path / REWARD).is_file() else None
        has_recipe = not self.settings.image and (self.path / DOCKERFILE).is_file()
        self.default_image = str(self.path.resolve()) if has_recipe else self.settings.image or "host"
        self._source = folder_source(self.path, name=self.name) if material == "databases" else None
        self._tasks, self._checksum = self._read(tasks_file(self.path))
        has_challenges = material == "challenges"
        self._challenges = FolderChallenges(self.path, self._tasks, self.name) if has_challenges else None
        self._layer = files_layer(inside(self.path, "files"))
        self._images: dict[str, Image] = {}

    @property
    def checksum(self) -> str:
        """A hex digest of the tasks, of `task.toml` and of what judges: `reward.py` and a world of the folder's own.

        For capture the flag, of what challenges are made of too: they are in no image.
        """
        if self._challenges is None:
            return self._checksum
        return sha256(f"{self._checksum} {self._challenges.checksum}".encode()).hexdigest()

    def image(self, task: Task, base: Image) -> Image:
        """Return *base* with the folder's files on top."""
        if self._layer is None:
            return base
        image = base.with_layers(self._layer, name=f"{base.name}+{self.name}")
        return self._images.setdefault(base.digest, image)

    def source(self, task: Task) -> DatabaseSource:
        """Return all databases in the folder, for every task the same."""
        return super().source(task) if self._source is None else self._source

    def challenge(self, task: Task, seed: int) -> Challenge:
        """Return what the capture-the-flag *task* brings, with its gold, or a flag made from *seed*, in its places."""
        if self._challenges is None:
            return super().challenge(task, seed)
        return self._challenges.challenge(task, seed)

    def kept_paths(self, task: Task) -> tuple[str, ...]:
        """Return what `task.toml` says, for every task the same."""
        return self.settings.keep

    def verifier_network(self, task: Task) -> NetworkPolicy:
        """Return what `task.toml` says, for every task the same."""
        return self.settings.verifier_network

    def _refuse_what_cannot_be(self, material: Material) -> None:
        file, limits = self.path / NAME, self.settings.limits
        if material in REFUSED:
            raise BadDataError(f"{file}, world: {REFUSED[material].format(world=self.world)}")
        if material == "databases" and limits is not None:
            key, why = ("network", NO_SANDBOX) if limits.has_network else ("limits", NO_LIMITS)
            raise BadDataError(f"{file}, {key}: {why.format(world=self.world)}")

    def _read(self, tasks: Path) -> tuple[list[Task], str]:
        names = {name: getattr(self.settings, name) for name in ("query", "gold", "golds")}
        if self._source is not None:
            there = databases_in(self.path)
            only = there[0] if len(there) == 1 else None
            found, digest, self.notes = read_tasks(tasks, name=self.name, only=only, world=self.world, **names)
        else:
            records, data = read_records(tasks)
            criteria = self.settings.criteria
            found = tasks_from(records, tasks, name=self.name, world=self.world, criteria=criteria, **names)
            self.notes = notes_on(found, records, gold=names["gold"], golds=names["golds"])
            digest = sha256(data).hexdigest()
        beside = (self.path / NAME, self.path / REWARD, Path(self.world))
        code = [path.read_bytes() for path in beside if path.is_file()]
        return found, sha256(b"\0".join([digest.encode(), *code])).hexdigest()
