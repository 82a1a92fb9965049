"""A data set of ours as a folder that is laid out as the hub wants it: a card, and parquet for each split."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from intercode import datasets
from intercode.datasets.base import Dataset
from intercode.datasets.database_folder import DatabaseFolderDataset
from intercode.datasets.files import FilesDataset
from intercode.datasets.folder import NAME, read_settings
from intercode.datasets.formats import SUFFIXES, record_of
from intercode.datasets.formats.parquet import write_parquet
from intercode.datasets.hugging_face import card as cards
from intercode.datasets.hugging_face.card import Card
from intercode.datasets.hugging_face.dataset import HuggingFaceDataset
from intercode.datasets.task_folder import TaskFolderDataset
from intercode.errors import UserError
from intercode.types import Task

TASKS = "tasks.parquet"
SPLIT = "test"
"""What the only split is called, unless it is the part of that name that is pushed."""

USUAL = ("train", "validation", "test")

LEFT_OUT = ("__pycache__", ".git", *(f"tasks{ending}{gz}" for ending in SUFFIXES for gz in ("", ".gz")))
"""What is written anew, or belongs to nobody else."""


def write(spec: str, folder: Path, *, options: Mapping[str, Any], license: str = "") -> Dataset:
    """Write the data set *spec*, made with *options*, into the empty *folder*; what `hf:` reads from there.

    Golds are written too. Of a folder all that is in it is copied. The tasks of a data set with a name stand on its
    images and databases wherever they are read.

    Raises:
        UserError: For what the hub does not keep, or if what was written is not read back as the same tasks.
    """
    dataset = datasets.load(spec, **options)
    if spec.endswith(".py") or isinstance(dataset, HuggingFaceDataset):
        raise UserError(f"{spec} cannot be pushed: push a data set with a name, a file of tasks, or a task folder")
    if isinstance(dataset, TaskFolderDataset | DatabaseFolderDataset | FilesDataset):
        text = _copy(dataset, folder)
        card = Card(_name(dataset), dataset.world, {SPLIT: TASKS})
        write_parquet(_records(dataset, folder), folder / TASKS)
    else:
        card, text = _write_named(dataset, spec, folder, options), ""
    cards.write(card, folder, tasks=len(dataset), license=license, text=text)
    found = HuggingFaceDataset(f"{datasets.HUB}{folder.absolute()}")
    if {task.id: task for task in found} != {task.id: task for task in dataset}:
        raise UserError(f"{spec} has tasks that parquet cannot hold: they would change when they are read back")
    return found


def _write_named(dataset: Dataset, spec: str, folder: Path, options: Mapping[str, Any]) -> Card:
    """Return a file for each split. *spec* may name a part."""
    if options:
        raise UserError(f"options of {spec} are not written: push it without --dataset-option, or a part of it")
    splits = dataset.splits
    if sum(map(len, splits.values())) != len(dataset) or not all(map(str.isidentifier, splits)):
        part = spec.partition("/")[2]
        splits = {part if part in USUAL else SPLIT: dataset}
    files = {split: f"data/{split}.parquet" for split in splits}
    for split, tasks in splits.items():
        write_parquet([_json_only(record) for record in map(_record, tasks)], folder / files[split])
    return Card(_name(dataset), dataset.world, files, spec)


def _copy(dataset: TaskFolderDataset | DatabaseFolderDataset | FilesDataset, folder: Path) -> str:
    """Return all of the data set's folder but the tasks, and a `task.toml` where it has none; what its README says."""
    if not isinstance(dataset, FilesDataset):
        _refuse_what_gets_lost(dataset.path)
        shutil.copytree(dataset.path, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(*LEFT_OUT))
    elif dataset.world.endswith(".py"):
        raise UserError(f"{dataset.world} would stay behind: put it into a task folder with the tasks, and push that")
    if not (folder / NAME).exists():
        (folder / NAME).write_text(f'world = "{dataset.world}"\n', encoding="utf-8")
    readme = folder / cards.FILE
    return readme.read_text(encoding="utf-8") if readme.is_file() else ""


def _records(dataset: Dataset, folder: Path) -> list[dict[str, Any]]:
    settings = read_settings(folder)
    return [_record(task, query=settings.query, gold=settings.gold) for task in dataset]


def _record(task: Task, query: str = "query", gold: str = "gold") -> dict[str, Any]:
    found = record_of(task, query=query, gold=gold)
    return found if task.gold is not None else {name: value for name, value in found.items() if name != gold}


def _json_only(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return *record* without what is no JSON: the data set with the name brings such columns itself."""
    return {name: value for name, value in record.items() if _is_json(value)}


def _is_json(value: object) -> bool:
    if isinstance(value, Mapping):
        return all(map(_is_json, value.values()))
    if isinstance(value, list | tuple):
        return all(map(_is_json, value))
    return value is None or isinstance(value, str | int | float)


def _name(dataset: Dataset) -> str:
    return dataset[0].id.partition("/")[0]


def _refuse_what_gets_lost(folder: Path) -> None:
    """Raises UserError for what is in a folder and is not kept by the hub: links, modes, empty folders."""
    if lost := next(_unpushed_files(folder), None):
        raise UserError(f"{lost}, which the hub does not keep: make it in a Dockerfile, or push another folder")


def _unpushed_files(folder: Path) -> Iterator[str]:
    for place, folders, files in os.walk(folder):
        folders[:] = [each for each in folders if each not in LEFT_OUT]
        if not folders and not files:
            yield f"{place} is empty"
        for path in (Path(place, each) for each in (*folders, *files)):
            if path.is_symlink():
                yield f"{path} is a link"
            elif path.is_file() and path.stat().st_mode & 0o111:
                yield f"{path} is executable"
