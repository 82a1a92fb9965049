"""A generated database as its families see it: tables, columns of known kinds, and which column points where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from intercode_generate.sql.engine import ScriptDatabase

Kind = Literal["key", "ref", "name", "label", "text", "whole", "money", "date"]
"""`name` tells rows apart, `label` has few values, `text` is for nothing but looking at."""

Row = tuple[Any, ...]

TYPES: dict[Kind, str] = {
    "key": "INTEGER",
    "ref": "INTEGER",
    "name": "VARCHAR(60)",
    "label": "VARCHAR(30)",
    "text": "VARCHAR(80)",
    "whole": "INTEGER",
    "money": "DECIMAL(10,2)",
    "date": "DATE",
}


@dataclass(frozen=True, slots=True)
class SqlColumn:
    """One column; a `ref` points to the table *target*."""

    name: str
    kind: Kind
    nullable: bool = False
    target: str = ""


@dataclass(frozen=True)
class SqlTable:
    """One table; *key* are the columns of its primary key. *copy_of* names the table that it resembles."""

    name: str
    columns: tuple[SqlColumn, ...]
    rows: tuple[Row, ...]
    key: tuple[str, ...]
    copy_of: str = ""

    def of_kind(self, *kinds: Kind, nullable: bool = False) -> list[str]:
        """Return the names of the columns of these *kinds*, which may hold NULL, or never do."""
        return [each.name for each in self.columns if each.kind in kinds and each.nullable == nullable]

    def kind_of(self, column: str) -> Kind:
        """Return the kind of *column*."""
        return next(each.kind for each in self.columns if each.name == column)

    def values(self, column: str) -> list[Any]:
        """Return all values of *column*, row by row, NULL as None."""
        place = [each.name for each in self.columns].index(column)
        return [row[place] for row in self.rows]

    @property
    def definition(self) -> str:
        """Its CREATE TABLE, as MySQL reads it."""
        lines = [f"  {each.name} {TYPES[each.kind]}{'' if each.nullable else ' NOT NULL'}" for each in self.columns]
        lines.append(f"  PRIMARY KEY ({', '.join(self.key)})")
        return f"CREATE TABLE {self.name} (\n" + ",\n".join([*lines, *self._references()]) + "\n)"

    def _references(self) -> Iterator[str]:
        for each in self.columns:
            if each.target and not self.copy_of:
                yield f"  FOREIGN KEY ({each.name}) REFERENCES {each.target.replace('.', ' (')})"


@dataclass(frozen=True, slots=True)
class Link:
    """*column* of the table *child* holds the *key* of a row of *parent*, or NULL where it is *nullable*."""

    child: SqlTable
    column: str
    parent: SqlTable
    key: str
    nullable: bool


@dataclass(frozen=True)
class SqlWorld:
    """A database, and an *engine* that knows what statements do in it."""

    name: str
    tables: tuple[SqlTable, ...]
    engine: ScriptDatabase

    def table(self, name: str) -> SqlTable:
        """Return the table called *name*."""
        return next(each for each in self.tables if each.name == name)

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """All references between tables, those of a table to itself left out."""
        return tuple(link for link in self.references if link.child.name != link.parent.name)

    @cached_property
    def references(self) -> tuple[Link, ...]:
        """All references."""
        return tuple(
            Link(table, column.name, self.table(parent), key, column.nullable)
            for table in self.tables
            for column in table.columns
            for parent, _, key in [column.target.partition(".")]
            if parent
        )

    @property
    def script(self) -> str:
        """The statements that make it, as MySQL reads them."""
        return "".join(f"{table.definition};\n\n{inserts(table)};\n\n" for table in self.tables)


def inserts(table: SqlTable) -> str:
    """Return one INSERT with all rows of *table*."""
    rows = ",\n".join(f"({', '.join(map(literal, row))})" for row in table.rows)
    return f"INSERT INTO {table.name} ({', '.join(each.name for each in table.columns)}) VALUES\n{rows}"


def literal(value: Any) -> str:
    """Return *value* in SQL; no text of ours holds a quote."""
    if value is None:
        return "NULL"
    return f"'{value}'" if isinstance(value, str) else number(value)


def number(value: float) -> str:
    """Return *value* as people write it: money with two digits."""
    return f"{value:.2f}" if isinstance(value, float) else str(value)
