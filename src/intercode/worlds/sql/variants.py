"""Variants of a database as sources: made once for each database, and kept in the cache."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from intercode.types.databases import DatabaseSource, Row, TableState
from intercode.util.database_files import files, stem
from intercode.worlds.sql.databases.dialect.definition import parse
from intercode.worlds.sql.databases.dialect.tokenizer import quote
from intercode.worlds.sql.databases.dumps.cached import cached_folder
from intercode.worlds.sql.variant_rows import Rows, Tables, fewer, more, permuted, repeated, tables_of

KINDS: Sequence[Callable[[Tables, Random], Rows]] = (
    *(fewer, more) * 5,
    *(partial(fewer, most=0.25), more) * 10,
    *(permuted, repeated) * 2,
)
"""How each variant is made. Of a chain of tables that all lose many rows nothing is left: others lose few."""

ROUGH = KINDS.index(permuted)
"""The first variant that may break what happens to hold between columns: wanted where those before tell nothing."""

_FORMAT = 8
"""To be raised whenever other variants are made."""

_AT_ONCE = 200
"""Rows of one INSERT."""


def rows_of(state: Mapping[str, TableState], number: int) -> Rows:
    """Return the rows of variant *number* of the database in that *state*: the same each time."""
    return KINDS[number](tables_of(state), Random(number))


def variant(source: DatabaseSource, name: str, state: Mapping[str, TableState], number: int) -> DatabaseSource:
    """Variant *number* of the database *name* of *source*, which is in that *state*."""
    is_native = source.kind == "sqlite"
    file = f"{name}.sqlite" if is_native else "variant.sql"

    def write(folder: Path) -> None:
        rows = rows_of(state, number)
        if is_native:
            _fill(_file_of(source, name), folder / file, state, rows)
        else:
            script = [f"{table.create.rstrip().rstrip(';')};\n" for table in state.values() if parse(table.create)]
            script += (f"{text};\n" for text in insertions(state, rows))
            (folder / file).write_text("".join(script), "utf-8", "surrogateescape")

    folder = cached_folder("variants", f"{source.checksum[:32]}-{name}-{_FORMAT}-{number}", write)
    return DatabaseSource(name, folder / file, "sqlite" if is_native else "mysql_dump")


def replacements(state: Mapping[str, TableState], number: int) -> Iterator[str]:
    """Statements of MySQL's that make the database in that *state* its variant *number*."""
    yield "SET FOREIGN_KEY_CHECKS = 0"
    rows = rows_of(state, number)
    yield from (f"DELETE FROM {quote(table.name)}" for table in state.values() if table.name.lower() in rows)
    yield from insertions(state, rows)


def insertions(state: Mapping[str, TableState], rows: Rows) -> Iterator[str]:
    """Statements of MySQL's that put *rows* into the empty tables of a database in that *state*."""
    for table in state.values():
        places = _stored(table)
        names = ", ".join(quote(table.columns[place]) for place in places)
        found = rows.get(table.name.lower(), ())
        for first in range(0, len(found), _AT_ONCE):
            values = ", ".join(_values(row, places) for row in found[first : first + _AT_ONCE])
            yield f"INSERT INTO {quote(table.name)} ({names}) VALUES {values}"


def _stored(table: TableState) -> list[int]:
    """Return the places of the columns that are not computed from others."""
    definition = parse(table.create)
    generated = {column.name.lower() for column in definition.columns if column.generated} if definition else ()
    return [place for place, column in enumerate(table.columns) if column.lower() not in generated]


def _file_of(source: DatabaseSource, name: str) -> Path:
    return next(file for file in files(source.path, "sqlite") if stem(file).lower() == name.lower())


def _fill(original: Path, target: Path, state: Mapping[str, TableState], rows: Rows) -> None:
    """Write *target*, a copy of the SQLite file *original* with these *rows*."""
    with closing(sqlite3.connect(f"file:{original}?mode=ro", uri=True)) as link, closing(sqlite3.connect(target)) as to:
        link.backup(to)
        to.execute("PRAGMA foreign_keys = OFF")
        for (trigger,) in to.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            to.execute(f"DROP TRIGGER {quote(trigger)}")
        for table in state.values():
            if table.name.lower() in rows:
                places = _stored(table)
                to.execute(f"DELETE FROM {quote(table.name)}")
                names, marks = ", ".join(quote(table.columns[place]) for place in places), ", ".join("?" * len(places))
                to.executemany(
                    f"INSERT INTO {quote(table.name)} ({names}) VALUES ({marks})",
                    ([row[place] for place in places] for row in rows[table.name.lower()]),
                )
        to.commit()


def _values(row: Row, places: list[int]) -> str:
    return "(" + ", ".join(_literal(row[place]) for place in places) + ")"


def _literal(value: Any) -> str:
    """Return *value* as MySQL reads it."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "NULL"
    if isinstance(value, int | float | Decimal):
        return str(value)
    if isinstance(value, bytes | bytearray):
        return f"X'{value.hex()}'"
    text = _clock(value) if isinstance(value, timedelta) else str(value)
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def _clock(value: timedelta) -> str:
    seconds = abs(int(value.total_seconds()))
    return f"{'-' if value < timedelta(0) else ''}{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
