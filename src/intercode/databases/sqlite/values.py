"""Values of columns as MySQL's client gives them: Decimal, date, datetime and timedelta."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Any

from intercode.databases.sqlite.dates import read_time


@cache
def register() -> None:
    """Have columns declared with our types converted, once per process."""
    sqlite3.register_converter("mysql_date", _date)
    sqlite3.register_converter("mysql_datetime", lambda data: read_time(data.decode()))
    sqlite3.register_converter("mysql_time", _time)
    for digits in range(31):
        sqlite3.register_converter(f"mysql_decimal_{digits}", _decimal(digits))


def any_text(data: bytes) -> str:
    """A text; bytes that are not UTF-8 are written out, as a backslash, an x and two digits."""
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
