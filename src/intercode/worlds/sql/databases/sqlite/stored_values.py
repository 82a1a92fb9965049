"""Values as strict MySQL stores them: read by the type of their column, or refused with MySQL's error."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import timedelta
from decimal import ROUND_HALF_UP, Decimal, localcontext
from functools import lru_cache

from intercode.worlds.sql.databases.dialect.errors import format_error
from intercode.worlds.sql.databases.dialect.tokenizer import content
from intercode.worlds.sql.databases.sqlite import dates
from intercode.worlds.sql.databases.sqlite.coercion import NUMBER, Value, number, text


class StoredValueError(Exception):
    """A value does not fit its column. The message is MySQL's; `instead` is what IGNORE has stored."""

    def __init__(self, number: int, message: str, instead: Value = None) -> None:
        super().__init__(format_error(number, message))
        self.instead = instead


def store(value: Value, kind: str, column: str, is_strict: Value, instead_of_null: Value) -> Value:
    """Return *value* as a column of the type *kind* keeps it; NULL as *instead_of_null*.

    Raises:
        StoredValueError: If it does not fit, and *is_strict*.
    """
    if value is None:
        return instead_of_null
    try:
        return _reader(kind)(value, column)
    except StoredValueError as error:
        if is_strict:
            raise
        return error.instead


def strict_number(value: Value) -> float | int | None:
    """Return the number that *value* is.

    Raises:
        StoredValueError: If it is none, or something follows it.
    """
    if value is None or isinstance(value, (int, float)):
        return value
    found = NUMBER.match(text(value))
    if found is None or text(value)[found.end() :].strip():
        raise StoredValueError(1292, f"Truncated incorrect DOUBLE value: '{text(value)}'")
    return number(value)


def strict_moment(value: Value) -> str | None:
    """Return the date and time that *value* is.

    Raises:
        StoredValueError: If it is none.
    """
    found = None if value is None else dates.moment(value)
    if found is None and value is not None:
        raise StoredValueError(1292, f"Incorrect datetime value: '{text(value)}'")
    return found


def divisor(value: Value) -> Value:
    """Return what is divided by.

    Raises:
        StoredValueError: If it is 0.
    """
    if value is not None and number(value) == 0:
        raise StoredValueError(1365, "Division by 0")
    return value


Reader = Callable[[Value, str], Value]

BITS = {"tinyint": 8, "smallint": 16, "mediumint": 24, "int": 32, "bigint": 64}

BYTES = {"tinytext": (1 << 8) - 1, "text": (1 << 16) - 1, "mediumtext": (1 << 24) - 1}
"""How long texts may be that are of no declared length."""


@lru_cache(maxsize=1024)
def _reader(kind: str) -> Reader:
    """Return what reads values for columns of that type."""
    word = re.split(r"[( ]", kind, maxsplit=1)[0]
    make = READERS.get(word)
    return make(word, kind) if make else lambda value, column: value


def _sizes(kind: str) -> list[int]:
    return [int(size) for size in re.findall(r"\d+", kind)]


def _exact(value: Value, column: str, name: str) -> Decimal:
    """Return the number that *value* is, for a column of the type called *name*."""
    written = repr(value) if isinstance(value, (int, float)) else text(value)
    found = NUMBER.match(written)
    if found is None:
        shown = f"Incorrect {name} value: '{written}' for column '{column}' at row 1"
        raise StoredValueError(1366, shown, 0) if written not in ("inf", "-inf") else _out_of_range(column, 0)
    number = Decimal(found[0].strip())
    if written[found.end() :].strip():
        raise StoredValueError(1265, f"Data truncated for column '{column}' at row 1", float(number))
    return number


def _out_of_range(column: str, instead: Value) -> StoredValueError:
    return StoredValueError(1264, f"Out of range value for column '{column}' at row 1", instead)


def _integers(word: str, kind: str) -> Reader:
    size = BITS[word]
    least, most = (0, (1 << size) - 1) if "unsigned" in kind else (-1 << size - 1, (1 << size - 1) - 1)

    def read(value: Value, column: str) -> Value:
        number = _exact(value, column, "integer")
        if not least - 1 < number < most + 1:
            raise _out_of_range(column, least if number < 0 else most)
        whole = int(number.to_integral_value(ROUND_HALF_UP))
        if not least <= whole <= most:
            raise _out_of_range(column, least if whole < 0 else most)
        return whole if whole < 1 << 63 else float(whole)

    return read


