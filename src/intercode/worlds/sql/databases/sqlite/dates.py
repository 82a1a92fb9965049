"""MySQL's dates and times: how it reads and writes them, its functions of them and its casts.

All are None for what is no date and no number.
"""

from __future__ import annotations

import math
import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

MOMENT = re.compile(
    r"\s*(\d{4}|\d\d)[-/.](\d{1,2})[-/.](\d{1,2})"
    r"(?:[T ]+(\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,6}))?)?)?)?(?!\d|[: ]\d)"
)
COMPACT = re.compile(r"\s*(\d{4}|\d\d)(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d))?\s*$")


def read_time(value: Any) -> datetime | None:
    """Return a date, with or without a time, as MySQL takes it from a text or a number; None for anything else."""
    written = str(value)
    found = MOMENT.match(written) or COMPACT.match(written)
    if found is None:
        return None
    parts = [int(part or 0) for part in found.groups()[:6]]
    if len(found[1]) == 2:
        parts[0] += 2000 if parts[0] < 70 else 1900
    micro = int((found[7] or "0").ljust(6, "0")) if found.re is MOMENT else 0
    try:
        return datetime(*parts, micro)  # type: ignore[call-arg,arg-type]  # six numbers and one
    except ValueError:
        return None


def day_of(value: Any) -> date | None:
    """Return the day of a date or a time."""
    moment = read_time(value)
    return moment.date() if moment else None


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
        if sign in "XV":
            year, week = divmod(yearweek(moment), 100)
            return f"{year:04}" if sign == "X" else f"{week:02}"
        return str(short[sign]) if sign in short else moment.strftime(PLACES[sign]) if sign in PLACES else sign

    return re.sub(r"%(.)", place, form)


def to_base(value: int, base: int) -> str:
    """Return a whole number in another base, as CONV writes it."""
    digits, rest = "", abs(value)
    while rest:
        rest, digit = divmod(rest, base)
        digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[digit] + digits
    return ("-" if value < 0 else "") + (digits or "0")


MONTHS = {"month": 1, "quarter": 3, "year": 12}

