"""SQL read as a tree. Statements are MySQL's on every database; what cannot be read is no fault, only less is known."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from intercode.databases.dialect.syntax_tree import syntax_trees

if TYPE_CHECKING:  # slow to import: done where a statement is really read
    from sqlglot import exp

_LONGEST = 20_000
"""Characters that are read of a statement: ten times the longest gold there is. A longer one is nobody's answer."""


def syntax_tree(statement: str) -> exp.Expr | None:
    """*statement* as sqlglot reads it, not to be altered; None where it is none, or more than one."""
    return None if len(statement) > _LONGEST else _read(statement)


@lru_cache(maxsize=256)
def _read(statement: str) -> exp.Expr | None:
    try:
        found = syntax_trees(statement)
    except ValueError:
        return None
    return found[0] if len(found) == 1 else None
