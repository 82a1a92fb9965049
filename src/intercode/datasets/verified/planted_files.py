"""What verified sets add to the worlds of their tasks before an agent comes: files, and rows."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from intercode.datasets.verified.changes import PlantedFile, TaskChange, seconds
from intercode.errors import BadDataError
from intercode_sandbox.images.files_layer import FilesLayer


def files_layer(changes: Iterable[TaskChange], title: str) -> FilesLayer | None:
    """Return all files that *changes* plant, as one layer; None for none.

    Raises:
        BadDataError: If two differ about one.
    """
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
        {
            path: file.base64 or file.text * file.times
            for path, file in found.items()
            if path not in links and not file.folder
        },
        links=links,
        directories=folders,
        modes={path: int(file.mode, 8) for path, file in found.items() if file.mode},
        mtimes={path: file.mtime for path, file in found.items() if file.mtime is not None},
        ages={path: seconds(file.age) for path, file in found.items() if file.age},
        owners={path: file.owner for path, file in found.items() if file.owner is not None},
        fresh=True,
        title=title,
    )


def rows(folder: Path) -> str:
    """Return the statements that plant rows into databases: those of all files `DATABASE.sql` in *folder*."""
    return "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.sql")))
