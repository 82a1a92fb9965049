"""A statement of MySQL in SQLite's words, understood as a whole by sqlglot: for what `adapt` is not enough for."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from intercode.databases.dialect.syntax_tree import catches_parse_errors, syntax_trees
from intercode.databases.dialect.tokenizer import meaningful

LONGEST = 64 << 10
"""Characters; longer statements are not parsed, since that would take seconds."""

AFTER_LISTS = frozenset({",", ")", "from", "where", "group", "order", "having", "limit"})


@lru_cache(maxsize=1024)
def transpile(statement: str) -> str:
    """*statement* for SQLite. Raises ValueError for what cannot be parsed, or is too long to be."""
    import sqlglot  # imported here: slow, and seldom needed

    if len(statement) > LONGEST:
        raise ValueError("too long to be translated")
    found = meaningful(statement)
    if any(comma.text == "," and token.lower in AFTER_LISTS for comma, token in pairwise(found)):
        raise ValueError("a list ends in a comma")  # sqlglot does not mind, MySQL does
    parsed = syntax_trees(statement)
    if len(parsed) != 1:
        raise ValueError("not one statement")
    try:
        return parsed[0].sql("sqlite", unsupported_level=sqlglot.ErrorLevel.IGNORE)
    except catches_parse_errors() as error:
        raise ValueError(str(error)) from error