def _decimals(word: str, kind: str) -> Reader:
    size, scale, *_ = (*_sizes(kind), 10, 0) if not _sizes(kind) else (*_sizes(kind), 0)
    bound = Decimal(10) ** (size - scale)
    most = float(bound - Decimal(1).scaleb(-scale))

    def read(value: Value, column: str) -> Value:
        number = _exact(value, column, "decimal")
        if abs(number) >= bound:
            raise _out_of_range(column, -most if number < 0 else most)
        with localcontext(prec=100):
            number = number.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP)
        if abs(number) >= bound:
            raise _out_of_range(column, -most if number < 0 else most)
        if "unsigned" in kind and number < 0:
            raise _out_of_range(column, 0)
        return int(number) if number == int(number) and abs(number) < 1 << 63 else float(number)

    return read


def _doubles(word: str, kind: str) -> Reader:
    def read(value: Value, column: str) -> Value:
        number = float(_exact(value, column, "double"))
        if abs(number) > 1.7976931348623157e308 or ("unsigned" in kind and number < 0):
            raise _out_of_range(column, 0)
        return number

    return read


def _years(word: str, kind: str) -> Reader:
    def read(value: Value, column: str) -> Value:
        year = int(_exact(value, column, "year").to_integral_value(ROUND_HALF_UP))
        if 0 < year < 100 or (year == 0 and isinstance(value, str)):
            year += 2000 if year < 70 else 1900
        if year and not 1901 <= year <= 2155:
            raise _out_of_range(column, 0)
        return year

    return read


def _texts(word: str, kind: str) -> Reader:
    sizes = _sizes(kind.partition(")")[0]) if "(" in kind else []

    def read(value: Value, column: str) -> Value:
        try:
            written = value.decode() if isinstance(value, bytes) else text(value)
        except UnicodeDecodeError as error:
            shown = f"Incorrect string value: '{value!r}' for column '{column}' at row 1"
            raise StoredValueError(1366, shown, "") from error
        kept = written[: sizes[0]] if sizes else written
        if word in BYTES and not sizes and len(written) > BYTES[word] // 4:
            kept = written.encode("utf-8", "surrogatepass")[: BYTES[word]].decode("utf-8", "ignore")
        if written[len(kept) :].strip(" "):
            raise StoredValueError(1406, f"Data too long for column '{column}' at row 1", kept)
        return kept.rstrip(" ") if word == "char" else kept

    return read


def _blobs(word: str, kind: str) -> Reader:
    sizes = _sizes(kind)

    def read(value: Value, column: str) -> Value:
        data = value if isinstance(value, bytes) else text(value).encode("utf-8", "surrogatepass")
        if sizes and len(data) > sizes[0]:
            raise StoredValueError(1406, f"Data too long for column '{column}' at row 1", data[: sizes[0]])
        return value

    return read


def _bits(word: str, kind: str) -> Reader:
    most = (1 << (_sizes(kind) or [1])[0]) - 1

    def read(value: Value, column: str) -> Value:
        if isinstance(value, int) and not 0 <= value <= most:
            raise StoredValueError(1406, f"Data too long for column '{column}' at row 1", most)
        return value

    return read


def _chosen(value: Value, members: list[str]) -> str | None:
    """Return the member of an ENUM that *value* is or numbers; None where there is none."""
    if not isinstance(value, (int, float)):
        wanted = text(value).rstrip(" ").lower()
        found = next((member for member in members if member.lower() == wanted), None)
        if found is not None or not wanted.isdecimal():
            return found
    at = int(value)
    return members[at - 1] if 1 <= at <= len(members) else None


def _documents(word: str, kind: str) -> Reader:
    def read(value: Value, column: str) -> Value:
        try:
            if isinstance(value, str):
                return _written(json.loads(value, parse_constant=_no_constant))
        except (ValueError, RecursionError) as error:
            problem = str(getattr(error, "msg", "Invalid value."))
            shown = f"Invalid JSON text: {problem!r} in value for column '{column}'."
            raise StoredValueError(3140, shown, None) from error
        return json.dumps(value) if isinstance(value, (int, float)) else value

    return read


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no value")


