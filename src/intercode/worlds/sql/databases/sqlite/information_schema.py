"""MySQL's information_schema, filled from catalogues, as far as agents ask for it."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable

from intercode.worlds.sql.databases.sqlite.catalog import Description

NAME = "information_schema"

TABLES = (
    "TABLE_CATALOG", "TABLE_SCHEMA", "TABLE_NAME", "TABLE_TYPE", "ENGINE", "VERSION", "ROW_FORMAT", "TABLE_ROWS",
    "AVG_ROW_LENGTH", "DATA_LENGTH", "MAX_DATA_LENGTH", "INDEX_LENGTH", "DATA_FREE", "AUTO_INCREMENT", "CREATE_TIME",
    "UPDATE_TIME", "CHECK_TIME", "TABLE_COLLATION", "CHECKSUM", "CREATE_OPTIONS", "TABLE_COMMENT",
)  # fmt: skip

COLUMNS = (
    "TABLE_CATALOG", "TABLE_SCHEMA", "TABLE_NAME", "COLUMN_NAME", "ORDINAL_POSITION", "COLUMN_DEFAULT", "IS_NULLABLE",
    "DATA_TYPE", "CHARACTER_MAXIMUM_LENGTH", "CHARACTER_OCTET_LENGTH", "NUMERIC_PRECISION", "NUMERIC_SCALE",
    "DATETIME_PRECISION", "CHARACTER_SET_NAME", "COLLATION_NAME", "COLUMN_TYPE", "COLUMN_KEY", "EXTRA", "PRIVILEGES",
    "COLUMN_COMMENT", "GENERATION_EXPRESSION", "SRS_ID",
)  # fmt: skip

SCHEMATA = (
    "CATALOG_NAME", "SCHEMA_NAME", "DEFAULT_CHARACTER_SET_NAME", "DEFAULT_COLLATION_NAME", "SQL_PATH",
    "DEFAULT_ENCRYPTION",
)  # fmt: skip

TEXTS = {"tinytext": 255, "text": 65535, "mediumtext": 16777215, "longtext": 4294967295}
"""How long texts can be."""

TableDescription = tuple[str, str, str, list[Description]]
"""A table: its database, name, type and columns."""


def create_information_schema(told: Iterable[TableDescription]) -> bytes:
    """Return a database with the tables of information_schema."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        _fill(connection, told)
        return connection.serialize()
    finally:
        connection.close()


def _fill(connection: sqlite3.Connection, told: Iterable[TableDescription]) -> None:
    for table, headings in {"tables": TABLES, "columns": COLUMNS, "schemata": SCHEMATA}.items():
        names = ", ".join(f"{heading} COLLATE NOCASE" for heading in headings)
        connection.execute(f"CREATE TABLE {table} ({names})")
    told = list(told)
    for database in sorted({NAME, *(table[0] for table in told)}):
        _insert(connection, "schemata", ("def", database, "utf8mb4", "utf8mb4_general_ci", None, "NO"))
    for database, name, kind, columns in told:
        view = kind == "VIEW"
        engine = (None, None, None) if view else ("InnoDB", 10, "Dynamic")
        rest = (*[None] * 10, None if view else "utf8mb4_general_ci", None, "", "VIEW" if view else "")
        _insert(connection, "tables", ("def", database, name, kind, *engine, *rest))
        for place, column in enumerate(columns, 1):
            _insert(connection, "columns", _column(database, name, place, column))


def _column(database: str, table: str, place: int, column: Description) -> tuple[object, ...]:
    name, kind, null, key, default, extra = column
    word = re.split(r"[( ]", kind)[0]
    sizes = [int(size) for size in re.findall(r"\d+", kind)]
    length = TEXTS.get(word) or (sizes[0] if "char" in word and sizes else None)
    digits = {"int": 10, "bigint": 19, "smallint": 5, "tinyint": 3, "mediumint": 7, "double": 22, "float": 12}.get(word)
    if word == "decimal" and sizes:
        digits = sizes[0]
    scale = 0 if word.endswith("int") else sizes[-1] if word == "decimal" and sizes else None
    moment = 0 if word in ("datetime", "timestamp", "time") else None
    charset = ("utf8mb4", "utf8mb4_general_ci") if length is not None else (None, None)
    octets = length * 4 if length is not None and "char" in word else length
    start = ("def", database, table, name, place, default, null, word, length, octets, digits, scale, moment, *charset)
    return (*start, kind, key, extra, "select,insert,update,references", "", "", None)


def _insert(connection: sqlite3.Connection, table: str, row: tuple[object, ...]) -> None:
    connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
