"""When two values are the same: by what they mean, not by the type that a database happened to give them."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cached_property
from itertools import chain
from typing import Any

from intercode.types.databases import Row

Plain = int | float | str | None
"""What every value is brought to: numbers are int where they are whole, else float; dates and bytes are text."""

PlainRow = tuple[Plain, ...]

RELATIVE = 1e-6
"""How far two numbers may lie apart, as a share of the greater one. Whole numbers never may."""

_QUOTIENT_DIGITS = 4
"""MySQL cuts exact quotients and averages after so many digits: 1/3 is 0.3333, and 0.33333 if written as 1.0/3."""

_NUMBER = re.compile(r"-?(0|[1-9]\d{0,17})(\.\d{1,17})?")
_MIDNIGHT = re.compile(r"(\d{4}-\d\d-\d\d)[ T]00:00:00(\.0+)?")

_SHORTEST_MIDNIGHT = len("2024-01-01 00:00:00")


def plain(value: Any) -> Plain:
    """Return *value* brought to what compares.

    1, 1.0, True and Decimal("1.00") are equal, a day at midnight is that day.
    """
    kind = type(value)
    if kind is int or value is None:
        return value  # type: ignore[no-any-return]
    if kind is str:
        return value if len(value) < _SHORTEST_MIDNIGHT else _text(value)
    if isinstance(value, int | float | Decimal):
        return _number(value) if value == value else "NaN"  # which would not be equal to itself
    if isinstance(value, bytes | bytearray):
        return value.decode("utf-8", "backslashreplace")
    return _text(_moment(value))


def number_in(text: str) -> int | float | None:
    """Return the number that *text* is, written plainly (no exponent, no superfluous zero in front).

    None for other text.
    """
    return _number(Decimal(text)) if _NUMBER.fullmatch(text) else None


class ValueReader:
    """Reads the values of one side as the values of the other that they agree with.

    Numbers agree if they differ by a rounding error. Text that is written as a number agrees with that number.
    """

    def __init__(self, rows: Iterable[Row]) -> None:
        """*rows* are the side that is right."""
        self._slack: dict[int | float, float] = {}
        self._texts: set[str] = set()
        for value in chain.from_iterable(rows):
            known = plain(value)
            if isinstance(known, str):
                self._texts.add(known)
            elif known is not None:
                self._slack[known] = max(_slack(value), self._slack.get(known, 0.0))
        self._numbers = sorted(self._slack)

    @cached_property
    def _numerals(self) -> dict[int | float | None, str]:
        """Texts by the numbers that they are."""
        return {number_in(text): text for text in self._texts}

    def read(self, value: Any) -> Plain:
        """Return *value* as the equal one of the right side, where there is one, else itself made `plain`."""
        found = plain(value)
        if found is None or found in self._slack or found in self._texts:
            return found
        if isinstance(found, str):
            number = number_in(found)
            return found if number is None else self._nearest(number, 0.0, found)
        return self._nearest(found, _slack(value), self._numerals.get(found, found))

    def _nearest(self, number: int | float, slack: float, otherwise: Plain) -> Plain:
        place = bisect_left(self._numbers, number)
        beside = self._numbers[max(place - 1, 0) : place + 1]
        near = [known for known in beside if _agree(number, known, max(slack, self._slack[known]))]
        return min(near, key=lambda known: abs(known - number), default=otherwise)


def _agree(first: float, second: float, slack: float) -> bool:
    if first == second:
        return True
    if (isinstance(first, int) and isinstance(second, int)) or math.inf in (abs(first), abs(second)):
        return False
    return abs(first - second) <= max(RELATIVE * max(abs(first), abs(second)), slack)


def _slack(value: Any) -> float:
    """Half of the last digit of a number that may be a quotient cut off; 0 for every other."""
    if not isinstance(value, Decimal):
        return 0.0
    digits = -int(value.as_tuple().exponent)
    return 0.500001 * 10.0**-digits if digits >= _QUOTIENT_DIGITS else 0.0


def _number(value: float | Decimal) -> int | float:
    """Whole numbers as int, whatever their size, so that they are compared to the last digit."""
    return int(value) if math.isfinite(value) and value == int(value) else float(value)


def _text(text: str) -> str:
    if len(text) >= _SHORTEST_MIDNIGHT and (found := _MIDNIGHT.fullmatch(text)):
        return found[1]
    return text


def _moment(value: Any) -> str:
    """Return a date or a time as MySQL writes it."""
    if isinstance(value, datetime):
        text = value.isoformat(" ")
        return text.rstrip("0") if "." in text else text
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, timedelta):
        return _clock(value)
    return str(value)


def _clock(value: timedelta) -> str:
    sign, seconds = ("-", -value) if value < timedelta(0) else ("", value)
    minutes, rest = divmod(seconds.days * 86_400 + seconds.seconds, 60)
    fraction = f".{seconds.microseconds:06}".rstrip("0") if seconds.microseconds else ""
    return f"{sign}{minutes // 60:02}:{minutes % 60:02}:{rest:02}{fraction}"
