"""How MySQL's collations compare texts: without case and accents, and as if there were no blanks at their ends."""

from __future__ import annotations

import sqlite3
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager

NAME = "MYSQL_CI"
"""What SQLite knows it by. LIKE heeds no collation, there as here: its blanks count."""


def key(text: str) -> str:
    """Return what two texts have in common that are equal to MySQL: neither case nor accents count."""
    if text.isascii():
        return text.rstrip(" ").upper()
    parts = unicodedata.normalize("NFD", text.rstrip(" ").replace("ß", "s").upper())
    return "".join(sign for sign in parts if not unicodedata.combining(sign))


def install(connection: sqlite3.Connection) -> None:
    """Give *connection* the collation."""
    connection.create_collation(NAME, _compare)


@contextmanager
def only_utf8() -> Iterator[None]:
    """Provide what a statement does meanwhile fails as statements do, if it compares text that is not UTF-8.

    Python cannot hand such text to a collation and raises an error of its own. Raises sqlite3.OperationalError.
    """
    try:
        yield
    except UnicodeDecodeError as error:
        raise sqlite3.OperationalError("invalid utf8 character string") from error


def _compare(one: str, other: str) -> int:
    if one == other:
        return 0
    if one.isascii() and other.isascii():
        first, second = one.rstrip(" ").upper(), other.rstrip(" ").upper()  # `key`, without the time that a call takes
    else:
        first, second = key(one), key(other)
    return (first > second) - (first < second)
