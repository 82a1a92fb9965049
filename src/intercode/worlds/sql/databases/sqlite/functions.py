"""MySQL's functions for SQLite. NULL in gives NULL out, as almost everywhere in MySQL."""

from __future__ import annotations

import hashlib
import math
import random
import re
import sqlite3
import zlib
from calendar import monthrange
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_DOWN, Decimal

from intercode.worlds.sql.databases.sqlite import dates
from intercode.worlds.sql.databases.sqlite.coercion import LONGEST, Value, integer, number, text
from intercode.worlds.sql.databases.sqlite.collation import key
from intercode.worlds.sql.databases.sqlite.stored_values import member_number


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
    def call(*values: Value) -> Value:
        try:
            found = None if None in values else function(*values)
        except (ArithmeticError, ValueError, LookupError):  # beyond what can be computed, or no such thing
            return None
        return float(found) if isinstance(found, int) and not -(2**63) <= found < 2**63 else found

    return call


def _short(value: str) -> str | None:
    return value if len(value) <= LONGEST else None


def _pad(value: Value, length: Value, fill: Value, *, left: bool) -> str | None:
    whole, size, filler = text(value), integer(length), text(fill)
    if not 0 <= size <= LONGEST or (size > len(whole) and not filler):
        return None
    padding = (filler * (size // max(1, len(filler)) + 1))[: max(0, size - len(whole))]
    return padding + whole if left and padding else (whole + padding)[:size]


def _substring_index(value: Value, separator: Value, count: Value) -> str:
    whole, cut, wanted = text(value), text(separator), integer(count)
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
    whole, at, size = text(value), integer(start), integer(length)
    if not 1 <= at <= len(whole):
        return whole
    return whole[: at - 1] + text(new) + (whole[at - 1 + size :] if size >= 0 else "")


def _field(wanted: Value, *values: Value) -> int:
    numbers = all(isinstance(value, (int, float)) for value in (wanted, *values))
    same: Callable[[Value], Value] = number if numbers else lambda value: key(text(value))
    return next((at for at, value in enumerate(values, 1) if value is not None and same(value) == same(wanted)), 0)


def _truncate(value: Value, digits: Value) -> Value:
    cut = dates.round_half_up(number(value), integer(digits), ROUND_DOWN)
    return int(cut) if number(digits) <= 0 else cut


def _format(value: Value, digits: Value, *_: Value) -> str:
    places = max(0, min(30, integer(digits)))
    return f"{dates.round_half_up(number(value), places) or 0:,.{places}f}"


def _substring(value: Value, start: Value, length: Value = LONGEST) -> str:
    whole, at, size = text(value), integer(start), integer(length)
    first = at - 1 if at > 0 else len(whole) + at
    return whole[first : first + size] if at and first >= 0 and size > 0 else ""


def _conv(value: Value, base: Value, wanted: Value) -> str | None:
    bases = abs(integer(base)), abs(integer(wanted))
    if not all(2 <= each <= 36 for each in bases):
        return None
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"[: bases[0]]
    found = re.match(rf"\s*-?[{digits}]{{1,64}}", text(value), re.IGNORECASE)
    return dates.to_base(int(found[0], bases[0]) if found else 0, bases[1])


def _greatest(choose: Callable[..., Value]) -> Callable[..., Value]:
    def chosen(*values: Value) -> Value:
        numbers = any(isinstance(value, (int, float)) for value in values)
        return choose(values, key=number if numbers else lambda value: text(value).lower())

    return chosen


def _decimal(value: Value, digits: Value, size: Value = 65) -> Value:
    """Return a number with so many *digits* after the point, and no more than *size*: else the greatest there is."""
    found = dates.round_half_up(number(value), integer(digits))
    most = Decimal(10) ** (integer(size) - integer(digits))
    if abs(found) < most:
        return found
    return float((most - Decimal(1).scaleb(-integer(digits))).copy_sign(Decimal(found)))


def _whole(value: Value) -> int:
    """Return the whole number that a text begins with."""
    found = re.match(r"\s*[+-]?\d{1,30}", text(value))
    return int(found[0]) if found else 0


def _str_to_date(value: Value, form: Value) -> str | None:
    names = {"%M": "%B", "%i": "%M", "%s": "%S", "%h": "%I", "%e": "%d", "%c": "%m", "%k": "%H", "%T": "%H:%M:%S"}
    python = re.sub(r"%.", lambda match: names.get(match[0], match[0]), text(form))
    try:
        moment = datetime.strptime(text(value), python)
    except ValueError:
        return None
    clock = any(sign in python for sign in ("%H", "%I", "%S"))
    return str(moment) if clock else str(moment.date())


def _field_reader(read: Callable[[datetime], Value]) -> Callable[[Value], Value]:
    def of(value: Value) -> Value:
        moment = dates.read_time(value)
        return None if moment is None else read(moment)

    return of


def _day(value: Value) -> date:
    """Return the day of a moment. Raises ValueError for what is none."""
    if (day := dates.day_of(value)) is None:
        raise ValueError("no date")
    return day


FUNCTIONS: dict[str, Callable[..., Value]] = {
    "concat": lambda *values: _short("".join(map(text, values))),
    "repeat": lambda value, count: (
        text(value) * integer(count) if len(text(value)) * number(count) <= LONGEST else None
    ),
    "lpad": lambda value, length, fill=" ": _pad(value, length, fill, left=True),
    "rpad": lambda value, length, fill=" ": _pad(value, length, fill, left=False),
    "mysql_left": lambda value, count: text(value)[: max(0, integer(count))],
    "mysql_right": lambda value, count: text(value)[-integer(count) :] if integer(count) > 0 else "",
    "mysql_insert": _insert,
    "mysql_fixed": lambda value, digits: f"{number(value):.{max(0, min(30, integer(digits)))}f}",
    "mysql_format": _format,
    "mysql_substring": _substring,
    "mysql_truncate": _truncate,
    **dict.fromkeys(("mysql_length", "octet_length"), lambda value: len(text(value).encode("utf-8", "surrogatepass"))),
    **dict.fromkeys(("char_length", "character_length"), lambda value: len(text(value))),
    "mysql_char": lambda *values: "".join(chr(integer(value)) for value in values),
    **dict.fromkeys(("ascii", "ord"), lambda value: ord(text(value)[0]) if text(value) else 0),
    "space": lambda count: " " * min(LONGEST, integer(count)),
    "reverse": lambda value: text(value)[::-1],
    **dict.fromkeys(("lcase", "lower"), lambda value: text(value).lower()),
    **dict.fromkeys(("ucase", "upper"), lambda value: text(value).upper()),
    "replace": _replace,
    "trim": lambda value, unwanted=" ": _trim(value, unwanted, left=True, right=True),
    "ltrim": lambda value, unwanted=" ": _trim(value, unwanted, left=True),
    "rtrim": lambda value, unwanted=" ": _trim(value, unwanted, right=True),
    "instr": lambda value, wanted: text(value).lower().find(text(wanted).lower()) + 1,
    "locate": lambda wanted, value, start=1: (
        text(value).lower().find(text(wanted).lower(), max(0, integer(start) - 1)) + 1
    ),
    "strcmp": lambda one, other: (key(text(one)) > key(text(other))) - (key(text(one)) < key(text(other))),
    "substring_index": _substring_index,
    "find_in_set": lambda wanted, values: (
        text(values).lower().split(",").index(text(wanted).lower()) + 1
        if text(wanted).lower() in text(values).lower().split(",")
        else 0
    ),
    "md5": lambda value: hashlib.md5(text(value).encode(), usedforsecurity=False).hexdigest(),
    "sha1": lambda value: hashlib.sha1(text(value).encode(), usedforsecurity=False).hexdigest(),
    "sha2": lambda value, bits: hashlib.new(f"sha{bits or 256}", text(value).encode()).hexdigest(),
    "conv": _conv,
    "bin": lambda value: dates.to_base(integer(value), 2),
    "oct": lambda value: dates.to_base(integer(value), 8),
    "unhex": lambda value: bytes.fromhex(text(value)),
    "crc32": lambda value: zlib.crc32(text(value).encode()),
    "elt": lambda at, *values: values[integer(at) - 1] if 1 <= number(at) <= len(values) else None,
    "mysql_mod": lambda value, by: abs(number(value)) % abs(number(by)) * (-1 if number(value) < 0 else 1),
    "mysql_log": lambda *values: math.log(number(values[-1]), *map(number, values[:-1])),
    "ln": lambda value: math.log(number(value)),
    "log2": lambda value: math.log2(number(value)),
    "log10": lambda value: math.log10(number(value)),
    "exp": lambda value: math.exp(number(value)),
    "sqrt": lambda value: math.sqrt(number(value)),
    **dict.fromkeys(("pow", "power"), lambda value, by: math.pow(number(value), number(by))),
    **dict.fromkeys(("ceil", "ceiling"), lambda value: math.ceil(number(value))),
    "floor": lambda value: math.floor(number(value)),
    "pi": lambda: math.pi,
    "greatest": _greatest(max),
    "least": _greatest(min),
    **{name: _field_reader(read) for name, read in dates.FIELDS.items()},
    "week": lambda value, mode=0: _field_reader(lambda moment: dates.week(moment, integer(mode)))(value),
    "yearweek": lambda value, mode=0: _field_reader(lambda moment: dates.yearweek(moment, integer(mode)))(value),
    "last_day": lambda value: str(_day(value).replace(day=monthrange(_day(value).year, _day(value).month)[1])),
    "datediff": lambda one, other: (_day(one) - _day(other)).days,
    "timestampdiff": lambda unit, one, other: dates.difference(text(unit).lower(), one, other),
    "from_days": lambda value: str(date.fromordinal(integer(value) - 365)),
    "makedate": lambda year, count: str(date(integer(year), 1, 1) + timedelta(days=integer(count) - 1)),
    "sec_to_time": lambda value: dates.clock_of(number(value)),
    "time_to_sec": dates.seconds_of,
    "mysql_shift": lambda value, amount, unit: dates.shift(value, number(amount), unit),
    "mysql_day": dates.day,
    "mysql_moment": dates.moment,
    "mysql_clock": dates.clock,
    "mysql_moment_number": dates.number_of,
    "mysql_member_number": member_number,
    "mysql_integer": lambda value: dates.half_up(value) if isinstance(value, float) else _whole(value),
    "mysql_decimal": _decimal,
    "mysql_number": number,
    "mysql_xor": lambda one, other: integer(one) ^ integer(other),
    "mysql_text": text,
    "mysql_compared_moment": lambda value: dates.moment(value) or "0000-00-00 00:00:00",
    "round": lambda value, digits=0: dates.round_half_up(number(value), integer(digits)),
    "mysql_date_format": lambda value, form: dates.date_format(value, text(form)),
    "str_to_date": _str_to_date,
    "from_unixtime": lambda value: str(datetime(1970, 1, 1) + timedelta(seconds=number(value))),
    "timestamp": dates.moment,
    "cot": lambda value: 1 / math.tan(number(value)),
}
"""Functions of which any NULL makes NULL."""

OWN: dict[str, Callable[..., Value]] = {
    **dict.fromkeys(("ceil", "ceiling"), lambda value: type(number(value))(math.ceil(number(value)))),
    "floor": lambda value: type(number(value))(math.floor(number(value))),
    "instr": lambda value, wanted: text(value).find(text(wanted)) + 1,
    "ltrim": lambda value, unwanted=" ": text(value).lstrip("".join(set(text(unwanted)))),
    "rtrim": lambda value, unwanted=" ": text(value).rstrip("".join(set(text(unwanted)))),
    "trim": lambda value, unwanted=" ": text(value).strip("".join(set(text(unwanted)))),
    "round": lambda value, digits=0: dates.round_half_up(float(number(value)), max(0, integer(digits))),
}
"""What some of them mean to SQLite, whose own cannot be stopped when time is over."""

WHOLE: dict[str, Callable[..., Value]] = {
    "mysql_if": lambda condition, yes, no: yes if condition is not None and number(condition) != 0 else no,
    "concat_ws": lambda separator, *values: (
        None if separator is None else text(separator).join(text(value) for value in values if value is not None)
    ),
    "field": _field,
    "mysql_isnull": lambda value: int(value is None),
    "version": lambda: "8.0.32",
    **dict.fromkeys(("user", "current_user"), lambda: "intercode@localhost"),
    "connection_id": lambda: 1,
    "found_rows": lambda: 0,
}
"""Functions that see NULL."""

CHANGING: dict[str, Callable[..., Value]] = {
    **dict.fromkeys(("now", "localtime", "sysdate"), lambda *_: datetime.now().strftime("%Y-%m-%d %H:%M:%S")),
    "utc_timestamp": lambda *_: datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S"),
    "utc_date": lambda: str(datetime.now(UTC).date()),
    "curdate": lambda: str(date.today()),
    "curtime": lambda *_: datetime.now().strftime("%H:%M:%S"),
    "rand": lambda *seed: random.Random(seed[0]).random() if seed else random.random(),
    "uuid": lambda: f"{random.getrandbits(128):032x}",
}
"""Functions that answer otherwise each time."""
