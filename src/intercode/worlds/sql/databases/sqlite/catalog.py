"""What MySQL says of tables, answered from SQLite: DESC, SHOW TABLES, SHOW CREATE TABLE, information_schema."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from intercode.worlds.sql.databases.dialect.definition import (
    ColumnDefinition,
    ForeignKey,
    TableDefinition,
    literal,
    parse,
)
from intercode.worlds.sql.databases.dialect.show_create import show_create
from intercode.worlds.sql.databases.dialect.tokenizer import cache_statements
from intercode.worlds.sql.databases.sqlite.table_definitions import quote, sqlite_type

SHOWN = re.compile(r"CREATE TABLE `[^`]+` \(\n  `")
"""How a statement begins that MySQL printed itself: it is shown as it stands."""

Description = tuple[str, str, str, str, str | None, str]
"""A column as DESC prints it: Field, Type, Null, Key, Default, Extra."""


def descriptions(definition: TableDefinition) -> list[Description]:
    """Return the columns of *definition* as DESC prints them."""
    return [_description(definition, column) for column in definition.columns]


def _description(definition: TableDefinition, column: ColumnDefinition) -> Description:
    extra = "auto_increment" if column.counts else ""
    if column.default and re.match(r"(?i)(current_timestamp|now|localtime)", column.default):
        extra = "DEFAULT_GENERATED" + (" on update CURRENT_TIMESTAMP" if column.on_update else "")
    null = "YES" if column.nullable else "NO"
    return (column.name, column.type, null, definition.key_of(column.name), literal(column.default), extra)


@cache_statements
def described(create: str) -> tuple[Description, ...]:
    """Return the columns that a statement *create* makes, as DESC prints them; nothing for one that makes none."""
    definition = parse(create)
    return () if definition is None else tuple(descriptions(definition))


class TableInfo(NamedTuple):
    """What a source says of one table: as it was `made` in SQLite, and MySQL's statement."""

    made: str
    create: str


@dataclass(slots=True)
class Catalog:
    """The tables of one database, as its source describes them and as they stand.

    `native`: they are SQLite's own, made by others, and nobody describes them.
    """

    database: str
    about: dict[str, TableInfo] = field(default_factory=dict)
    native: bool = False

    @classmethod
    def read(cls, database: str, file: Path) -> Catalog:
        """Return what `convert` has written; nothing where there is no such file."""
        if not file.is_file():
            return cls(database, native=True)
        return cls(database, {name: TableInfo(*told) for name, told in json.loads(file.read_text()).items()})

    def describe(self, connection: sqlite3.Connection, table: str, create: str) -> None:
        """Keep what MySQL says of *table* as it now is: *create*, the statement that makes it."""
        made, name = _create_statement(connection, table)
        self.about[name.lower()] = TableInfo(made or "", create)

    def tables(self, connection: sqlite3.Connection) -> list[tuple[str, str]]:
        """Return all tables and views by name, and `BASE TABLE` or `VIEW`."""
        found = connection.execute(
            "SELECT name, CASE type WHEN 'view' THEN 'VIEW' ELSE 'BASE TABLE' END FROM sqlite_master"
            " WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name"
        )
        return found.fetchall()

    def columns(self, connection: sqlite3.Connection, table: str) -> list[Description] | None:
        """Return the columns of *table* as DESC prints them.

        None where there is no such table, none of a broken view.
        """
        made, name = _create_statement(connection, table)
        if made is None:
            return None
        told = self._told(made, name)
        known = described(told) if told else ()
        return list(known) or descriptions(self._as_it_stands(connection, name, made))

    def definition(self, connection: sqlite3.Connection, table: str) -> TableDefinition | None:
        """Return a table of ours as it stands, whatever was done to it; None for views, and tables made by others.

        Names of keys, and keys that SQLite cannot keep, are there as far as they are known.
        """
        made, name = _create_statement(connection, table)
        told = None if self.native else self._told(made, name)
        found = parse(told) if told else None
        if found is None:
            return None if made is None else self._read_back(connection, name, made)
        found.name, found.indexes = name, _indexes(connection, name)
        found.unique += [key for key in _indexes(connection, name, unique=True) if key not in found.unique]
        return found

    def is_guessed(self, connection: sqlite3.Connection, table: str) -> bool:
        """Return whether SQLite made up types for a table: CREATE TABLE … AS SELECT calls dates and decimals NUM."""
        made, name = _create_statement(connection, table)
        found = None if made is None or self._told(made, name) else parse(made)
        return found is not None and any(column.word in ("num", "") for column in found.columns)

    def _told(self, made: str | None, name: str) -> str | None:
        """Return what MySQL says of a table; None where that is not known, or it is no longer as it was."""
        known = self.about.get(name.lower())
        return known.create if known and known.made == made else None

    def _read_back(self, connection: sqlite3.Connection, name: str, made: str) -> TableDefinition | None:
        """Return a table of ours from how it was *made* in SQLite, and what is known of its columns from before."""
        found = None if self.native else parse(made)
        if found is None:
            return None
        known = self.about.get(name.lower())
        before = parse(known.create) if known else None
        kept = {column.name.lower(): column for column in before.columns} if before else {}
        found.name, found.indexes = name, _indexes(connection, name)
        found.columns = [_mysql_column(column, kept.get(column.name.lower())) for column in found.columns]
        found.comment = before.comment if before else ""
        return found

    def _as_it_stands(self, connection: sqlite3.Connection, name: str, made: str) -> TableDefinition:
        """Return the same of any table or view."""
        return self._read_back(connection, name, made) or _inspect(connection, name, made)

    def describe_tables(self, connection: sqlite3.Connection) -> Iterator[tuple[str, str, str, list[Description]]]:
        """Yield all tables with their columns: what information_schema is made of."""
        for name, kind in self.tables(connection):
            yield self.database, name, kind, self.columns(connection, name) or []

    def create(self, connection: sqlite3.Connection, table: str) -> tuple[str, str] | None:
        """Return the table's name and the statement that makes it, as SHOW CREATE TABLE prints it."""
        made, name = _create_statement(connection, table)
        if made is None:
            return None
        if told := self._told(made, name):
            definition = self.definition(connection, name)
            if definition is None or (SHOWN.match(told) and not _has_more_indexes(definition, parse(told))):
                return name, told
            return name, show_create(definition)
        if made[:11].upper() == "CREATE VIEW":
            return name, re.sub(r"(?i)^create\s+view\s+", "CREATE VIEW ", made)
        return name, show_create(self._as_it_stands(connection, name, made))

    def indexes(self, connection: sqlite3.Connection, table: str) -> list[tuple[str, bool, int, str]]:
        """Return the indexes of *table*: name, whether it is unique, and a column with its place in it (from 1)."""
        rows: list[tuple[str, bool, int, str]] = []
        columns = connection.execute(f"PRAGMA table_info({quote(table)})").fetchall()
        rows += [("PRIMARY", True, column[5], column[1]) for column in columns if column[5]]
        for _, name, unique, origin, *_ in connection.execute(f"PRAGMA index_list({quote(table)})").fetchall():
            inside = connection.execute(f"PRAGMA index_info({quote(name)})").fetchall()
            unnamed = name.startswith("sqlite_autoindex_") and inside
            own = inside[0][2] if unnamed else name.partition(".")[2] or name
            rows += [(own, bool(unique), at + 1, column) for at, _, column in inside if origin != "pk"]
        return sorted(rows, key=lambda row: (row[0] != "PRIMARY", not row[1]))


