"""The runs that a viewer was given: folders of runs, single ones, and files of other programs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from math import inf
from os.path import lexists
from pathlib import Path
from threading import RLock
from typing import Any

from intercode.errors import BadDataError
from intercode.report.report import report
from intercode.report.run_names import run_names
from intercode.runs import activity
from intercode.runs import manifest as manifests
from intercode.view import foreign
from intercode.view.index import RunIndex
from intercode.view.spreads import spreads

DEEPEST = 4
"""Folders below the one given in which runs are looked for."""

AGAIN = 2.0
"""Seconds after which folders are looked through for new runs."""


@dataclass
class RunLibrary:
    """All runs at *paths*, by the names they go by. What cannot be read is in `problems`, by its path."""

    paths: Sequence[Path]
    runs: dict[str, RunIndex] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    _stack: ExitStack = field(default_factory=ExitStack)
    _found: dict[Path, RunIndex] = field(default_factory=dict)
    _looked: float = 0.0
    _lock: RLock = field(default_factory=RLock)
    _figures: dict[tuple[str, str, str, int], dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def open(cls, paths: Sequence[Path]) -> RunLibrary:
        """Return the runs at *paths*.

        Raises:
            BadDataError: If there is none at one of them, saying why.
        """
        library = cls(paths)
        try:
            for path in paths:
                library._look_through(path, is_first=True)
        except BaseException:
            library.close()
            raise
        library._name()
        return library

    def find(self, name: str, seconds: float = inf) -> RunIndex:
        """Return the run called *name*, kept up with its file, or after *seconds* with its beginning.

        Raises:
            BadDataError: If there is no such run, or it cannot be read.
        """
        with self._lock:
            found = self.runs.get(name)
        if found is None:
            raise BadDataError(f"no run called {name!r} is open here")
        found.refresh(seconds)
        return found

    def read_ahead(self) -> None:
        """Read every run's file, so that whoever asks first need not wait for it."""
        for name in list(self.runs):
            with suppress(BadDataError):  # who asks for it is told
                self.find(name)

    def refresh(self) -> None:
        """Look for new runs, at most every `AGAIN` seconds."""
        with self._lock:
            if time.monotonic() - self._looked < AGAIN:
                return
            for path in self.paths:
                self._look_through(path)
            self._name()

    def figures(self, name: str, scoring: str | None = None) -> dict[str, Any]:
        """Return all that a table of runs has of the run called *name*.

        Raises:
            BadDataError: If there is no such run, or it cannot be read.
        """
        index = self.find(name)
        key = (name, scoring or "", index.generation, index.count)
        if key not in self._figures:
            for old in [each for each in self._figures if each[:2] == key[:2]]:
                del self._figures[old]
            outlines = index.outlines()
            data = report(outlines, scoring).to_json()
            data["by_turn"] = []
            data["spreads"] = spreads(outlines.episodes, data["scoring"])
            self._figures[key] = data
        return self._figures[key] | {"activity": activity.read(index.folder)}

    def close(self) -> None:
        """Forget what was made for files of other programs."""
        self._stack.close()

    def _look_through(self, path: Path, *, is_first: bool = False) -> None:
        self._looked = time.monotonic()
        found = list(candidates(path))
        if not found and is_first:
            raise BadDataError(_nothing(path))
        for each in found:
            if each in self._found or (str(each) in self.problems and not is_first):
                continue
            try:
                self._found[each] = self._open_index(each)
                self.problems.pop(str(each), None)
            except BadDataError as error:
                if is_first and found == [each]:
                    raise
                self.problems[str(each)] = str(error)

    def _open_index(self, path: Path) -> RunIndex:
        if lexists(path / manifests.NAME):
            return RunIndex.of(path)
        folder = self._stack.enter_context(foreign.convert_to_run(path))
        return RunIndex.of(folder)

    def _name(self) -> None:
        paths = list(self._found)
        self.runs = dict(zip(run_names(paths), self._found.values(), strict=True))


def candidates(path: Path) -> Iterator[Path]:
    """Yield what can be opened at *path*: itself, or runs and files of other programs in the folder that it is."""
    if path.name == manifests.NAME or path.suffix == ".jsonl":
        path = path.parent
    if path.is_file() or (path / manifests.NAME).exists() or foreign.is_folder(path):
        yield path
    elif path.is_dir():
        yield from _below(path, DEEPEST)


def _below(folder: Path, levels: int) -> Iterator[Path]:
    try:
        inside = sorted(folder.iterdir())
    except OSError:
        return
    for path in inside:
        if path.is_symlink():  # it may lead back here
            continue
        if path.is_dir() and ((path / manifests.NAME).exists() or foreign.is_folder(path)):
            yield path
        elif path.is_dir() and levels > 1:
            yield from _below(path, levels - 1)
        elif path.suffix == ".eval":
            yield path


def _nothing(path: Path) -> str:
    if not path.exists():
        return f"no run in {path}: there is no such file or directory"
    return f"no run in {path}: neither a run's folder nor a folder of runs; `intercode run` makes one"
