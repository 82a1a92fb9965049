"""Dates and times as MySQL reads and writes them."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Any

MOMENT = re.compile(r"\s*(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,6}))?)?)?")
COMPACT = re.compile(r"\s*(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d))?\s*$")


def read_time(value: Any) -> datetime | None:
    """A date, with or without a time, as MySQL takes it from a text or a number; None for anything else."""
    found = MOMENT.match(str(value)) or COMPACT.match(str(value))
    if found is None:
        return None
    parts = [int(part or 0) for part in found.groups()[:6]]
    micro = int((found[7] or "0").ljust(6, "0")) if found.re is MOMENT else 0
    try:
        return datetime(*parts, micro)  # type: ignore[call-arg,arg-type]  # six numbers and one
    except ValueError:
        return None


def day_of(value: Any) -> date | None:
    """The day of a date or a time."""
    moment = read_time(value)
    return moment.date() if moment else None


def number_of(moment: datetime) -> int:
    """Days since year 0, as TO_DAYS counts them."""
    return moment.toordinal() + 365


PLACES = {
    "a": "%a", "b": "%b", "d": "%d", "f": "%f", "H": "%H", "h": "%I", "I": "%I", "i": "%M", "j": "%j", "M": "%B",
    "m": "%m", "p": "%p", "S": "%S", "s": "%S", "T": "%H:%M:%S", "r": "%I:%M:%S %p", "U": "%U", "u": "%W", "W": "%A",
    "w": "%w", "Y": "%Y", "y": "%y", "v": "%V", "x": "%G", "%": "%%",
}  # fmt: skip


def date_format(value: Any, form: str) -> str | None:
    """DATE_FORMAT."""
    moment = read_time(value)
    if moment is None:
        return None
    short = {"c": moment.month, "e": moment.day, "k": moment.hour, "l": moment.hour % 12 or 12}
    ordinal = {1: "st", 2: "nd", 3: "rd"}.get(moment.day % 10 if moment.day not in (11, 12, 13) else 0, "th")

    def place(match: re.Match[str]) -> str:
        sign = match[1]
        if sign == "D":
            return f"{moment.day}{ordinal}"
        return str(short[sign]) if sign in short else moment.strftime(PLACES[sign]) if sign in PLACES else sign

    return re.sub(r"%(.)", place, form)


def written(value: int, base: int) -> str:
    """A whole number in another base, as CONV writes it."""
    digits, rest = "", abs(value)
    while rest:
        rest, digit = divmod(rest, base)
        digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[digit] + digits
    return ("-" if value < 0 else "") + (digits or "0")
