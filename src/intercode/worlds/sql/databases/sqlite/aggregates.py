"""MySQL's aggregates that SQLite lacks: spread, bits, GROUP_CONCAT, and COUNT of several values."""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import reduce
from operator import and_, or_, xor
from statistics import pstdev, pvariance, stdev, variance
from typing import Any

from intercode.worlds.sql.databases.sqlite import collation
from intercode.worlds.sql.databases.sqlite.coercion import number, text


class Aggregate(ABC):
    """Takes the values of all rows but for NULL, and answers at the end."""

    def __init__(self) -> None:
        self.values: list[float] = []

    def step(self, value: Any) -> None:
        """Take one row."""
        if value is not None:
            self.values.append(number(value))

    @abstractmethod
    def finalize(self) -> float | int | None:
        """Return the answer."""


def _spread(compute: Callable[[list[float]], float], least: int) -> type[Aggregate]:
    class Spread(Aggregate):
        def finalize(self) -> float | None:
            values = [float(value) for value in self.values]
            return compute(values) if len(values) >= least else None

    return Spread


def _bits(join: Callable[[int, int], int], empty: int) -> type[Aggregate]:
    class Bits(Aggregate):
        def finalize(self) -> int:
            return reduce(join, map(int, self.values), empty)

    return Bits


AGGREGATES = {
    **dict.fromkeys(("std", "stddev", "stddev_pop"), _spread(pstdev, 1)),
    **dict.fromkeys(("variance", "var_pop"), _spread(pvariance, 1)),
    "stddev_samp": _spread(stdev, 2),
    "var_samp": _spread(variance, 2),
    "bit_and": _bits(and_, -1),
    "bit_or": _bits(or_, 0),
    "bit_xor": _bits(xor, 0),
}


class GroupConcat:
    """The aggregate that GROUP_CONCAT becomes."""

    LONGEST = 1024
    """Characters, as MySQL's group_concat_max_len has it."""

    MOST = 64 << 20
    """Characters that are held until all rows have come: they are in this process's memory."""

    def __init__(self) -> None:
        self.distinct = self.down = False
        self.separator = ","
        self.values: list[tuple[Any, str]] = []
        self._held = self._unsorted = 0

    def step(self, distinct: int, down: int, separator: str, value: Any, key: Any) -> None:
        """Take one row; NULL is left out, and so is what can no longer be among the first characters of the answer.

        Raises:
            OverflowError: If more would have to be held than `MOST`, which SQLite tells as too large a value.
        """
        self.distinct, self.down, self.separator = bool(distinct), bool(down), text(separator)
        if value is None:
            return
        part = text(value)
        if not distinct:
            if key is None and self._unsorted >= self.LONGEST:  # it stands behind these, wherever they come to stand
                return
            part = part[: self.LONGEST]
            self._unsorted += len(part) if key is None else 0
        self._held += len(part) + (len(key) if isinstance(key, str | bytes) else 0)
        if self._held > self.MOST:
            raise OverflowError("too much to be joined")
        self.values.append((key, part))

    def finalize(self) -> str | None:
        """Return all of them, joined."""
        if any(key is not None for key, _ in self.values):
            self.values.sort(key=lambda pair: _sorting(pair[0]), reverse=self.down)
        parts = [value for _, value in self.values]
        if self.distinct:
            parts = list({collation.key(part): part for part in reversed(parts)}.values())[::-1]
        return self.separator.join(parts)[: self.LONGEST] if self.values else None


def _sorting(key: Any) -> tuple[int, float, str]:
    if key is None:
        return 0, 0.0, ""
    return (1, float(key), "") if isinstance(key, (int, float)) else (1, 0.0, collation.key(text(key)))


def _row(*values: Any) -> str | None:
    return None if None in values else "\0".join(collation.key(text(value)) for value in values)


def install(connection: sqlite3.Connection) -> None:
    """Give *connection* these aggregates."""
    for name, kind in AGGREGATES.items():
        connection.create_aggregate(name, 1, kind)  # type: ignore[arg-type]  # step has names
    connection.create_aggregate("mysql_group_concat", 5, GroupConcat)  # type: ignore[arg-type]  # step has names
    connection.create_function("mysql_row", -1, _row, deterministic=True)
