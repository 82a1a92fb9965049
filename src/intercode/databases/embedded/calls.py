"""What MySQL writes in ways of its own around its functions: GROUP_CONCAT, COUNT(DISTINCT …), INTERVAL, ANY, casts."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from typing import Any

from intercode.databases.dialect.scan import Token
from intercode.databases.embedded import collation
from intercode.databases.embedded.arguments import LIKE_CALLS, interval, shifted, with_commas
from intercode.databases.embedded.functions import text
from intercode.databases.embedded.subqueries import closing, quantified, word_at


def rewritten(found: Sequence[Token]) -> list[Token]:
    """The same tokens with such calls as calls of our own functions."""
    return _rewritten(list(found))


def concerned(statement: str) -> bool:
    """Whether there may be such a call."""
    return CONCERNED.search(statement) is not None


CALLS = frozenset({"group_concat", "count", *LIKE_CALLS})

CONCERNED = re.compile(rf"\b(?:{'|'.join(sorted(CALLS))})\(|\b(?:interval|all|any|some)\b", re.IGNORECASE)

QUERIES = frozenset({"select", "with", "values", "("})


def _rewritten(found: Sequence[Token]) -> list[Token]:
    made: list[Token] = []
    at = 0
    while at < len(found):
        token = found[at]
        taken = 0
        if token.kind == "word":
            if token.lower in CALLS:
                taken = _call(made, found, at)
            elif token.lower == "interval":
                taken = _interval(made, found, at)
            elif token.lower in ("all", "any", "some"):
                taken = _quantified(made, found, at)
        if not taken:
            made.append(token)
        at += taken or 1
    return made


def _call(made: list[Token], found: Sequence[Token], at: int) -> int:
    """The call there, put behind what is *made*; how many tokens it took, 0 where it is none, or will do."""
    end, name = closing(found, at + 1), found[at].lower
    if not end:
        return 0
    inside = _rewritten(found[at + 2 : end])
    if name == "group_concat":
        said: str | None = _group_concat(inside)
    else:
        said = _count(found[at], inside) if name == "count" else with_commas(name, inside)
    if said is None:
        made += [*found[at : at + 2], *inside, found[end]]
    else:
        made.append(Token("symbol", said, found[at].start))
    return end - at + 1


def _interval(made: list[Token], found: Sequence[Token], at: int) -> int:
    """`moment + INTERVAL 1 DAY`; the moment is the end of what is *made*."""
    said = interval(found[at + 1 :])
    before = [place for place, token in enumerate(made) if token.kind != "space"]
    if said is None or len(before) < 2 or made[before[-1]].text not in ("+", "-"):
        return 0
    start = _operand(made, before[-2])
    back = made[before[-1]].text == "-"
    moment = _text(made[start : before[-2] + 1])
    made[start:] = [Token("symbol", shifted(moment, *said[:2], back=back), made[start].start)]
    return said[2] + 1


def _operand(made: Sequence[Token], end: int) -> int:
    """Where the operand begins that ends at *end*: a value, a name with dots, brackets, a call."""
    start = end
    if made[end].text == ")":
        depth = 0
        for start in range(end, -1, -1):
            depth += {")": 1, "(": -1}.get(made[start].text, 0)
            if depth == 0:
                break
        if start and made[start - 1].kind == "word" and made[start - 1].lower not in NO_CALLS:
            start -= 1
    while start > 1 and made[start - 1].text == ".":
        start -= 2
    return start


NO_CALLS = frozenset({"select", "where", "and", "or", "not", "on", "having", "between", "in", "by", "when", "then"})


def _quantified(made: list[Token], found: Sequence[Token], at: int) -> int:
    """`= ANY (SELECT …)`; the operator is the end of what is *made*."""
    opening = next((place for place in range(at + 1, len(found)) if found[place].kind != "space"), 0)
    end = closing(found, opening)
    before = next((place for place in range(len(made) - 1, -1, -1) if made[place].kind != "space"), -1)
    if not end or before < 0 or word_at(found, opening + 1) not in QUERIES:
        return 0
    said = quantified(made[before].text, found[at].lower, _text(_rewritten(found[opening + 1 : end])))
    if said is None:
        return 0
    made[before:] = [Token("symbol", said, made[before].start)]
    return end - at + 1


def _group_concat(inside: list[Token]) -> str:
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
    return f"mysql_group_concat({', '.join(parts)})"


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


def _count(call: Token, inside: list[Token]) -> str:
    """COUNT(DISTINCT a, b) counts rows of which no part is NULL."""
    words = [token.lower for token in inside]
    several = words[:1] == ["distinct"] and _commas(inside)
    counted = f"DISTINCT mysql_row({_text(inside[1:])})" if several else _text(inside)
    return f"{call.text}({counted})"


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
            parts = list({collation.key(part): part for part in reversed(parts)}.values())[::-1]
        return self.separator.join(parts)[: self.LONGEST] if self.values else None


def _sorting(key: Any) -> tuple[int, float, str]:
    if key is None:
        return 0, 0.0, ""
    return (1, float(key), "") if isinstance(key, (int, float)) else (1, 0.0, collation.key(text(key)))


def install(connection: sqlite3.Connection) -> None:
    """Give *connection* the functions that are called instead."""
    connection.create_aggregate("mysql_group_concat", 5, GroupConcat)  # type: ignore[arg-type]  # step has names
    connection.create_function("mysql_row", -1, _row, deterministic=True)


def _row(*values: Any) -> str | None:
    return None if None in values else "\0".join(collation.key(text(value)) for value in values)
