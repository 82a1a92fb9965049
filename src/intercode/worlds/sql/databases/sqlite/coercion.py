"""Values as MySQL reads them where a text or a number is wanted."""

from __future__ import annotations

import math
import re
from typing import Any

Value = Any

LONGEST = 1 << 20
"""Longer texts are NULL, as beyond MySQL's max_allowed_packet."""


def text(value: Value) -> str:
    """Return a value as MySQL writes it where a text is wanted."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if not isinstance(value, float):
        return str(value)
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value).replace("e+", "e").replace("e-0", "e-")


NUMBER = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)


def number(value: Value) -> float | int:
    """Return a value as MySQL counts it where a number is wanted: the number that a text begins with, or 0."""
    if isinstance(value, (int, float)):
        return value
    found = NUMBER.match(text(value))
    if found is None:
        return 0
    if len(found[0]) > 300:
        return math.inf
    return float(found[0]) if {".", "e", "E"} & set(found[0]) else int(found[0])


def integer(value: Value) -> int:
    """Return the same without what is behind the point."""
    return int(number(value))
