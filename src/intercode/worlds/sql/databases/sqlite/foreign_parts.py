"""What in a SQLite file only the program that made it can use: modules, collations and functions of its own."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from intercode.errors import BadDataError
from intercode.worlds.sql.databases.sqlite.connection import SqliteConnection

LACKING = re.compile(r"no such (collation sequence|function|module): .*")


def check(file: Path) -> None:
    """Refuse a database *file* with tables or views that no session could use.

    Raises:
        BadDataError: If there is one. Names file, table and what it needs. A file that is no database is not told of
            here, but where it is opened.
    """
    if not file.stat().st_size:
        return
    try:
        engine = SqliteConnection.reading(file, "", native=True)
    except (BadDataError, sqlite3.Error):
        return
    try:
        with engine.guard.trust():
            for table, reason in _foreign(engine.connection):
                way_out = "leave it out of the file, or copy its rows into a plain table"
                raise BadDataError(f"{file}: nobody could use {table!r}: {reason}; {way_out}")
    finally:
        engine.close()


def _foreign(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """Yield tables and views that SQLite cannot use by itself, and why: as it says when it prepares statements."""
    try:
        found = connection.execute(
            "SELECT name, type, rootpage, sql FROM sqlite_master"
            " WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
        ).fetchall()
    except sqlite3.Error:
        return
    for name, kind, page, text in found:
        if (
            kind == "table"
            and not page
            and (module := re.search(r"\busing\s+[\"'`\[]?(\w+)", text or "", re.IGNORECASE))
        ):
            yield name, f"it is a virtual table of {module[1]}"
    for name, kind, *_ in found:
        quoted = '"' + name.replace('"', '""') + '"'
        if reason := _lack(connection, f"SELECT * FROM {quoted}"):
            yield name, reason
        if kind == "table" and (reason := _lack_of_table(connection, quoted)):
            yield name, reason


def _lack_of_table(connection: sqlite3.Connection, table: str) -> str:
    """Return what a change of *table*, or a sort by a column of it, needs and SQLite lacks."""
    columns = [row[1].replace('"', '""') for row in connection.execute(f"PRAGMA table_info({table})")]
    sort = ", ".join(f'"{column}"' for column in columns[:100])
    insert = f"INSERT INTO {table} DEFAULT VALUES"
    return _lack(connection, f"SELECT 1 FROM {table} ORDER BY {sort}") or _lack(connection, insert)


def _lack(connection: sqlite3.Connection, statement: str) -> str:
    try:
        connection.execute(f"EXPLAIN {statement}").close()
    except sqlite3.Error as error:
        found = LACKING.search(str(error))
        return found[0] if found else ""
    return ""
