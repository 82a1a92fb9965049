"""What is wrong with a statement whatever it says: told before any server sees it."""

from __future__ import annotations

from collections.abc import Sequence

from intercode.worlds.sql.databases.dialect import errors
from intercode.worlds.sql.databases.dialect.tokenizer import (
    Token,
    cache_statements,
    first_word,
    meaningful,
    second_statement,
    tokens,
)

STATEMENTS = frozenset({
    "alter", "analyze", "begin", "binlog", "cache", "call", "change", "check", "checksum", "clone", "commit", "create",
    "deallocate", "delete", "desc", "describe", "do", "drop", "execute", "explain", "flush", "get", "grant", "handler",
    "help", "import", "insert", "install", "kill", "load", "lock", "optimize", "prepare", "purge", "release", "rename",
    "repair", "replace", "reset", "resignal", "restart", "revoke", "rollback", "savepoint", "select", "set", "show",
    "shutdown", "signal", "start", "stop", "table", "truncate", "uninstall", "unlock", "update", "use", "values",
    "with", "xa",
})  # fmt: skip
"""How MySQL's statements begin."""


@cache_statements
def unreadable(statement: str) -> str | None:
    """Return the error for what is no statement of MySQL's.

    Prose, a SHOW that there is not, a string without an end.
    """
    found, first = meaningful(statement), first_word(statement)
    start: int | None = None
    if found[0].kind == "word" and first not in STATEMENTS:
        start = found[0].start
    elif first == "show":
        start = found[1].start if len(found) > 1 else len(statement)
    elif first in ("desc", "describe"):
        start = _after_name(found, len(statement))
    else:
        start = next((token.start for token in found if token.kind == "open"), None)
    return None if start is None else errors.syntax_error(statement.rstrip().rstrip(";"), start)


def placeholder(statement: str) -> str | None:
    """Return the error for a place that a program would fill, `?` or `:name`, where nothing else is wrong."""
    start = next((token.start for token in meaningful(statement) if token.text in ("?", ":")), None)
    return None if start is None else errors.syntax_error(statement.rstrip().rstrip(";"), start)


def _after_name(found: Sequence[Token], end: int) -> int | None:
    """Return where a DESC that is none stops being one; None where it is an EXPLAIN."""
    if len(found) > 1 and found[1].lower in STATEMENTS:
        return None
    at = 1
    if len(found) > 1 and found[1].kind in ("word", "name"):
        at = 4 if len(found) > 3 and found[2].text == "." else 2
        at += len(found) > at and found[at].kind in ("word", "name")
    return found[at].start if at < len(found) else end


@cache_statements
def validation_error(statement: str, longest: int) -> str | None:
    """Return the error for a statement that is empty, two, not text, or longer than *longest* bytes.

    None for others.
    """
    try:
        if len(statement.encode()) > longest:
            return errors.TOO_LONG
    except UnicodeEncodeError:
        return errors.invalid_text(statement)
    if "\0" in statement:
        return errors.syntax_error(statement, statement.index("\0"))
    if not first_word(statement) and not any(token.text != ";" for token in meaningful(statement)):
        return errors.EMPTY
    if ";" not in statement:
        return None
    second = second_statement(tokens(statement))
    return None if second is None else errors.syntax_error(statement, second)
