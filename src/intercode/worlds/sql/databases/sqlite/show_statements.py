"""SHOW, DESC and the like, answered from a catalogue as MySQL answers them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from intercode.types.databases import QueryResult, Row
from intercode.worlds.sql.databases.dialect.commands import ServerCommand
from intercode.worlds.sql.databases.dialect.errors import format_error
from intercode.worlds.sql.databases.sqlite.catalog import Catalog
from intercode.worlds.sql.databases.sqlite.connection import SqliteConnection

RIGHTS = "SUPER or SYSTEM_VARIABLES_ADMIN"
NOT_YOURS = format_error(
    1227, f"Access denied; you need (at least one of) the {RIGHTS} privilege(s) for this operation"
)

BROKEN = (
    "View '{}' references invalid table(s) or column(s) or function(s) or definer/invoker of view lack rights to use"
    " them"
)

VIEW = ("View", "Create View", "character_set_client", "collation_connection")

INDEX = (
    "Table", "Non_unique", "Key_name", "Seq_in_index", "Column_name", "Collation", "Cardinality", "Sub_part", "Packed",
    "Null", "Index_type", "Comment", "Index_comment", "Visible", "Expression",
)  # fmt: skip


def answer(
    command: ServerCommand, engine: SqliteConnection, catalogue: Catalog, databases: Sequence[str]
) -> QueryResult:
    """Return the answer to *command*, asked of one database; *databases* are all that there are."""
    if command.kind == "databases":
        names = sorted([*databases, "information_schema"])
        return _rows(("Database",), [(name,) for name in names if _like(command.like, name)])
    if command.kind == "tables":
        return _tables(command, engine, catalogue)
    if command.kind == "empty":
        return QueryResult(())
    if command.kind == "global":
        return QueryResult(None, error=NOT_YOURS)
    return _of_table(command, engine, catalogue)


def _of_table(command: ServerCommand, engine: SqliteConnection, catalogue: Catalog) -> QueryResult:
    connection, table = engine.connection, command.table.lower()
    columns = catalogue.columns(connection, table)
    if columns is None:
        return QueryResult(None, error=format_error(1146, f"Table '{catalogue.database}.{table}' doesn't exist"))
    if command.kind == "create":
        return _create(engine, catalogue, table)
    if not columns:
        return QueryResult(None, error=format_error(1356, BROKEN.format(f"{catalogue.database}.{table}")))
    if command.kind == "index":
        nullable = {column[0]: "YES" if column[2] == "YES" else "" for column in columns}
        return _rows(INDEX, [_index(table, nullable, *part) for part in catalogue.indexes(connection, table)])
    return _columns(command, [column for column in columns if _like(command.like, column[0])])


def _index(table: str, nullable: Mapping[str, str], name: str, unique: bool, at: int, column: str) -> Row:
    null = nullable.get(column, "")
    return (table, int(not unique), name, at, column, "A", None, None, None, null, "BTREE", "", "", "YES", None)


def _columns(command: ServerCommand, columns: Sequence[Row]) -> QueryResult:
    if not command.full:
        return _rows(("Field", "Type", "Null", "Key", "Default", "Extra"), columns)
    names = ("Field", "Type", "Collation", "Null", "Key", "Default", "Extra", "Privileges", "Comment")
    return _rows(names, [_full(*column) for column in columns])


def _full(name: str, kind: str, *rest: str | None) -> Row:
    collation = "utf8mb4_general_ci" if re.search("char|text|enum|set", kind) else None
    return (name, kind, collation, *rest, "select,insert,update,references", "")


def _tables(command: ServerCommand, engine: SqliteConnection, catalogue: Catalog) -> QueryResult:
    found = [table for table in catalogue.tables(engine.connection) if _like(command.like, table[0])]
    heading = f"Tables_in_{catalogue.database}" + (f" ({command.like})" if command.like else "")
    if command.full:
        return _rows((heading, "Table_type"), found)
    return _rows((heading,), [(name,) for name, _ in found])


def _create(engine: SqliteConnection, catalogue: Catalog, table: str) -> QueryResult:
    found = catalogue.create(engine.connection, table)
    if found and found[1].startswith("CREATE VIEW "):
        return _rows(VIEW, [(*found, "utf8mb4", "utf8mb4_general_ci")])
    return _rows(("Table", "Create Table"), [found] if found else [])


def _rows(columns: tuple[str, ...], rows: Sequence[Row]) -> QueryResult:
    return QueryResult(tuple(rows), columns)


def _like(pattern: str | None, name: str) -> bool:
    """Return whether *name* fits a pattern of LIKE; everything fits None."""
    if pattern is None:
        return True
    parts = re.findall(r"\\.|.", pattern, re.DOTALL)
    signs = {"%": ".*", "_": "."}
    wanted = "".join(signs.get(part) or re.escape(part.removeprefix("\\")) for part in parts)
    return re.fullmatch(wanted, name, re.IGNORECASE | re.DOTALL) is not None
