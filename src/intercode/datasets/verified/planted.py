"""What verified sets add to the worlds of their tasks before an agent comes: files, and rows."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from intercode import paths
from intercode.atomic_write import write_bytes
from intercode.databases.base import DatabaseSource
from intercode.datasets.verified.changes import Change, PlantedFile
from intercode.errors import BadDataError
from intercode.sandboxes.images.files_layer import FilesLayer


def files_layer(changes: Iterable[Change], title: str) -> FilesLayer | None:
    """All files that *changes* plant, as one layer; None for none. Raises BadDataError where two differ about one."""
    found: dict[str, PlantedFile] = {}
    for change in changes:
        for path, file in change.files.items():
            if found.setdefault(path, file) != file:
                raise BadDataError(f"{change.id} plants {path}, and another task has planted something else there")
    if not found:
        return None
    links = {path: file.link for path, file in found.items() if file.link}
    folders = tuple(path for path, file in found.items() if file.folder)
    return FilesLayer(
        {path: file.text for path, file in found.items() if path not in links and not file.folder},
        links=links,
        directories=folders,
        modes={path: int(file.mode, 8) for path, file in found.items() if file.mode},
        mtimes={path: file.mtime for path, file in found.items() if file.mtime is not None},
        owners={path: file.owner for path, file in found.items() if file.owner is not None},
        fresh=True,
        title=title,
    )