SECONDS = {"microsecond": 1e-6, "second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}

CLOCK = re.compile(r"\s*(-?)(\d+):(\d{1,2})(?::(\d{1,2}))?")


def shift(value: Any, amount: float, unit: str) -> str | None:
    """DATE_ADD: the moment *value* so many units later; a day stays a day unless hours and less are added."""
    moment = read_time(value)
    if moment is None:
        return None
    if unit in MONTHS:
        later = _months_later(moment, half_up(amount) * MONTHS[unit])
    else:
        exact = amount if unit == "second" else half_up(amount)
        later = moment + timedelta(seconds=exact * SECONDS[unit])
    is_day = ":" not in str(value) and unit in (*MONTHS, "day", "week")
    return str(later.date() if is_day else later)


def _months_later(moment: datetime, months: int) -> datetime:
    year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    return moment.replace(year=year, month=month + 1, day=min(moment.day, monthrange(year, month + 1)[1]))


def difference(unit: str, one: Any, other: Any) -> int | None:
    """TIMESTAMPDIFF: whole units from *one* to *other*."""
    first, second = read_time(one), read_time(other)
    if first is None or second is None:
        return None
    if unit in MONTHS:
        sign = 1 if second >= first else -1
        early, late = sorted((first, second))
        months = (late.year - early.year) * 12 + late.month - early.month
        months -= (late.day, late.time()) < (early.day, early.time())
        return sign * (months // MONTHS[unit])
    return int((second - first) / timedelta(seconds=SECONDS[unit]))


def week(moment: datetime, mode: int = 0) -> int:
    """WEEK in MySQL's eight modes: whether weeks begin on Monday, the first is the one with four days, none is 0."""
    return _year_and_week(moment, mode)[1]


def yearweek(moment: datetime, mode: int = 0) -> int:
    """YEARWEEK: the year that the week belongs to, and the week in it."""
    year, found = _year_and_week(moment, mode | 2)
    return year * 100 + found


def _year_and_week(moment: datetime, mode: int) -> tuple[int, int]:
    monday, no_zero, four_days = bool(mode & 1), bool(mode & 2), bool(mode & 4) != bool(mode & 1)
    day, year = moment.date(), moment.year
    first = _first_week(year, monday, four_days)
    if day < first:
        if not no_zero:
            return year, 0
        year, first = year - 1, _first_week(year - 1, monday, four_days)
    elif no_zero and day >= (following := _first_week(year + 1, monday, four_days)):
        year, first = year + 1, following
    return year, (day - first).days // 7 + 1


def _first_week(year: int, monday: bool, four_days: bool) -> date:
    """Return the day on which the first week of a year begins: the one with four days of it, or its first whole one."""
    begins = date(year, 1, 1)
    past = begins.weekday() if monday else begins.isoweekday() % 7
    if four_days:
        return begins - timedelta(days=past) if past < 4 else begins + timedelta(days=7 - past)
    return begins + timedelta(days=-past % 7)


def clock(value: Any) -> str | None:
    """CAST(… AS TIME)."""
    moment = read_time(value)
    if moment is not None:
        return str(moment.time())
    found = CLOCK.match(str(value))
    return found and f"{found[1]}{int(found[2]):02}:{int(found[3]):02}:{int(found[4] or 0):02}"


def seconds_of(value: Any) -> int | None:
    """TIME_TO_SEC."""
    found = CLOCK.match(clock(value) or "")
    if found is None:
        return None
    whole = int(found[2]) * 3600 + int(found[3]) * 60 + int(found[4] or 0)
    return -whole if found[1] else whole


def clock_of(seconds: float) -> str:
    """SEC_TO_TIME."""
    whole = half_up(abs(seconds))
    return f"{'-' if seconds < 0 else ''}{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"


def day(value: Any) -> str | None:
    """CAST(… AS DATE)."""
    found = day_of(value)
    return None if found is None else str(found)


def moment(value: Any) -> str | None:
    """CAST(… AS DATETIME)."""
    found = read_time(value)
    return None if found is None else str(found)


def number_of(value: Any) -> float | int:
    """Return the number that MySQL writes a date or a time as: 20240131 for 2024-01-31."""
    whole, _, part = str(value).partition(".")
    number = int(re.sub(r"\D", "", whole) or 0) * (-1 if whole.startswith("-") else 1)
    return number + float(f"0.{part}") if part.isdecimal() and int(part) else number


def half_up(value: float) -> int:
    """Return the nearest whole number; of two that are as near the one farther from 0."""
    return int(math.copysign(math.floor(abs(value) + 0.5), value)) if isinstance(value, float) else value


def round_half_up(value: float, digits: int, rounding: str = ROUND_HALF_UP) -> float | int:
    """ROUND and CAST(… AS DECIMAL): to so many digits after the point, or before it where they are negative."""
    places, found = max(-30, min(30, digits)), Decimal(repr(value))
    if found.is_finite() and -int(found.as_tuple().exponent) > places:
        found = found.quantize(Decimal(1).scaleb(-places), rounding)
    return int(found) if isinstance(value, int) or places < 0 else float(found)


FIELDS: dict[str, Callable[[datetime], Any]] = {
    "year": lambda moment: moment.year,
    "month": lambda moment: moment.month,
    **dict.fromkeys(("day", "dayofmonth"), lambda moment: moment.day),
    "hour": lambda moment: moment.hour,
    "minute": lambda moment: moment.minute,
    "second": lambda moment: moment.second,
    "microsecond": lambda moment: moment.microsecond,
    "quarter": lambda moment: (moment.month + 2) // 3,
    "dayofyear": lambda moment: moment.timetuple().tm_yday,
    "dayofweek": lambda moment: moment.isoweekday() % 7 + 1,
    "weekday": lambda moment: moment.weekday(),
    "weekofyear": lambda moment: moment.isocalendar().week,
    "dayname": lambda moment: moment.strftime("%A"),
    "monthname": lambda moment: moment.strftime("%B"),
    "to_days": lambda moment: moment.toordinal() + 365,  # from year 0 on
    "unix_timestamp": lambda moment: int((moment - datetime(1970, 1, 1)).total_seconds()),
}
"""Parts of a moment."""
