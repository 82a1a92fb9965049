"""Data sets: WHAT is asked."""

from __future__ import annotations

from os.path import exists, isdir  # unlike Path's, they stand every string
from pathlib import Path
from typing import Any

from intercode import registry
from intercode.datasets.base import Dataset, Part
from intercode.datasets.formats import SUFFIXES
from intercode.errors import UnknownName

__all__ = ["Dataset", "load", "names"]


def names() -> list[str]:
    """The data sets that can be asked for by name; files and folders of one's own come on top."""
    return [name for name in registry.names("datasets") if name not in ("files", "sql-folder")]


def load(spec: str, **options: Any) -> Dataset:
    """The data set that *spec* names: `nl2bash`, a part of one (`nl2bash/fs2`), a file (`tasks.jsonl`), or a folder.

    A folder holds databases and SQL tasks (see `SqlFolderDataset`). *options* go to the data set's class, e.g.
    `file_system=1` to NL2Bash, or `query="question"` to a file's. Raises UnknownName, listing the names that exist, and
    BadData for what is missing or malformed.
    """
    name, _, part = spec.partition("/")
    if name.replace("_", "-") in names():
        whole: Dataset = registry.find("datasets", name)(**options)
        return Part(whole, f"{whole.name}/{part.strip('/')}") if part.strip("/") else whole
    if "/" in spec or Path(spec).suffix.lower() in SUFFIXES or exists(spec):
        own: Dataset = registry.find("datasets", "sql-folder" if isdir(spec) else "files")(spec, **options)
        return own
    raise UnknownName(
        f"no data set called {spec!r}; there are: {', '.join(names())}, and any file ({', '.join(SUFFIXES)}) "
        "or folder of databases"
    )
