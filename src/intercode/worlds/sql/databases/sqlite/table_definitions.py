"""MySQL's tables as SQLite's: types that keep their meaning, comparison without case, rows in the order of the key."""

from __future__ import annotations

import re
from collections.abc import Mapping

from intercode.worlds.sql.databases.dialect.definition import ColumnDefinition, ForeignKey, TableDefinition
from intercode.worlds.sql.databases.sqlite import collation
from intercode.worlds.sql.databases.sqlite.translation import translate_expression as translate

TEXTS = frozenset({"char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set"})
BLOBS = frozenset({"binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"})
BYTES = BLOBS | {
    "vector", "geometry", "point", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon",
    "geometrycollection", "geomcollection",
}  # fmt: skip
"""Types whose values are bytes."""

ADDRESSES = frozenset({"uuid", "inet4", "inet6"})
"""Types of MariaDB's whose values are written as texts."""

JSON, NO_JSON = re.compile(r"\bjson_valid\s*\(([^()]*)\)", re.IGNORECASE), r"(\1 IS NULL OR json_valid(\1))"
"""MariaDB's check of a JSON column: older SQLites call NULL invalid."""

TIMES = {"date": "mysql_date", "datetime": "mysql_datetime", "timestamp": "mysql_datetime", "time": "mysql_time"}
"""Declared types by which results are read as Python's dates and times; see `values`."""


def create(definition: TableDefinition, tables: Mapping[str, TableDefinition]) -> list[str]:
    """Return the statements for SQLite that make this table and its indexes.

    *tables* are those that it may refer to.
    """
    counting = next((column.name for column in definition.columns if column.counts), None)
    alone = definition.primary == (counting,)
    parts = [_column(column, alone and column.counts) for column in definition.columns]
    if definition.primary and not alone:
        parts.append(f"PRIMARY KEY ({_names(definition.primary)})")
    parts += [f"UNIQUE ({_names(columns)})" for _, columns in definition.unique]
    parts += [_foreign(key) for key in definition.foreign if _can_be_kept(key, tables, definition)]
    parts += [f"CHECK ({translate(JSON.sub(NO_JSON, check))})" for check in definition.checks]
    kind = "TEMPORARY TABLE" if definition.temporary else "TABLE"
    missing = "IF NOT EXISTS " if definition.if_missing else ""
    ending = " WITHOUT ROWID" if definition.primary and not alone else ""
    head = f"CREATE {kind} {missing}{quote(definition.name.lower())}"
    indexes = [_index(definition, name, columns) for name, columns in definition.indexes]
    indexes += [_unique(definition, name, text) for name, text in definition.expressions]
    return [f"{head} ({', '.join(parts)}){ending}", *indexes]


def quote(name: str) -> str:
    """Return a name in quotes."""
    return '"' + name.replace('"', '""') + '"'


def sqlite_type(column: ColumnDefinition) -> str:
    """Return the type to declare for SQLite."""
    if column.word in TEXTS:
        kind = column.type if column.word in ("char", "varchar") else "text"
        return f"{kind} COLLATE {_collation(column.collation)}"
    if column.word in BYTES:
        return "blob"
    if column.word in ADDRESSES:
        return "text COLLATE NOCASE"
    if column.word == "decimal":
        size = re.findall(r"[0-9]+", column.type)
        return f"mysql_decimal_{size[-1]}({','.join(size)})"
    if column.word == "json":
        return "text"
    return TIMES.get(column.word) or ("int" if column.word in ("year", "bit") else column.type)


def _collation(name: str) -> str:
    """SQLite's name for a collation of MySQL's: those of Unicode 9 and MariaDB's NOPAD heed blanks at the end."""
    if "_0900_" in name or "_nopad_" in name:
        return "BINARY" if name.endswith("_bin") else "NOCASE"
    return "RTRIM" if name.endswith("_bin") else collation.NAME


def _column(column: ColumnDefinition, counting: bool) -> str:
    if counting:
        return f"{quote(column.name)} INTEGER PRIMARY KEY AUTOINCREMENT"
    parts = [quote(column.name), sqlite_type(column)]
    if column.generated:
        parts.append(f"GENERATED ALWAYS AS ({translate(column.generated)})")
    if not column.nullable:
        parts.append("NOT NULL")
    if default := default_value(column):
        parts.append(f"DEFAULT {default}")
    return " ".join(parts)


def default_value(column: ColumnDefinition) -> str:
    """Return a column's default for SQLite; nothing where it has none, or a sequence's next value."""
    text = column.default
    if text is None or re.match(r"\(?\s*(nextval\s*\(|next\s+value\s+for\b)", text, re.IGNORECASE):
        return ""
    if re.match(r"(now|current_timestamp|localtime|localtimestamp)\b", text, re.IGNORECASE):
        return "CURRENT_TIMESTAMP"
    value = translate(text)
    return f"({value})" if re.match(r"\w+\s*\(", value) else value


def _names(columns: tuple[str, ...]) -> str:
    return ", ".join(quote(column) for column in columns)


def _foreign(key: ForeignKey) -> str:
    references = f"REFERENCES {quote(key.table.lower())} ({_names(key.references)})"
    constraint = f"CONSTRAINT {quote(key.name)} " if key.name else ""
    return f"{constraint}FOREIGN KEY ({_names(key.columns)}) {references} {key.actions}".rstrip()


def _can_be_kept(key: ForeignKey, tables: Mapping[str, TableDefinition], own: TableDefinition) -> bool:
    """SQLite wants the other side to be a primary or unique key as a whole; MySQL takes any index."""
    other = own if key.table.lower() == own.name.lower() else tables.get(key.table.lower())
    if other is None:
        return False
    wanted = {name.lower() for name in key.references}
    keys = [other.primary, *(columns for _, columns in other.unique)]
    return any({name.lower() for name in columns} == wanted for columns in keys)


def _index(definition: TableDefinition, name: str, columns: tuple[str, ...]) -> str:
    whole = quote(f"{definition.name.lower()}.{name}")
    return f"CREATE INDEX IF NOT EXISTS {whole} ON {quote(definition.name.lower())} ({_names(columns)})"


def _unique(definition: TableDefinition, name: str, expressions: str) -> str:
    table = quote(definition.name.lower())
    whole = quote(f"{definition.name.lower()}.{name}")
    return f"CREATE UNIQUE INDEX IF NOT EXISTS {whole} ON {table} ({translate(expressions)})"
