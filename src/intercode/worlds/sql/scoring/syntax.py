"""SQL read as a tree. Statements are MySQL's on every database; what cannot be read is no fault, only less is known."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from intercode.worlds.sql.databases.dialect.tokenizer import cache_statements, meaningful

if TYPE_CHECKING:  # slow to import: done where a statement is really read
    from sqlglot import exp

_LONGEST = 20_000
"""Characters that are read of a statement: ten times the longest gold there is. A longer one is nobody's answer."""


def syntax_tree(statement: str) -> exp.Expr | None:
    """Return *statement* as sqlglot reads it, not to be altered; None where it is none, or more than one."""
    return None if len(statement) > _LONGEST else _read(statement)


@lru_cache(maxsize=256)
def _read(statement: str) -> exp.Expr | None:
    from intercode.worlds.sql.databases.dialect.syntax_tree import syntax_trees

    try:
        found = syntax_trees(statement)
    except ValueError:
        return None
    return found[0] if len(found) == 1 else None


_SYSTEM = frozenset({"information_schema", "performance_schema", "mysql", "sys"})
"""Databases that hold nobody's data."""


def tables(statement: exp.Expr) -> set[str]:
    """Return the tables that *statement* reads, in small letters.

    Not what it defines itself, functions, or the system's.
    """
    from sqlglot import exp

    own = {each.alias.lower() for each in statement.find_all(exp.CTE)} | {"", "dual"}
    return {each.name.lower() for each in statement.find_all(exp.Table) if each.db.lower() not in _SYSTEM} - own


@cache_statements
def reads_no_table(statement: str) -> bool:
    """Return whether *statement* reads no table: all that it shows stands in it.

    So counts what is too long to be read, and what cannot be read and lacks the word FROM.
    """
    found = syntax_tree(statement)
    if found is None:
        return len(statement) > _LONGEST or "from" not in {token.lower for token in meaningful(statement)}
    return not tables(found)
