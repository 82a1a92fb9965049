"""A data set of the hub as one of ours: what `intercode data push` wrote, or anybody's records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from intercode import datasets, world_specs
from intercode.datasets.base import Dataset, ListedDataset, Subset
from intercode.datasets.folder import read_settings
from intercode.datasets.folder.paths import inside
from intercode.datasets.formats import read_records, tasks_from
from intercode.datasets.formats.hugging_face import read_hugging_face
from intercode.datasets.formats.notes import notes_on
from intercode.datasets.hugging_face import card as cards
from intercode.datasets.hugging_face import hub
from intercode.datasets.hugging_face.card import Card
from intercode.datasets.hugging_face.name import folder_of, parts
from intercode.datasets.task_folder import REWARD, TaskFolderDataset
from intercode.errors import BadDataError, UnknownNameError, UserError
from intercode.types import DEFAULT_WORLD, Task
from intercode_sandbox.images.catalog import NAMES

Tasks = Mapping[str, list[Task]]
"""By split."""


class HuggingFaceDataset(Subset):
    """The tasks of `hf:OWNER/NAME`, of one split of it (`hf:OWNER/NAME:SPLIT`), or of a folder (`hf:./FOLDER`).

    What `intercode data push` wrote is read as it was, with its images, files and databases. Of any other data set the
    columns *query*, *gold* and *golds* are taken, *world* says where they run, *config* which configuration is meant.
    *name* is the repository's unless given. Code in a repository is never run.

    Raises:
        UserError: If the extra `hf` is not installed.
        BadDataError: For what cannot be read.
        UnknownNameError: For a split that there is not.
    """

    def __init__(
        self,
        spec: str,
        *,
        name: str | None = None,
        query: str = "query",
        gold: str = "gold",
        golds: str = "golds",
        world: str = DEFAULT_WORLD,
        config: str = "",
    ) -> None:
        repository, split = parts(spec)
        folder = folder_of(repository)
        found = hub.card_of(repository) if folder is None else folder / cards.FILE
        card = cards.read(found) if found is not None and found.is_file() else None
        if card is None:
            chosen = name or Path(repository).resolve().name
            rows = _Rows(f"{repository}:{config}" if config else repository, split, chosen, query, gold, golds, world)
            super().__init__(rows, chosen, list(rows))
            self._parts: Tasks = {}
            return
        folder = folder or hub.fetch(repository)
        whole = _world_dataset(card, folder, name)
        self._parts = {part: _tasks(card, folder, file, whole) for part, file in card.files.items()}
        if split and split not in self._parts:
            raise UnknownNameError(f"{repository} has no split {split!r}; there are: {', '.join(self._parts)}")
        chosen_parts = [self._parts[split]] if split else self._parts.values()
        super().__init__(whole, whole.name, [task for tasks in chosen_parts for task in tasks])

    @property
    def checksum(self) -> str:
        """A hex digest of the tasks and of what they stand on."""
        return sha256("\n".join([self.whole.checksum, *map(repr, self)]).encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def splits(self) -> Mapping[str, Dataset]:
        """The parts that the card names; empty where there is only one."""
        several = len(self._parts) > 1
        return {name: Subset(self, self.name, tasks) for name, tasks in self._parts.items() if several}


class _Rows(ListedDataset):
    """Anybody's records, on the image of the run."""

    def __init__(self, repository: str, split: str, name: str, query: str, gold: str, golds: str, world: str) -> None:
        if (material := world_specs.find(world).material) not in ("", "tests"):
            way_out = "make a task folder of it with intercode import"
            raise UserError(f"hf:{repository}: the world {world} needs {material}, which no records bring: {way_out}")
        self.name, self.world = name, world
        records = read_hugging_face(repository, split=split)
        self._tasks = tasks_from(records, Path(repository), name=name, query=query, gold=gold, golds=golds, world=world)
        self.notes = notes_on(self._tasks, records, gold=gold, golds=golds)


def _world_dataset(card: Card, folder: Path, name: str | None) -> Dataset:
    """Return the data set that says what the tasks stand on."""
    if not card.dataset:
        _refuse_code(folder)
        _refuse_image(folder)
        return TaskFolderDataset(folder, name=name or card.name)
    if datasets.is_path(card.dataset) or card.dataset.partition("/")[0].replace("_", "-") not in datasets.names():
        raise BadDataError(
            f"{folder / cards.FILE}: its tasks stand on {card.dataset!r}, which is not a data set that is known here"
        )
    return datasets.load(card.dataset)


def _refuse_code(folder: Path) -> None:
    """Raises UserError where playing the folder would run Python of its author's on this machine."""
    code = [name for name in (REWARD, read_settings(folder).world) if name.endswith(".py") and (folder / name).exists()]
    if code:
        raise UserError(
            f"{folder} brings {' and '.join(code)}, which would run on this machine: read it, "
            f"and then name the folder without hf: --dataset {folder}"
        )


def _refuse_image(folder: Path) -> None:
    """Raises UserError where the folder would show an agent files of this machine, as its image."""
    image = read_settings(folder).image
    if image and image.partition(":")[0] not in {name.partition(":")[0] for name in NAMES}:
        raise UserError(f"{folder} wants the image {image!r}, which is a path of this machine: choose one by its name")


def _tasks(card: Card, folder: Path, file: str, whole: Dataset) -> list[Task]:
    """Return the tasks of one split.

    Those on a data set of ours have its columns, of which a parquet file cannot hold all.
    """
    if isinstance(whole, TaskFolderDataset):
        return list(whole)
    path = inside(folder, file)
    read = tasks_from(read_records(path, format="parquet")[0], path, name=card.name, world=whole.world)
    known = {task.id: task for task in whole}
    return [
        replace(task, extra=known[task.id].extra, excluded=known[task.id].excluded) if task.id in known else task
        for task in read
    ]
