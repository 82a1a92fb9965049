"""MySQL's errors as its client prints them, e.g. `1146 (42S02): Table 'shop.orders' doesn't exist`."""

from __future__ import annotations

import tomllib
from pathlib import Path

_BY_STATE = tomllib.loads(Path(__file__).with_name("sqlstates.toml").read_text())

STATES = {number: state for state, numbers in _BY_STATE.items() for number in numbers}
"""SQLSTATE by number; HY000 for all others."""


def format_error(number: int, message: str) -> str:
    """Return an error as MySQL's client prints it."""
    state = STATES.get(number, "HY000")
    return f"{number} ({state}): {message}" if state else f"{number}: {message}"


TIMEOUT = format_error(3024, "Query execution was interrupted, maximum statement execution time exceeded")
EMPTY = format_error(1065, "Query was empty")
CHILD_ROW = format_error(1452, "Cannot add or update a child row: a foreign key constraint fails")
TOO_LONG = format_error(1153, "Got a packet bigger than 'max_allowed_packet' bytes")
SYNTAX = (
    "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version"
    " for the right syntax to use near '{near}' at line {line}"
)


def syntax_error(statement: str, start: int) -> str:
    """Return the error of a *statement* that cannot be understood from *start* on."""
    return format_error(
        1064, SYNTAX.format(near=statement[start : start + 80], line=statement.count("\n", 0, start) + 1)
    )


def invalid_text(statement: str) -> str:
    """Return the error of a statement with bytes that are not UTF-8 (they came as surrogates)."""
    data = statement.encode("utf-8", "surrogateescape" if _is_undecodable(statement) else "surrogatepass")
    try:
        data.decode()
        bad = 0
    except UnicodeDecodeError as error:
        bad = error.start
    shown = "".join(f"\\x{byte:02X}" for byte in data[bad : bad + 6])
    return format_error(1300, f"Invalid utf8mb4 character string: '{shown}'")


def _is_undecodable(statement: str) -> bool:
    return all(0xDC80 <= ord(sign) <= 0xDCFF for sign in statement if 0xD800 <= ord(sign) <= 0xDFFF)
