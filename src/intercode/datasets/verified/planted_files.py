"""What verified sets add to the worlds of their tasks before an agent comes: files, and rows."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from intercode.datasets.verified.changes import FOLDER, Change, PlantedFile
from intercode.errors import BadDataError
from intercode.sandboxes.images.files_layer import FilesLayer


def files_layer(changes: Iterable[Change], title: str) -> FilesLayer | None:
    """All files that *changes* plant, as one layer; None for none.

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
        owners={path: file.owner for path, file in found.items() if file.owner is not None},
        fresh=True,
        title=title,
    )


def rows(published: str, folder: Path = FOLDER) -> str:
    """The statements that plant rows into the databases of the set called *published*; "" where there are none.

    They are in *folder*, in `PUBLISHED.sql` or in files `PUBLISHED/DATABASE.sql`.
    """
    files = [folder / f"{published}.sql", *sorted((folder / published).glob("*.sql"))]
    return "".join(path.read_text(encoding="utf-8") for path in files if path.is_file())
