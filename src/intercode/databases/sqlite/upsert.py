"""INSERT … ON DUPLICATE KEY UPDATE in SQLite's words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from intercode.databases.dialect.tokenizer import Token

CLAUSES = frozenset({"where", "group", "having", "order", "limit"})


def rewrite_upsert(found: Sequence[Token]) -> str | None:
    """The statement of these tokens; None where it is no such one."""
    words = [(at, token.lower) for at, token in enumerate(found) if token.kind != "space"]
    for place, (at, word) in enumerate(words):
        if word == "on" and [each for _, each in words[place + 1 : place + 4]] == ["duplicate", "key", "update"]:
            head, row = _without_alias(found[:at])
            end = words[place + 3][0] + 1
            text = "".join(token.text for token in head)
            return f"{text} ON CONFLICT DO UPDATE SET{''.join(_new(found[end:], row))}"
    return None


def _without_alias(head: Sequence[Token]) -> tuple[list[Token], str]:
    """What is inserted, and what its rows are called; a query in it ends so that ON cannot belong to a join."""
    kept = list(head)
    last = [at for at, token in enumerate(kept) if token.kind != "space"][-3:]
    if len(last) == 3 and kept[last[0]].text == ")" and kept[last[1]].lower == "as":
        return kept[: last[1]], kept[last[2]].lower
    depth, words = 0, set[str]()
    for token in kept:
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if depth == 0 and token.kind == "word":
            words.add(token.lower)
    if "select" in words and not words & CLAUSES:
        kept.append(Token("symbol", " WHERE 1", 0))
    return kept, ""


def _new(found: Sequence[Token], row: str) -> Iterator[str]:
    """VALUES(column), and the row by its name, are what was to be inserted."""
    at = 0
    while at < len(found):
        token = found[at]
        inside = [each for each in found[at + 1 : at + 6] if each.kind != "space"]
        if token.lower == "values" and [each.text for each in inside[:3:2]] == ["(", ")"]:
            yield f"excluded.{inside[1].text}"
            at = found.index(inside[2]) + 1
        else:
            yield "excluded" if row and token.lower == row and inside and inside[0].text == "." else token.text
            at += 1
