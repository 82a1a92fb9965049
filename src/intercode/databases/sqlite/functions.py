"""MySQL's functions for SQLite. NULL in gives NULL out, as almost everywhere in MySQL."""

from __future__ import annotations

import hashlib
import math
import random
import re
import sqlite3
import zlib
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

from intercode.databases.sqlite import datetime_functions
from intercode.databases.sqlite.collation import key
from intercode.databases.sqlite.dates import date_format, day_of, number_of, read_time, written

Value = Any

LONGEST = 16 << 20
"""Longer texts are NULL, as beyond MySQL's max_allowed_packet."""


def install(connection: sqlite3.Connection, database: str, *, native: bool) -> None:
    """Give *connection* MySQL's functions; DATABASE() answers *database*. *native*: SQLite's own mean what they did."""
    for name, function in (FUNCTIONS | OWN if native else FUNCTIONS).items():
        connection.create_function(name, -1, _null_in_null_out(function), deterministic=True)
    for name, function in WHOLE.items():
        connection.create_function(name, -1, function, deterministic=True)
    for name, function in CHANGING.items():
        connection.create_function(name, -1, function)
    for name in ("database", "schema"):
        connection.create_function(name, 0, lambda: database, deterministic=True)


def _null_in_null_out(function: Callable[..., Value]) -> Callable[..., Value]:
    def guarded(*values: Value) -> Value:
        try:
            found = None if None in values else function(*values)
        except (ArithmeticError, ValueError, LookupError):  # beyond what can be computed, or no such thing
            return None
        return float(found) if isinstance(found, int) and not -(2**63) <= found < 2**63 else found

    return guarded


