"""Brackets of MySQL that SQLite does not know: around the parts of a UNION, and after ALL, ANY and SOME."""

from __future__ import annotations

from collections.abc import Sequence

from intercode.databases.dialect.tokenizer import Token

SETS = frozenset({"union", "intersect", "except"})

QUANTIFIED = {
    (">", "all"): "max", (">=", "all"): "max", ("<", "all"): "min", ("<=", "all"): "min",
    (">", "any"): "min", (">=", "any"): "min", ("<", "any"): "max", ("<=", "any"): "max",
}  # fmt: skip
"""Which value of all that a query has is the one to compare with."""

EVERYTHING = {"max": "-9e999", "min": "x'ff'"}
"""What is less than every value, and what is greater: ALL holds where there is nothing to compare with."""


def opened(found: Sequence[Token]) -> list[Token]:
    """*found* with `SELECT * FROM (…)` for each part of a UNION, and each whole statement, that is in brackets."""
    kept: list[Token] = []
    for at, token in enumerate(found):
        if token.text == "(" and _begins_query(found, at) and _is_part(found, at, kept):
            kept.append(Token("symbol", "SELECT * FROM ", token.start))
        kept.append(token)
    return kept


def quantified(operator: str, word: str, query: str) -> str | None:
    """`operator word (query)` otherwise; None for what there is no other way to say."""
    word = "any" if word == "some" else word
    if (operator, word) in (("=", "any"), ("<>", "all"), ("!=", "all")):
        return f"{'IN' if word == 'any' else 'NOT IN'} ({query})"
    choice = QUANTIFIED.get((operator, word))
    if choice is None:
        return None
    values = f"(SELECT NULL AS v WHERE 0 UNION ALL SELECT * FROM ({query}))"
    if word == "any":
        return f"{operator} (SELECT {choice}(v) FROM {values})"
    told = f"WHEN COUNT(*) = 0 THEN {EVERYTHING[choice]} WHEN COUNT(v) < COUNT(*) THEN NULL ELSE {choice}(v)"
    return f"{operator} (SELECT CASE {told} END FROM {values})"


def closing(found: Sequence[Token], at: int) -> int:
    """Where the bracket that opens at *at* closes; 0 where none opens or it never does."""
    if at >= len(found) or found[at].text != "(":
        return 0
    depth = 0
    for place in range(at, len(found)):
        depth += {"(": 1, ")": -1}.get(found[place].text, 0)
        if depth == 0:
            return place
    return 0


def word_at(found: Sequence[Token], at: int) -> str:
    """The next token that is no space, from *at* on, in lower case."""
    return next((token.lower for token in found[at:] if token.kind != "space"), "")


def _begins_query(found: Sequence[Token], at: int) -> bool:
    return next((token.lower for token in found[at:] if token.text != "(" and token.kind != "space"), "") == "select"


def _is_part(found: Sequence[Token], at: int, before: Sequence[Token]) -> bool:
    words = [token.lower for token in before if token.kind != "space"][-2:]
    if not words or words[-1] in SETS or (words[-1] in ("all", "distinct") and words[0] in SETS):
        return True
    end = closing(found, at)
    return words[-1] == "(" and word_at(found, end + 1) in SETS
