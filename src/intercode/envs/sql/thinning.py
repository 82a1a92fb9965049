"""A database with only some of its rows, as sources: what tells an answer that was asked for from one that was made up.

Each row is in one of two parts, every third in the first: what depends on rows, their number too, differs between them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from intercode.databases.base import DatabaseSource, Row, TableState
from intercode.databases.dialect.definition import parse
from intercode.databases.dumps.cached import cached_folder

PARTS = 2

_MOST_ROWS = 2000
"""Of one table in one part: enough to tell."""

_FORMAT = 1
"""To be raised whenever other parts are made."""


def thin_database(source: DatabaseSource, name: str, state: Mapping[str, TableState]) -> list[DatabaseSource]:
    """The database *name* of *source*, which is in that *state*, in two parts without views. Kept in the cache."""

    def write(folder: Path) -> None:
        for part in range(PARTS):
            (folder / f"{part}.sql").write_text("".join(_script(state, part)), "utf-8", "surrogateescape")

    folder = cached_folder("thinned", f"{source.checksum[:32]}-{name}-{_FORMAT}", write)
    return [DatabaseSource(name, folder / f"{part}.sql") for part in range(PARTS)]


def _script(state: Mapping[str, TableState], part: int) -> Iterator[str]:
    for table in state.values():
        definition = parse(table.create)
        if definition is None:
            continue
        yield f"{table.create.rstrip().rstrip(';')};\n"
        generated = {column.name.lower() for column in definition.columns if column.generated}
        places = [place for place, column in enumerate(table.columns) if column.lower() not in generated]
        names = ", ".join(f"`{table.columns[place]}`" for place in places)
        rows = [row for number, row in enumerate(table.rows) if (number % 3 > 0) == part][:_MOST_ROWS]
        for row in rows:
            yield f"INSERT INTO `{table.name}` ({names}) VALUES {_values(row, places)};\n"


def _values(row: Row, places: list[int]) -> str:
    return "(" + ", ".join(_literal(row[place]) for place in places) + ")"


def _literal(value: Any) -> str:
    """*value* as MySQL reads it."""
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
