"""What identifies the files of a source: their content, not their names on this machine."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from intercode.errors import BadDataError

SUFFIXES = {"mysql_dump": (".sql", ".sql.gz"), "sql": (".sql", ".sql.gz"), "sqlite": (".sqlite", ".sqlite3", ".db")}


def checksum(path: Path, kind: str) -> str:
    """SHA-256 over names and contents of all files of a source, write-ahead logs of SQLite's included.

    Raises:
        BadDataError: If there is none.
    """
    whole = hashlib.sha256()
    found, above = files(path, kind), path if path.is_dir() else path.parent
    logs = [file.with_name(f"{file.name}-wal") for file in found if kind == "sqlite"]
    for file in (*found, *(log for log in logs if log.is_file() and log.stat().st_size)):
        stat = file.stat()
        name = "" if file == path else file.relative_to(above).as_posix()
        whole.update(f"{name}\0{_digest(file, stat.st_size, stat.st_mtime_ns)}\n".encode())
    return whole.hexdigest()


def files(path: Path, kind: str) -> list[Path]:
    """Return the files of a source, sorted: *path* itself, or what is in that folder and in the folders in it."""
    if path.is_file():
        return [path]
    found = sorted(
        file
        for pattern in ("*", "*/*")
        for file in path.glob(pattern)
        if file.is_file() and file.name.endswith(SUFFIXES[kind])
    )
    if not found:
        wanted = " or ".join(f"*{suffix}" for suffix in SUFFIXES[kind])
        raise BadDataError(f"{path}: {f'no {wanted} in it' if path.is_dir() else 'no such file'}")
    return found


def stem(file: Path) -> str:
    """Return a file's name without its suffixes: the name of the database in it."""
    return file.name.partition(".")[0]


@lru_cache(maxsize=256)
def _digest(file: Path, size: int, mtime_ns: int) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
