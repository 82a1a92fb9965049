"""Calls of functions whose arguments MySQL writes in ways of its own: GROUP_CONCAT and COUNT(DISTINCT …)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from intercode.databases.dialect.scan import Token
from intercode.databases.embedded.functions import text


def rewritten(found: Sequence[Token]) -> list[Token]:
    """The same tokens with such calls as calls of our own functions."""
    return list(_rewritten(list(found)))


def concerned(statement: str) -> bool:
    """Whether there may be such a call."""
    lower = statement.lower()
    return "group_concat" in lower or ("count" in lower and "distinct" in lower)


def _rewritten(found: list[Token]) -> Iterator[Token]:
    at = 0
    while at < len(found):
        token = found[at]
        end = _end(found, at + 1) if token.lower in ("group_concat", "count") and token.kind == "word" else 0
        if not end:
            yield token
            at += 1
            continue
        inside = list(_rewritten(found[at + 2 : end]))
        yield from _group_concat(token, inside) if token.lower == "group_concat" else _count(token, inside)
        at = end + 1


def _end(found: Sequence[Token], at: int) -> int:
    """Where the parenthesis that opens at *at* closes; 0 where none opens or it never does."""
    if at >= len(found) or found[at].text != "(":
        return 0
    depth = 0
    for place in range(at, len(found)):
        depth += {"(": 1, ")": -1}.get(found[place].text, 0)
        if depth == 0:
            return place
    return 0


def _group_concat(call: Token, inside: list[Token]) -> Iterator[Token]:
    """`mysql_group_concat(distinct, downwards, separator, value, key)`."""
    values, order, separator = _parts(inside)
    distinct = next((token.lower for token in values if token.kind != "space"), "") == "distinct"
    if distinct:
        values = values[[token.lower for token in values].index("distinct") + 1 :]
    down = any(token.lower == "desc" for token in order)
    key = [token for token in order if token.lower not in ("asc", "desc")]
    parts = [
        str(int(distinct)),
        str(int(down)),
        _text(separator) or "','",
        f"concat({_text(values)})",
        _text(key) or "NULL",
    ]
    yield Token("symbol", f"mysql_group_concat({', '.join(parts)})", call.start)


def _parts(inside: list[Token]) -> tuple[list[Token], list[Token], list[Token]]:
    """What is joined, by what it is ordered, and what stands between."""
    parts: list[list[Token]] = [[], [], []]
    current, depth = 0, 0
    for token in inside:
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if depth == 0 and token.lower in ("order", "separator") and token.kind == "word":
            current = 1 if token.lower == "order" else 2
        elif not (current == 1 and depth == 0 and token.lower == "by"):
            parts[current].append(token)
    return parts[0], parts[1], parts[2]


def _count(call: Token, inside: list[Token]) -> Iterator[Token]:
    """COUNT(DISTINCT a, b) counts rows of which no part is NULL."""
    words = [token.lower for token in inside]
    several = words[:1] == ["distinct"] and _commas(inside)
    counted = f"DISTINCT mysql_row({_text(inside[1:])})" if several else _text(inside)
    yield Token("symbol", f"{call.text}({counted})", call.start)


def _commas(inside: Sequence[Token]) -> bool:
    depth = 0
    for token in inside:
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if token.text == "," and depth == 0:
            return True
    return False


def _text(found: Sequence[Token]) -> str:
    return "".join(token.text for token in found).strip()


class GroupConcat:
    """The aggregate that GROUP_CONCAT becomes."""

    LONGEST = 1024
    """Characters, as MySQL's group_concat_max_len has it."""

    def __init__(self) -> None:
        self.distinct = self.down = False
        self.separator = ","
        self.values: list[tuple[Any, str]] = []

    def step(self, distinct: int, down: int, separator: str, value: Any, key: Any) -> None:
        """Take one row; NULL is left out."""
        self.distinct, self.down, self.separator = bool(distinct), bool(down), text(separator)
        if value is not None:
            self.values.append((key, text(value)))

    def finalize(self) -> str | None:
        """All of them, joined."""
        if any(key is not None for key, _ in self.values):
            self.values.sort(key=lambda pair: _sorting(pair[0]), reverse=self.down)
        parts = [value for _, value in self.values]
        if self.distinct:
            parts = list({part.lower(): part for part in reversed(parts)}.values())[::-1]
        return self.separator.join(parts)[: self.LONGEST] if self.values else None


def _sorting(key: Any) -> tuple[int, float, str]:
    if key is None:
        return 0, 0.0, ""
    return (1, float(key), "") if isinstance(key, (int, float)) else (1, 0.0, text(key).lower())


def install(connection: sqlite3.Connection) -> None:
    """Give *connection* the functions that are called instead."""
    connection.create_aggregate("mysql_group_concat", 5, GroupConcat)  # type: ignore[arg-type]  # step has names
    connection.create_function("mysql_row", -1, _row, deterministic=True)


def _row(*values: Any) -> str | None:
    return None if None in values else "\0".join(text(value).lower() for value in values)
