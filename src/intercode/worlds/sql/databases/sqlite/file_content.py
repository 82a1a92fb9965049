"""A database file that nobody changes: its address, and its content for a database in memory."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from intercode.util.regular_files import LARGEST_DATA, read_bytes

JOURNAL, LOGGED, ROLLED_BACK = slice(18, 20), b"\2\2", b"\1\1"
"""Where the header of a database says how it is written: by a write-ahead log, which none in memory has, or not."""


def reading(file: Path) -> str:
    """Return the address of a database file that is only read."""
    still = "" if _has_log(file) else "&immutable=1"
    return f"{file.absolute().as_uri()}?mode=ro{still}"


def content(file: Path) -> bytes:
    """Return all of a database, its write-ahead log included, in a form that a database in memory can have."""
    if _has_log(file):
        with closing(sqlite3.connect(reading(file), uri=True)) as connection:
            data = connection.serialize()
    else:
        data = read_bytes(file, most=LARGEST_DATA)
    if data[JOURNAL] != LOGGED:
        return data
    return data[: JOURNAL.start] + ROLLED_BACK + data[JOURNAL.stop :]


def _has_log(file: Path) -> bool:
    """Return whether a write-ahead log lies beside a database file: it may hold what is not in the file yet."""
    return file.with_name(f"{file.name}-wal").exists()
