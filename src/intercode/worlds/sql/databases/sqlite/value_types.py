"""The types that MySQL gives values, as far as what becomes of them depends on it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from intercode.worlds.sql.databases.dialect.definition import ColumnDefinition


class ValueType(NamedTuple):
    """A type. `kind` is one of the constants below, `scale` how many digits it has after its point.

    A double has as many as it needs, and the scale 0, unless it is of a column such as `float(4,1)`.

    `members` is the type of an ENUM or SET as its definition has it.
    """

    kind: str
    scale: int = 0
    members: str = ""

    @property
    def is_number(self) -> bool:
        """Return whether it is one of the numbers."""
        return self.kind in NUMBERS

    @property
    def is_text(self) -> bool:
        """Return whether it is a text, or a member of an ENUM."""
        return self.kind in ("text", "member")

    @property
    def is_moment(self) -> bool:
        """Return whether it is a date or a time."""
        return self.kind in MOMENTS


NULL = ValueType("null")
INTEGER = ValueType("integer")
DOUBLE = ValueType("double")
TEXT = ValueType("text")
DATE = ValueType("date")
DATETIME = ValueType("datetime")
TIME = ValueType("time")

NUMBERS = frozenset({"integer", "decimal", "double"})
MOMENTS = frozenset({"date", "datetime", "time"})

DIGITS = 4
"""Digits that a division adds: MySQL's div_precision_increment."""

MOST = 30
"""Digits after the point that a decimal has at most."""

WORDS = {
    **dict.fromkeys(("tinyint", "smallint", "mediumint", "int", "bigint", "year", "bit"), INTEGER),
    **dict.fromkeys(("float", "double"), DOUBLE),
    **dict.fromkeys(("char", "varchar", "tinytext", "text", "mediumtext", "longtext"), TEXT),
    **dict.fromkeys(("datetime", "timestamp"), DATETIME),
    "date": DATE,
    "time": TIME,
}
"""Types by the first words of columns' definitions."""


def decimal(scale: int) -> ValueType:
    """Return the type of exact numbers with so many digits after the point."""
    return ValueType("decimal", min(scale, MOST))


def of_column(definition: ColumnDefinition) -> ValueType | None:
    """Return the type of a column's values; None for bytes, JSON and whatever else is no more than itself."""
    sizes = re.findall(r"\d+", definition.type)
    if definition.word == "decimal":
        return decimal(int(sizes[1]) if len(sizes) > 1 else 0)
    if definition.word in ("float", "double") and len(sizes) > 1:
        return ValueType("double", int(sizes[1]))
    if definition.word in ("enum", "set"):
        return ValueType("member", members=definition.type)
    return WORDS.get(definition.word)


def merge(types: Iterable[ValueType | None]) -> ValueType | None:
    """Return the type of what is now a value of one of *types*, now of another: of COALESCE, CASE, UNION."""
    found = {one for one in types if one != NULL}
    if not found:
        return NULL
    if None in found:
        return None
    known = {one for one in found if one is not None}
    if len(known) == 1:
        return TEXT if next(iter(known)).members else known.pop()
    if all(one.is_number for one in known):
        return DOUBLE if any(one.kind == "double" for one in known) else decimal(max(one.scale for one in known))
    return DATETIME if known == {DATE, DATETIME} else TEXT


def counted(value: ValueType | None) -> ValueType | None:
    """Return the type in which an operator or SUM counts with a value of that type."""
    if value is None or value.is_number or value == NULL:
        return value
    return INTEGER if value.is_moment else DOUBLE