def _written(value: object) -> str:
    """Return a JSON value as MySQL writes it: the shortest names of members first."""
    if isinstance(value, dict):
        pairs = sorted(value.items(), key=lambda pair: (len(pair[0].encode("utf-8", "surrogatepass")), pair[0]))
        return "{" + ", ".join(f"{_written(name)}: {_written(one)}" for name, one in pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_written, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _enums(word: str, kind: str) -> Reader:
    members = _members(kind)

    def read(value: Value, column: str) -> Value:
        found = _chosen(value, members)
        if found is None:
            raise StoredValueError(1265, f"Data truncated for column '{column}' at row 1", "")
        return found

    return read


def _sets(word: str, kind: str) -> Reader:
    members = _members(kind)

    def read(value: Value, column: str) -> Value:
        if isinstance(value, (int, float)):
            parts = {member for at, member in enumerate(members) if int(value) >> at & 1}
            unknown = not 0 <= value < 1 << len(members)
        else:
            wanted = [part.rstrip(" ").lower() for part in text(value).split(",")] if text(value) else []
            parts = {member for member in members if member.lower() in wanted}
            unknown = any(part not in {member.lower() for member in members} for part in wanted)
        kept = ",".join(member for member in members if member in parts)
        if unknown:
            raise StoredValueError(1265, f"Data truncated for column '{column}' at row 1", kept)
        return kept

    return read


def member_number(value: Value, kind: str) -> int:
    """Return the number that a member of an ENUM is, or a SET of members."""
    members, kept = _members(kind), text(value)
    if kind.startswith("set"):
        return sum(1 << at for at, member in enumerate(members) if member in kept.split(","))
    return members.index(kept) + 1 if kept in members else 0


def _members(kind: str) -> list[str]:
    return [content(member) for member in re.findall(r"'(?:[^'\\]|''|\\.)*'", kind)]


def _moments(word: str, kind: str) -> Reader:
    digits = 0 if word == "date" else (_sizes(kind) or [0])[0]

    def read(value: Value, column: str) -> Value:
        written = text(value)
        moment = dates.read_time(written)
        if moment is None:
            shown = f"Incorrect {word.replace('timestamp', 'datetime')} value: '{text(value)}' for column '{column}'"
            none = "0000-00-00" if word == "date" else "0000-00-00 00:00:00"
            raise StoredValueError(1292, f"{shown} at row 1", none)
        if word == "date":
            return str(moment.date())
        step = 10 ** (6 - digits)
        over = moment.microsecond % step
        return str(moment + timedelta(microseconds=step - over if over * 2 >= step else -over))

    return read


CLOCK = re.compile(r"\s*-?\d{1,3}:\d\d:\d\d(\.\d+)?\s*")


def _clocks(word: str, kind: str) -> Reader:
    def read(value: Value, column: str) -> Value:
        written = text(value)
        if CLOCK.fullmatch(written):
            return written.strip()
        if re.fullmatch(r"-?\d{1,7}", written):
            digits = written.lstrip("-").zfill(6)
            written = f"{written[: written.startswith('-')]}{digits[:-4]}:{digits[-4:-2]}:{digits[-2:]}"
        found = dates.clock(written)
        if found is None or any(int(part) > 59 for part in found.split(":")[1:]):
            shown = f"Incorrect time value: '{text(value)}' for column '{column}' at row 1"
            raise StoredValueError(1292, shown, "00:00:00")
        return found

    return read


READERS: dict[str, Callable[[str, str], Reader]] = {
    **dict.fromkeys(BITS, _integers),
    **dict.fromkeys(("float", "double"), _doubles),
    **dict.fromkeys(("char", "varchar", "longtext", *BYTES), _texts),
    **dict.fromkeys(("binary", "varbinary"), _blobs),
    **dict.fromkeys(("date", "datetime", "timestamp"), _moments),
    "decimal": _decimals,
    "year": _years,
    "bit": _bits,
    "json": _documents,
    "enum": _enums,
    "set": _sets,
    "time": _clocks,
}
