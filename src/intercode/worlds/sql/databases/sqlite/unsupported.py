"""Statements that a server understands and this engine does not: refused by name, before they run."""

from __future__ import annotations

import re

from sqlglot import exp

from intercode.worlds.sql.databases.dialect.errors import format_error
from intercode.worlds.sql.databases.dialect.tokenizer import first_word, meaningful

WAY_OUT = "the sqlite engine cannot do that: use mysql"
DIGITS = 18
"""Of the whole numbers that SQLite has for certain."""

STATEMENTS = frozenset(["call", "deallocate", "execute", "handler", "load", "prepare", "xa"])
FORMS = re.compile(r"against\b|json_table\b|into\s+(outfile|dumpfile|@)|procedure\s+analyse\b", re.IGNORECASE)
"""What MySQL takes and SQLite does not read: statements by their first words, and forms within them."""

LIMITED = "This version of MySQL doesn't yet support 'LIMIT & IN/ALL/ANY/SOME subquery'"


class StatementError(Exception):
    """A statement is refused before it runs; the message is MySQL's, with its number."""


class UnsupportedStatementError(StatementError):
    """A statement cannot be run as a server would run it; what in it is said by *reason*."""

    def __init__(self, reason: str) -> None:
        super().__init__(format_error(1235, reason))


def refuse_unsupported(tree: exp.Expr) -> None:
    """Raise UnsupportedStatementError for a form that would fail or mean something else on SQLite."""
    for node in tree.find_all(exp.PropertyEQ, exp.In, exp.All, exp.Any, exp.Binary, exp.Neg):
        sides = [side for side in node.iter_expressions() if isinstance(side, exp.Literal)]
        if any(side.is_int and len(side.name) > DIGITS for side in sides):
            raise UnsupportedStatementError(f"counting with a number of more than 18 digits: {WAY_OUT}")
        if isinstance(node, exp.PropertyEQ) and isinstance(node.this, exp.Parameter):
            raise UnsupportedStatementError(f"a variable set inside a statement (:=): {WAY_OUT}")
        query = node.args.get("query") if isinstance(node, exp.In) else node.this
        if isinstance(node, exp.In | exp.All | exp.Any) and _is_limited(query):
            raise UnsupportedStatementError(LIMITED)


def _is_limited(query: object) -> bool:
    inner = query.unnest() if isinstance(query, exp.Subquery) else query
    return isinstance(inner, exp.Query) and inner.args.get("limit") is not None


def unsupported_form(statement: str) -> str:
    """Return what in a *statement* that SQLite does not read is MySQL's; nothing if it is wrong to MySQL too."""
    found = first_word(statement)
    if found in STATEMENTS:
        return found.upper()
    code = " ".join(token.text for token in meaningful(statement) if token.kind != "string")
    form = FORMS.search(code)
    return " ".join(form[0].upper().rstrip("@ ").split()) if form else ""
