"""APPS: programs and functions to write, of three difficulties, each with tests; read from the published files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Literal

from intercode.datasets.base import Dataset, ListedDataset
from intercode.datasets.formats.large_jsonl import HiddenColumns, IndexedLine, index_lines
from intercode.datasets.formats.problem_folders import Problem, indexed_folders
from intercode.datasets.sources import folder_of
from intercode.errors import BadDataError, UnknownNameError
from intercode.types import Task

Split = Literal["test", "train"]
SPLITS: tuple[Split, ...] = ("train", "test")

PROGRAM = "Hand in a whole program that reads standard input and prints to standard output."
FUNCTION = "Hand in a function or a method as the code below begins it:"
NAMED = "Hand in a function called"


class AppsDataset(ListedDataset):
    """The tasks `apps/introductory/N`, `apps/interview/N` and `apps/competition/N`, N as published.

    *split* is "test" or "train" (ids then end in `train-N`). Only problems with both a solution, of which the first is
    the gold, and tests (an output for every input) are tasks, as in the published benchmark: 3765 of the 5000 in
    "test". `extra` holds the hidden `inputs` and `outputs`, with `fn_name` where a function is asked for, and is read
    from the file when it is wanted: that has 1.3 GB. *folder* is where it is (None: where `intercode data get apps`
    puts it). Where there is no such file, the problems may be in folders of their own, as `APPS.tar.gz` has them.
    """

    name = "apps"
    world = "python"

    def __init__(self, *, split: Split = "test", folder: str | PathLike[str] | None = None) -> None:
        if split not in ("test", "train"):
            raise UnknownNameError(f"no split {split!r} in apps; there are: test, train")
        self.split, self.folder = split, folder_of(self.name) if folder is None else Path(folder)
        path = self.folder / f"{split}.jsonl"
        lines: Sequence[IndexedLine | Problem]
        if path.exists():
            lines, self._checksum = index_lines(path, keep=_judging_columns)
        elif (path := path.with_suffix("")).is_dir():
            lines, self._checksum = indexed_folders(path, keep=_judging_columns)
        else:
            raise BadDataError(f"{path}.jsonl is missing: `intercode data get apps` fetches it (1.4 GB)")
        label = "" if split == "test" else "train-"
        self._tasks = [_task(path, line, label) for line in lines]
        if not self._tasks:
            raise BadDataError(f"{path} holds no problem that has both a solution and tests")

    @property
    def splits(self) -> Mapping[str, Dataset]:
        """Those whose files are there: see `Dataset.splits`. The other one is read when it is asked for."""
        there = [name for name in SPLITS if name == self.split or self._has(name)]
        return _Splits(self, there)

    def _has(self, split: Split) -> bool:
        return any(self.folder.joinpath(f"{split}{ending}").exists() for ending in (".jsonl", ""))


class _Splits(Mapping[str, Dataset]):
    """The parts of APPS called *names*; each has a file of a gigabyte."""

    def __init__(self, dataset: AppsDataset, names: Sequence[Split]) -> None:
        self._dataset, self._names = dataset, names

    def __getitem__(self, name: str) -> Dataset:
        split = self._names[self._names.index(name)] if name in self._names else None
        if split is None:
            raise KeyError(name)
        return self._dataset if split == self._dataset.split else AppsDataset(split=split, folder=self._dataset.folder)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _judging_columns(columns: HiddenColumns) -> dict[str, str] | None:
    """Return what is kept in memory of a problem; None for one that is left out.

    Raises KeyError, ValueError, TypeError.
    """
    outer = columns.outer
    number, level, question = outer.get("id", outer.get("problem_id")), outer["difficulty"], outer["question"]
    solutions, tests = columns.inner("solutions"), columns.inner("input_output")
    if not solutions or not tests or not tests["inputs"] or len(tests["inputs"]) != len(tests["outputs"]):
        return None
    wanted = _describe_answer(str(tests.get("fn_name") or ""), str(outer.get("starter_code") or "").strip())
    return {
        "number": str(number),
        "difficulty": str(level),
        "query": f"{str(question).strip()}\n\n{wanted}",
        "gold": str(solutions[0]),
    }


def _describe_answer(function: str, starter: str) -> str:
    """Return what is to be handed in, in words."""
    if not function:
        return PROGRAM
    return f"{FUNCTION}\n{starter}" if starter else f"{NAMED} {function}."


def _task(path: Path, line: IndexedLine | Problem, label: str) -> Task:
    known, level = line.facts, line.facts["difficulty"]
    id = f"apps/{level}/{label}{known['number']}"
    return Task(id, known["query"], known["gold"], "python", difficulty=level, extra=line.columns(path))
