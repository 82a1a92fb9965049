"""The files that databases come from."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from intercode.errors import BadDataError
from intercode.types.databases import DatabaseSource

_ENDINGS: dict[Literal["sqlite", "sql"], tuple[str, ...]] = {
    "sqlite": (".sqlite", ".sqlite3", ".db"),
    "sql": (".sql", ".sql.gz"),
}


def dump_in(folder: Path, file: str) -> Path | None:
    """Return the dump *file* in *folder*, as it is or as .gz; None where there is neither."""
    return next((path for path in (folder / file, folder / f"{file}.gz") if path.is_file()), None)


def folder_source(folder: Path, *, name: str) -> DatabaseSource:
    """Return the databases in a folder, .sqlite files or .sql files.

    Raises:
        BadDataError: If there are none, or both kinds.
    """
    kinds = [kind for kind, endings in _ENDINGS.items() if _files(folder, endings)]
    if len(kinds) != 1:
        found = "both are in it: put them into two folders" if kinds else "there are none in it"
        raise BadDataError(f"{folder}: expected databases, as .sqlite files or as .sql files, and {found}")
    return DatabaseSource(name, folder, kinds[0])


def databases_in(folder: Path) -> list[str]:
    """Return what the files of databases in *folder*, and in folders of it, are called, without their endings."""
    return sorted({path.name.partition(".")[0] for path in database_files(folder)})


def database_files(folder: Path) -> list[Path]:
    """Return the files of databases in *folder* and in folders of it, of either kind."""
    return _files(folder, tuple(ending for each in _ENDINGS.values() for ending in each))


def _files(folder: Path, endings: tuple[str, ...]) -> list[Path]:
    found = [path for pattern in ("*", "*/*") for path in folder.glob(pattern)]
    return [path for path in found if path.name.endswith(endings) and path.is_file()]
