"""Values of columns as MySQL's client gives them: Decimal, date, datetime and timedelta."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from datetime import timedelta
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Any

from intercode.types.databases import Row
from intercode.worlds.sql.databases.sqlite.dates import read_time
from intercode.worlds.sql.databases.sqlite.value_types import DATE, DATETIME, DOUBLE, TIME, ValueType


@cache
def register() -> None:
    """Have columns declared with our types converted, once per process."""
    sqlite3.register_converter("mysql_date", _date)
    sqlite3.register_converter("mysql_datetime", lambda data: read_time(data.decode()))
    sqlite3.register_converter("mysql_time", _time)
    for digits in range(31):
        sqlite3.register_converter(f"mysql_decimal_{digits}", _decimal(digits))


def converters(types: Sequence[ValueType | None]) -> list[tuple[int, Callable[[Any], Any]]]:
    """Return what makes of the values at each place what MySQL's client gives for those *types*."""
    found = [(at, _converter(kind)) for at, kind in enumerate(types) if kind is not None]
    return [(at, convert) for at, convert in found if convert is not None]


def convert_rows(rows: tuple[Row, ...], types: Sequence[ValueType | None]) -> tuple[Row, ...]:
    """Return *rows* with their values as MySQL's client gives them for those *types*."""
    places = converters(types)
    if not places:
        return rows
    if len(rows[0]) != len(types):
        return rows
    made: list[Row] = []
    for row in rows:
        values = list(row)
        for at, convert in places:
            if values[at] is not None:
                values[at] = convert(values[at])
        made.append(tuple(values))
    return tuple(made)


def _converter(kind: ValueType) -> Callable[[Any], Any] | None:
    if kind.kind == "decimal":
        places = Decimal(1).scaleb(-kind.scale)
        return lambda value: _exact(value, places)
    if kind.kind == "double" and kind.scale:
        return lambda value: round(float(value), kind.scale) if isinstance(value, (int, float)) else value
    return CONVERTERS.get(kind)


def _exact(value: Any, places: Decimal) -> Any:
    if isinstance(value, float):
        value = Decimal(repr(value))
    elif isinstance(value, int):
        value = Decimal(value)
    try:
        return value.quantize(places) if isinstance(value, Decimal) else value
    except InvalidOperation:
        return value


def _read(read: Callable[[bytes], Any]) -> Callable[[Any], Any]:
    return lambda value: read(value.encode()) if isinstance(value, str) else value


def any_text(data: bytes) -> str:
    """Return a text; bytes that are not UTF-8 are written out, as a backslash, an x and two digits."""
    return data.decode("utf-8", "backslashreplace")


def _date(data: bytes) -> Any:
    moment = read_time(data.decode())
    return moment.date() if moment else None


def _time(data: bytes) -> timedelta | str:
    text = data.decode("utf-8", "replace")
    try:
        hours, minutes, seconds = (float(part) for part in (text.lstrip("-") + ":0:0").split(":")[:3])
    except ValueError:
        return text
    length = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    return -length if text.startswith("-") else length


def _decimal(digits: int) -> Callable[[bytes], Decimal | str]:
    places = Decimal(1).scaleb(-digits)

    def convert(data: bytes) -> Decimal | str:
        try:
            return Decimal(data.decode()).quantize(places)
        except (InvalidOperation, UnicodeDecodeError):
            return data.decode("utf-8", "replace")

    return convert


CONVERTERS: dict[ValueType, Callable[[Any], Any]] = {
    DOUBLE: lambda value: float(value) if isinstance(value, int) else value,
    DATE: _read(_date),
    DATETIME: _read(lambda data: read_time(data.decode())),
    TIME: _read(_time),
}
"""What makes values of types; the others are what they are."""
