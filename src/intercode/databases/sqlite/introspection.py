"""What is in an embedded database, looked at from the outside."""

from __future__ import annotations

import sqlite3

from intercode.databases.base import VIEW_LIMITS, TableState
from intercode.databases.sqlite.catalog import Catalog
from intercode.databases.sqlite.connection import SqliteConnection
from intercode.databases.sqlite.table_definitions import quote


def tables(engine: SqliteConnection, catalogue: Catalog) -> dict[str, TableState]:
    """Every table and view by name; a view that cannot be read has neither columns nor rows."""
    with engine.guard.trust():
        kinds = catalogue.tables(engine.connection)
        creates = {name: catalogue.create(engine.connection, name) for name, _ in kinds}
    return {
        name: TableState(
            name, *(_view_rows if kind == "VIEW" else _table_rows)(engine, name), (creates[name] or ("", ""))[1]
        )
        for name, kind in kinds
    }


def _table_rows(engine: SqliteConnection, name: str) -> tuple[tuple[str, ...], tuple[tuple[object, ...], ...]]:
    """What a table holds; bytes that are no text, which a session can store as such, are written out."""
    try:
        return _rows(engine, name)
    except sqlite3.OperationalError:
        engine.connection.text_factory = lambda data: data.decode("utf-8", "backslashreplace")
        try:
            return _rows(engine, name)
        finally:
            engine.connection.text_factory = str


def _rows(engine: SqliteConnection, name: str) -> tuple[tuple[str, ...], tuple[tuple[object, ...], ...]]:
    with engine.guard.trust():
        cursor = engine.connection.execute(f"SELECT * FROM {quote(name)}")
        return tuple(column[0] for column in cursor.description), tuple(sorted(cursor, key=repr))


def _view_rows(engine: SqliteConnection, name: str) -> tuple[tuple[str, ...], tuple[tuple[object, ...], ...]]:
    """Under guard, and for a limited time."""
    try:
        found = engine.execute(f"SELECT * FROM {quote(name)}", seconds=VIEW_LIMITS.seconds, limits=VIEW_LIMITS)
    except sqlite3.Error:
        return (), ()
    return found[1], tuple(sorted(found[0] or (), key=repr))
