"""Finds out what a statement does, while tasks are made: a plain SQLite in memory.

It has the few functions of MySQL's that golds use. It is quick, and it judges nothing: certificates come from the
world's own databases.
"""

from __future__ import annotations

import math
import re
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable
from datetime import date
from functools import cached_property
from typing import Any

Row = tuple[Any, ...]
State = dict[str, Counter[Row]]

_TIE = 1e-6
"""How near to the middle between two roundings a number may not be: databases could round it in two ways."""

_BRACKETS = re.compile(r"\([^()]*\)")


class DoubtfulRoundingError(Exception):
    """A rounding lies so near the middle that databases may differ."""


class ScriptDatabase:
    """The database that *script* makes. Safe to use from several threads."""

    def __init__(self, script: str) -> None:
        self._lock = threading.Lock()
        self._link = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        for name, count, function in FUNCTIONS:
            self._link.create_function(name, count, function, deterministic=True)
        self._link.executescript(script)

    def rows(self, query: str) -> list[Row]:
        """Return what *query* shows, numbers rounded.

        Raises:
            DoubtfulRoundingError: If engines could round a number of it differently.
        """
        with self._lock:
            return self._rows(query)

    def value(self, query: str) -> Any:
        """Return the first value of the first row."""
        return self.rows(query)[0][0]

    def state_after(self, script: str, about: str | None = None) -> State:
        """The rows of all tables and views, or of those named in *about*, after *script*, which is then undone."""
        with self._lock:
            self._link.execute("SAVEPOINT before")
            try:
                for statement in script.split("; "):
                    self._link.execute(statement)
                names = self._link.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
                wanted = [name for (name,) in names.fetchall() if about is None or name in about]
                return {name: Counter(self._rows(f"SELECT * FROM {name}")) for name in wanted}
            finally:
                self._link.execute("ROLLBACK TO before")
                self._link.execute("RELEASE before")

    def untouched(self, about: str) -> State:
        """Return the rows of the tables that are named in *about*, before anything is done to them."""
        return {name: rows for name, rows in self._untouched.items() if name in about}

    @cached_property
    def _untouched(self) -> State:
        return self.state_after("SELECT 1")

    def _rows(self, query: str) -> list[Row]:
        try:
            found = self._link.execute(query).fetchall()
        except sqlite3.OperationalError as error:
            if "user-defined function raised" in str(error):
                raise DoubtfulRoundingError(query) from error
            raise
        return list(zip(*map(_plain, zip(*found, strict=True)), strict=True))


def is_ordered(query: str) -> bool:
    """Return whether *query* has an ORDER BY outside all brackets."""
    while (shorter := _BRACKETS.sub("", query)) != query:
        query = shorter
    return "ORDER BY" in query


def _plain(column: Row) -> Row:
    """Return *column* with its fractions rounded; most columns have none."""
    if float not in set(map(type, column)):
        return column
    return tuple(round(value, 6) if isinstance(value, float) else value for value in column)


def _round(value: float | None, digits: int) -> float | None:
    if value is None:
        return None
    scaled = abs(value) * 10**digits
    if abs(scaled - math.floor(scaled) - 0.5) < _TIE:
        raise ValueError("a tie")
    return math.copysign(math.floor(scaled + 0.5) / 10**digits, value)


def _part(start: int, end: int) -> Callable[[str | None], int | None]:
    return lambda day: None if day is None else int(day[start:end])


def _days(later: str | None, earlier: str | None) -> int | None:
    if later is None or earlier is None:
        return None
    return (date.fromisoformat(later) - date.fromisoformat(earlier)).days


def _concat(*texts: Any) -> str | None:
    return None if None in texts else "".join(map(str, texts))


FUNCTIONS: tuple[tuple[str, int, Callable[..., Any]], ...] = (
    ("round", 2, _round),
    ("year", 1, _part(0, 4)),
    ("month", 1, _part(5, 7)),
    ("datediff", 2, _days),
    ("concat", -1, _concat),
)
