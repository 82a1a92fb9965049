"""How MySQL's collations compare texts: without case, and as if there were no blanks at their ends."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

NAME = "MYSQL_CI"
"""What SQLite knows it by. LIKE heeds no collation, there as here: its blanks count."""


def key(text: str) -> str:
    """What two texts have in common that are equal to MySQL."""
    return text.rstrip(" ").upper()


def install(connection: sqlite3.Connection) -> None:
    """Give *connection* the collation."""
    connection.create_collation(NAME, _compare)


@contextmanager
def only_utf8() -> Iterator[None]:
    """What a statement does meanwhile fails as statements do, if it compares text that is not UTF-8.

    Python cannot hand such text to a collation and raises an error of its own. Raises sqlite3.OperationalError.
    """
    try:
        yield
    except UnicodeDecodeError as error:
        raise sqlite3.OperationalError("invalid utf8 character string") from error


def _compare(one: str, other: str) -> int:
    if one == other:
        return 0
    first, second = one.rstrip(" ").upper(), other.rstrip(" ").upper()  # `key`, without the time that a call takes
    return (first > second) - (first < second)
