"""A statement of MySQL in SQLite's words, understood as a whole by sqlglot: for what `adapt` is not enough for."""

from __future__ import annotations

import logging
from functools import lru_cache

LONGEST = 64 << 10
"""Characters; longer statements are not parsed, since that would take seconds."""


@lru_cache(maxsize=1024)
def transpile(statement: str) -> str:
    """*statement* for SQLite. Raises ValueError for what cannot be parsed, or is too long to be."""
    import sqlglot  # imported here: slow, and seldom needed
    from sqlglot.errors import SqlglotError

    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # what it does not know is told by SQLite

    if len(statement) > LONGEST:
        raise ValueError("too long to be translated")
    try:
        parsed = sqlglot.transpile(statement, read="mysql", write="sqlite", unsupported_level=sqlglot.ErrorLevel.IGNORE)
    except (SqlglotError, RecursionError) as error:
        raise ValueError(str(error)) from error
    if len(parsed) != 1:
        raise ValueError("not one statement")
    return parsed[0]
