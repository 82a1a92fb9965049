"""MySQL's aggregates that SQLite lacks: spread, and bits."""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import reduce
from operator import and_, or_, xor
from statistics import pstdev, pvariance, stdev, variance
from typing import Any

from intercode.databases.sqlite.functions import number


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
        """The answer."""


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


def install(connection: sqlite3.Connection) -> None:
    """Give *connection* these aggregates."""
    for name, kind in AGGREGATES.items():
        connection.create_aggregate(name, 1, kind)  # type: ignore[arg-type]  # step has names