def _has_more_indexes(now: TableDefinition, told: TableDefinition | None) -> bool:
    """Tell whether indexes were made since a table was *told*: as it was printed it does not show them."""
    known = {name.lower() for name, _ in (*told.indexes, *told.unique)} if told else set()
    return any(name.lower() not in known for name, _ in (*now.indexes, *now.unique))


def _create_statement(connection: sqlite3.Connection, table: str) -> tuple[str | None, str]:
    for master in ("sqlite_temp_master", "sqlite_master"):
        found = connection.execute(
            f"SELECT sql, name FROM {master} WHERE type IN ('table', 'view') AND name = ? COLLATE NOCASE", (table,)
        ).fetchone()
        if found and not found[1].startswith("sqlite_"):
            return str(found[0]), str(found[1])
    return None, table


def _inspect(connection: sqlite3.Connection, table: str, made: str) -> TableDefinition:
    """Return a table that the source does not describe, or a view, from what SQLite knows of it."""
    found = TableDefinition(table)
    try:
        columns = connection.execute(f"PRAGMA table_info({quote(table)})").fetchall()
    except sqlite3.OperationalError:  # a view of something that is no longer there
        return found
    counts = "AUTOINCREMENT" in made.upper()
    found.columns = [
        ColumnDefinition(name, mysql_type(kind), not (needed or primary), default, bool(primary and counts))
        for _, name, kind, needed, default, primary in columns
    ]
    found.primary = tuple(column[1] for column in sorted(columns, key=lambda column: column[5]) if column[5])
    found.unique = _indexes(connection, table, unique=True, constraints=True)
    found.indexes = _indexes(connection, table)
    keys = connection.execute(f"PRAGMA foreign_key_list({quote(table)})").fetchall()
    found.foreign = [ForeignKey("", (key[3],), key[2], (key[4] or key[3],)) for key in keys]
    return found


def mysql_type(kind: str) -> str:
    """Return a type declared for SQLite as MySQL shows it."""
    word = kind.lower().removeprefix("mysql_")
    if word.startswith("decimal_"):
        return "decimal{1}{2}".format(*word.partition("("))
    return {"integer": "int", "real": "double", "num": "double", "": "text"}.get(word, word)


def _mysql_column(column: ColumnDefinition, before: ColumnDefinition | None) -> ColumnDefinition:
    """A column as MySQL has it, from how it is declared to SQLite, and how it was before where that is the same."""
    if before is not None and sqlite_type(before).partition(" ")[0] == column.type:
        known = replace(column, type=before.type, collation=before.collation)
        return replace(known, on_update=before.on_update, comment=before.comment)
    return replace(column, type=mysql_type(column.type), collation="")


def _indexes(
    connection: sqlite3.Connection, table: str, *, unique: bool = False, constraints: bool = False
) -> list[tuple[str, tuple[str, ...]]]:
    """Return the indexes that were made as such, by the names that MySQL gives them: the *unique* ones, or the others.

    Those of *constraints* too, if asked for. Expressions that they are of are left out.
    """
    found = []
    for _, name, single, origin, *_ in reversed(connection.execute(f"PRAGMA index_list({quote(table)})").fetchall()):
        if (origin == "c" or (constraints and origin == "u")) and bool(single) == unique:
            inside = connection.execute(f"PRAGMA index_info({quote(name)})").fetchall()
            columns = tuple(row[2] for row in inside if row[2] is not None)
            own = columns[0] if columns and origin == "u" else name.partition(".")[2] or name
            found += [(own, columns)] if columns else []
    return found
