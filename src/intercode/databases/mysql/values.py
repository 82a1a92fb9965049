"""The cells of a result as Python's values: as MySQL's own client gives them, which knows no dates that are none."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache, partial
from typing import Any

Decoder = Callable[[bytes], Any]

BINARY = 63
"""The number of the character set of what is no text."""

JSON, NOTHING = 245, 6
"""Types of column that say BINARY, and are text nevertheless."""


def _exact(data: bytes) -> Decimal:
    return Decimal(data.decode())


def _bits(data: bytes) -> int:
    return int.from_bytes(data, "big")


def _moment(data: bytes) -> datetime | None:
    try:
        return datetime.fromisoformat(data.decode())
    except ValueError:
        return None


def _day(data: bytes) -> date | None:
    try:
        return date.fromisoformat(data.decode())
    except ValueError:
        return None


def _span(data: bytes) -> Any:
    from pymysql.converters import convert_timedelta

    return convert_timedelta(data)


BY_TYPE: dict[int, Decoder] = {
    **dict.fromkeys((1, 2, 3, 8, 9, 13), int),  # TINY, SHORT, LONG, LONGLONG, INT24, YEAR
    **dict.fromkeys((4, 5), float),  # FLOAT, DOUBLE
    **dict.fromkeys((0, 246), _exact),  # DECIMAL, NEWDECIMAL
    **dict.fromkeys((7, 12), _moment),  # TIMESTAMP, DATETIME
    10: _day,
    11: _span,
    16: _bits,
}
"""By the protocol's number of a column's type; all others are text or bytes."""

_text: Decoder = bytes.decode
_loose_text: Decoder = partial(bytes.decode, errors="replace")


def lenient(decoder: Decoder) -> Decoder:
    """The same for text that is not UTF-8: a session can have chosen another encoding for what it is told."""
    return _loose_text if decoder is _text else decoder


@lru_cache(maxsize=4096)
def column(packet: bytes) -> tuple[str, Decoder]:
    """A column's name, and how to read its cells, from what the server tells of it before the rows."""
    at = 0
    for _ in range(4):  # catalogue, database, table, and that one's own name
        size, at = number(packet, at)
        at += size
    size, at = number(packet, at)
    name = packet[at : at + size].decode(errors="replace")
    at += size
    size, at = number(packet, at)  # its own name in the table
    at += size + 1  # and the length of what follows
    charset, kind = int.from_bytes(packet[at : at + 2], "little"), packet[at + 6]
    plain = bytes if charset == BINARY and kind not in (JSON, NOTHING) else _text
    return name, BY_TYPE.get(kind, plain)


def number(packet: bytes, at: int) -> tuple[int, int]:
    """A length-encoded number, and where it ends."""
    first = packet[at]
    if first < 0xFB:
        return first, at + 1
    end = at + 1 + WIDTHS[first]
    return int.from_bytes(packet[at + 1 : end], "little"), end


WIDTHS = {0xFC: 2, 0xFD: 3, 0xFE: 8}