def text(value: Value) -> str:
    """A value as MySQL writes it where a text is wanted."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


NUMBER = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)


def number(value: Value) -> float | int:
    """A value as MySQL counts it where a number is wanted: the number that a text begins with, or 0."""
    if isinstance(value, (int, float)):
        return value
    found = NUMBER.match(text(value))
    if found is None:
        return 0
    if len(found[0]) > 300:
        return math.inf
    return float(found[0]) if {".", "e", "E"} & set(found[0]) else int(found[0])


def _truth(value: Value) -> bool:
    return value is not None and number(value) != 0


def _if(condition: Value, yes: Value, no: Value) -> Value:
    return yes if _truth(condition) else no


def _concat(*values: Value) -> str | None:
    joined = "".join(map(text, values))
    return joined if len(joined) <= LONGEST else None


def _concat_ws(separator: Value, *values: Value) -> str | None:
    if separator is None:
        return None
    return text(separator).join(text(value) for value in values if value is not None)


def _repeat(value: Value, count: Value) -> str | None:
    return text(value) * int(number(count)) if len(text(value)) * number(count) <= LONGEST else None


def _pad(value: Value, length: Value, fill: Value, *, left: bool) -> str | None:
    whole, size, filler = text(value), int(number(length)), text(fill)
    if not 0 <= size <= LONGEST or (size > len(whole) and not filler):
        return None
    padding = (filler * (size // max(1, len(filler)) + 1))[: max(0, size - len(whole))]
    return padding + whole if left and padding else (whole + padding)[:size]


def _left(value: Value, count: Value) -> str:
    return text(value)[: max(0, int(number(count)))]


def _right(value: Value, count: Value) -> str:
    size = int(number(count))
    return text(value)[-size:] if size > 0 else ""


def _locate(wanted: Value, value: Value, start: Value = 1) -> int:
    return text(value).lower().find(text(wanted).lower(), max(0, int(number(start)) - 1)) + 1


def _substring_index(value: Value, separator: Value, count: Value) -> str:
    whole, cut, wanted = text(value), text(separator), int(number(count))
    if not (cut and wanted):
        return ""
    kept = whole.split(cut, wanted)[:wanted] if wanted > 0 else whole.rsplit(cut, -wanted)[wanted:]
    return cut.join(kept)


def _replace(value: Value, old: Value, new: Value) -> str | None:
    whole, gone, instead = text(value), text(old), text(new)
    if not gone:
        return whole
    size = len(whole) + whole.count(gone) * (len(instead) - len(gone))
    return whole.replace(gone, instead) if size <= LONGEST else None


def _trim(value: Value, unwanted: Value = " ", *, left: bool = False, right: bool = False) -> str:
    whole, part = text(value), text(unwanted)
    start, end = 0, len(whole)
    while part and left and whole.startswith(part, start):
        start += len(part)
    while part and right and end - len(part) >= start and whole.startswith(part, end - len(part)):
        end -= len(part)
    return whole[start:end]


def _insert(value: Value, start: Value, length: Value, new: Value) -> str:
    whole, at, size = text(value), int(number(start)), int(number(length))
    if not 1 <= at <= len(whole):
        return whole
    return whole[: at - 1] + text(new) + (whole[at - 1 + size :] if size >= 0 else "")


def _strcmp(one: Value, other: Value) -> int:
    first, second = key(text(one)), key(text(other))
    return (first > second) - (first < second)


def _field(wanted: Value, *values: Value) -> int:
    numbers = all(isinstance(value, (int, float)) for value in (wanted, *values))
    same: Callable[[Value], Value] = number if numbers else lambda value: key(text(value))
    return next((at for at, value in enumerate(values, 1) if value is not None and same(value) == same(wanted)), 0)


def _find_in_set(wanted: Value, values: Value) -> int:
    parts = text(values).lower().split(",")
    return parts.index(text(wanted).lower()) + 1 if text(wanted).lower() in parts else 0


def _truncate(value: Value, digits: Value) -> Value:
    factor = 10 ** max(-30, min(30, int(number(digits))))
    cut = math.trunc(number(value) * factor) / factor
    return int(cut) if number(digits) <= 0 else cut


def _format(value: Value, digits: Value, *_: Value) -> str:
    return f"{number(value):,.{max(0, min(30, int(number(digits))))}f}"


def _mod(value: Value, by: Value) -> Value:
    divisor = number(by)
    return (
        None
        if divisor == 0
        else math.fmod(number(value), divisor)
        if isinstance(number(value), float) or isinstance(divisor, float)
        else int(math.fmod(number(value), divisor))
    )


def _log(*values: Value) -> float | None:
    base, value = values if len(values) == 2 else (math.e, values[0])
    return math.log(number(value), number(base)) if number(value) > 0 and number(base) > 1 else None


def _positive(function: Callable[[float], float]) -> Callable[[Value], float | None]:
    return lambda value: function(number(value)) if number(value) > 0 else None


def _sqrt(value: Value) -> float | None:
    return math.sqrt(number(value)) if number(value) >= 0 else None


def _conv(value: Value, base: Value, wanted: Value) -> str | None:
    bases = abs(int(number(base))), abs(int(number(wanted)))
    if not all(2 <= each <= 36 for each in bases):
        return None
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"[: bases[0]]
    found = re.match(rf"\s*-?[{digits}]{{1,64}}", text(value), re.IGNORECASE)
    return written(int(found[0], bases[0]) if found else 0, bases[1])


def _rounded(function: Callable[[float], int]) -> Callable[[Value], int]:
    return lambda value: function(number(value))


def _greatest(choose: Callable[..., Value]) -> Callable[..., Value]:
    def chosen(*values: Value) -> Value:
        numbers = any(isinstance(value, (int, float)) for value in values)
        return choose(values, key=number if numbers else lambda value: text(value).lower())

    return chosen


def _whole(value: Value) -> int:
    """The whole number that a text begins with."""
    found = re.match(r"\s*[+-]?\d{1,30}", text(value))
    return int(found[0]) if found else 0


def _of_moment(value: Value, read: Callable[[datetime], Value]) -> Value:
    moment = read_time(value)
    return None if moment is None else read(moment)


def _part(read: Callable[[datetime], Value]) -> Callable[[Value], Value]:
    """A part of a time; NULL for what is none."""

    return lambda value: _of_moment(value, read)


def _datediff(one: Value, other: Value) -> int | None:
    first, second = day_of(one), day_of(other)
    return None if first is None or second is None else (first - second).days


def _last_day(value: Value) -> str | None:
    day = day_of(value)
    if day is None:
        return None
    after = date(day.year + day.month // 12, day.month % 12 + 1, 1)
    return str(after - timedelta(days=1))


def _str_to_date(value: Value, form: Value) -> str | None:
    names = {"%M": "%B", "%i": "%M", "%s": "%S", "%h": "%I", "%e": "%d", "%c": "%m", "%k": "%H", "%T": "%H:%M:%S"}
    python = re.sub(r"%.", lambda match: names.get(match[0], match[0]), text(form))
    try:
        moment = datetime.strptime(text(value), python)
    except ValueError:
        return None
    clock = any(sign in python for sign in ("%H", "%I", "%S"))
    return str(moment) if clock else str(moment.date())


FUNCTIONS: dict[str, Callable[..., Value]] = {
    "concat": _concat,
    "repeat": _repeat,
    "lpad": lambda value, length, fill=" ": _pad(value, length, fill, left=True),
    "rpad": lambda value, length, fill=" ": _pad(value, length, fill, left=False),
    "mysql_left": _left,
    "mysql_right": _right,
    "mysql_insert": _insert,
    "mysql_format": _format,
    "mysql_truncate": _truncate,
    "mysql_length": lambda value: len(text(value).encode("utf-8", "surrogatepass")),
    "octet_length": lambda value: len(text(value).encode("utf-8", "surrogatepass")),
    "char_length": lambda value: len(text(value)),
    "character_length": lambda value: len(text(value)),
    "mysql_char": lambda *values: "".join(chr(int(number(value))) for value in values),
    "ascii": lambda value: ord(text(value)[0]) if text(value) else 0,
    "ord": lambda value: ord(text(value)[0]) if text(value) else 0,
    "space": lambda count: " " * min(LONGEST, int(number(count))),
    "reverse": lambda value: text(value)[::-1],
    "lcase": lambda value: text(value).lower(),
    "ucase": lambda value: text(value).upper(),
    "lower": lambda value: text(value).lower(),
    "upper": lambda value: text(value).upper(),
    "replace": _replace,
    "trim": lambda value, unwanted=" ": _trim(value, unwanted, left=True, right=True),
    "ltrim": lambda value, unwanted=" ": _trim(value, unwanted, left=True),
    "rtrim": lambda value, unwanted=" ": _trim(value, unwanted, right=True),
    "instr": lambda value, wanted: _locate(wanted, value),
    "locate": _locate,
    "position": _locate,
    "strcmp": _strcmp,
    "substring_index": _substring_index,
    "find_in_set": _find_in_set,
    "md5": lambda value: hashlib.md5(text(value).encode(), usedforsecurity=False).hexdigest(),
    "sha1": lambda value: hashlib.sha1(text(value).encode(), usedforsecurity=False).hexdigest(),
    "sha2": lambda value, bits: hashlib.new(f"sha{bits or 256}", text(value).encode()).hexdigest(),
    "conv": _conv,
    "bin": lambda value: written(int(number(value)), 2),
    "oct": lambda value: written(int(number(value)), 8),
    "unhex": lambda value: bytes.fromhex(text(value)),
    "crc32": lambda value: zlib.crc32(text(value).encode()),
    "elt": lambda at, *values: values[int(number(at)) - 1] if 1 <= number(at) <= len(values) else None,
    "mysql_mod": _mod,
    "mysql_log": _log,
    "ln": _positive(math.log),
    "log2": _positive(math.log2),
    "log10": _positive(math.log10),
    "exp": lambda value: math.exp(number(value)),
    "sqrt": _sqrt,
    "pow": lambda value, by: math.pow(number(value), number(by)),
    "power": lambda value, by: math.pow(number(value), number(by)),
    "ceil": _rounded(math.ceil),
    "ceiling": _rounded(math.ceil),
    "floor": _rounded(math.floor),
    "pi": lambda: math.pi,
    "greatest": _greatest(max),
    "least": _greatest(min),
    "year": _part(lambda moment: moment.year),
    "month": _part(lambda moment: moment.month),
    "day": _part(lambda moment: moment.day),
    "dayofmonth": _part(lambda moment: moment.day),
    "hour": _part(lambda moment: moment.hour),
    "minute": _part(lambda moment: moment.minute),
    "second": _part(lambda moment: moment.second),
    "quarter": _part(lambda moment: (moment.month + 2) // 3),
    "dayofyear": _part(lambda moment: moment.timetuple().tm_yday),
    "dayofweek": _part(lambda moment: moment.isoweekday() % 7 + 1),
    "weekday": _part(lambda moment: moment.weekday()),
    "weekofyear": _part(lambda moment: moment.isocalendar().week),
    "week": lambda value, mode=0: _of_moment(value, lambda moment: datetime_functions.week(moment, int(number(mode)))),
    "yearweek": lambda value, mode=0: _of_moment(
        value, lambda moment: datetime_functions.yearweek(moment, int(number(mode)))
    ),
    "microsecond": _part(lambda moment: moment.microsecond),
    "dayname": _part(lambda moment: moment.strftime("%A")),
    "monthname": _part(lambda moment: moment.strftime("%B")),
    "last_day": _last_day,
    "to_days": _part(number_of),
    "datediff": _datediff,
    "timestampdiff": lambda unit, one, other: datetime_functions.difference(text(unit).lower(), one, other),
    "from_days": lambda value: str(date.fromordinal(int(number(value)) - 365)),
    "makedate": lambda year, count: str(date(int(number(year)), 1, 1) + timedelta(days=int(number(count)) - 1)),
    "sec_to_time": lambda value: datetime_functions.clock_of(number(value)),
    "time_to_sec": datetime_functions.seconds_of,
    "mysql_shift": lambda value, amount, unit: datetime_functions.shift(value, number(amount), unit),
    "mysql_day": datetime_functions.day,
    "mysql_moment": datetime_functions.moment,
    "mysql_clock": datetime_functions.clock,
    "mysql_integer": lambda value: datetime_functions.half_up(value) if isinstance(value, float) else _whole(value),
    "mysql_decimal": lambda value, digits: datetime_functions.rounded(number(value), int(number(digits))),
    "round": lambda value, digits=0: datetime_functions.rounded(number(value), int(number(digits))),
    "mysql_date_format": lambda value, form: date_format(value, text(form)),
    "str_to_date": _str_to_date,
    "unix_timestamp": _part(lambda moment: int((moment - datetime(1970, 1, 1)).total_seconds())),
    "from_unixtime": lambda value: str(datetime(1970, 1, 1) + timedelta(seconds=number(value))),
    "timestamp": datetime_functions.moment,
    "cot": lambda value: 1 / math.tan(number(value)),
}
"""Functions of which any NULL makes NULL."""

OWN: dict[str, Callable[..., Value]] = {
    "instr": lambda value, wanted: text(value).find(text(wanted)) + 1,
    "ltrim": lambda value, unwanted=" ": text(value).lstrip("".join(set(text(unwanted)))),
    "rtrim": lambda value, unwanted=" ": text(value).rstrip("".join(set(text(unwanted)))),
    "trim": lambda value, unwanted=" ": text(value).strip("".join(set(text(unwanted)))),
    "round": lambda value, digits=0: datetime_functions.rounded(float(number(value)), max(0, int(number(digits)))),
}
"""What some of them mean to SQLite, whose own cannot be stopped when time is over."""

WHOLE: dict[str, Callable[..., Value]] = {
    "mysql_if": _if,
    "concat_ws": _concat_ws,
    "field": _field,
    "mysql_isnull": lambda value: int(value is None),
    "version": lambda: "8.0.32",
    "user": lambda: "intercode@localhost",
    "current_user": lambda: "intercode@localhost",
    "connection_id": lambda: 1,
    "found_rows": lambda: 0,
}
"""Functions that see NULL."""

CHANGING: dict[str, Callable[..., Value]] = {
    "now": lambda *_: datetime.now().strftime("%Y-%m-%d %H:%M:%S"),
    "utc_timestamp": lambda *_: datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S"),
    "utc_date": lambda: str(datetime.now(UTC).date()),
    "localtime": lambda *_: datetime.now().strftime("%Y-%m-%d %H:%M:%S"),
    "sysdate": lambda *_: datetime.now().strftime("%Y-%m-%d %H:%M:%S"),
    "curdate": lambda: str(date.today()),
    "curtime": lambda *_: datetime.now().strftime("%H:%M:%S"),
    "rand": lambda *seed: random.Random(seed[0]).random() if seed else random.random(),
    "uuid": lambda: f"{random.getrandbits(128):032x}",
}
"""Functions that answer otherwise each time."""
