"""A generated file system: what families look at when they draft, and the layer that sessions stand on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from intercode_sandbox.images.files_layer import FilesLayer

Kind = Literal["text", "csv", "log", "access", "conf", "json", "mail", "script", "archive", "list", "pointer", "junk"]
"""What a file is, whatever it is called."""


class File:
    """One regular file. *mtime* is in seconds since the epoch, *owner* the number of its user and of its group.

    `name` is the last part of its path, `folder` the rest, `size` is in bytes: families look at them all the time.
    """

    __slots__ = ("data", "folder", "kind", "mode", "mtime", "name", "owner", "path", "size")

    def __init__(self, path: str, data: bytes, kind: Kind, mtime: int, mode: int = 0o644, owner: int = 0) -> None:
        self.path, self.data, self.kind = path, data, kind
        self.mtime, self.mode, self.owner = mtime, mode, owner
        self.folder, _, self.name = path.rpartition("/")
        self.size = len(data)

    @property
    def text(self) -> str:
        """Its content as text."""
        return self.data.decode()

    @property
    def lines(self) -> list[str]:
        """Its lines, without their ends."""
        return self.text.splitlines()


@dataclass(frozen=True)
class CsvTable:
    """A CSV file with a heading; no field holds a comma, a quote or a blank at its ends."""

    path: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def place(self, column: str) -> int:
        """Return the number of *column*, from 1 as `cut` and `awk` count."""
        return self.columns.index(column) + 1

    def values(self, column: str) -> list[str]:
        """Return all values of *column*, from the top."""
        at = self.columns.index(column)
        return [row[at] for row in self.rows]


@dataclass(frozen=True)
class BashWorld:
    """Everything below *root*. *words* are names that this split may use and that nothing in this world has.

    *pointers* maps folders to the files that name them; *settings* maps folders to the files and keys that do.
    """

    root: str
    files: Mapping[str, File]
    links: Mapping[str, str]
    tables: tuple[CsvTable, ...]
    empty_folders: tuple[str, ...]
    words: Sequence[str]
    people: Sequence[str]
    pointers: Mapping[str, str] = field(default_factory=dict)

    def of_kind(self, *kinds: Kind) -> list[File]:
        """Return the files of those *kinds*, by path."""
        return [file for file in self.files.values() if file.kind in kinds]

    def below(self, folder: str) -> list[File]:
        """Return the files below *folder*, at any depth, by path."""
        return self._below[folder]

    @cached_property
    def folders(self) -> tuple[str, ...]:
        """All folders that hold files, the root included, sorted."""
        return tuple(sorted(self._below))

    @cached_property
    def _below(self) -> dict[str, list[File]]:
        found: dict[str, list[File]] = {}
        for file in self.files.values():
            for folder in parents(file.path):
                if folder.startswith(self.root):
                    found.setdefault(folder, []).append(file)
        return found

    @cached_property
    def layer(self) -> FilesLayer:
        """The file system as a layer, equal in every process and on every machine."""
        files = self.files.values()
        return FilesLayer(
            {file.path: file.data for file in files},
            links=self.links,
            directories=self.empty_folders,
            modes={file.path: file.mode for file in files},
            mtimes={file.path: float(file.mtime) for file in files},
            owners={file.path: (file.owner, file.owner) for file in files},
            title=f"the generated folder {self.root}",
        )


def parents(path: str) -> Iterator[str]:
    """Yield the folders above *path*, nearest first, without the root of all."""
    while path := path.rpartition("/")[0]:
        yield path
