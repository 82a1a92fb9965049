"""Whether a statement may ask what the gold asks, judged by its words: for where both show nothing.

A result without rows tells nothing of the statement behind it. So where the gold's is empty, one that is empty too is
right only if its statement is a query that reads the gold's tables and names the values that the gold names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercode.rewards.sql.syntax import syntax_tree
from intercode.rewards.sql.values import Plain, number_in

if TYPE_CHECKING:
    from sqlglot import exp


def may_ask_the_same(statement: str, gold: str) -> bool:
    """Whether *statement* reads every table that *gold* reads, and names every value that its conditions name.

    A whole number may be one off, since `> 1` is `>= 2`. Statements that cannot be read have to be equal but for white
    space and capitals.
    """
    asked, wanted = _query(statement), _query(gold)
    if asked is None or wanted is None:
        return statement.lower().split() == gold.lower().split()
    values = _values(asked)
    near = values | {value + step for value in values if isinstance(value, int) for step in (-1, 1)}
    return _tables(wanted) <= _tables(asked) and _values(wanted) <= near


def _query(statement: str) -> exp.Query | None:
    from sqlglot import exp

    found = syntax_tree(statement)
    return found if isinstance(found, exp.Query) else None


def _tables(query: exp.Query) -> set[str]:
    """The tables that are read, those that the query itself defines left out."""
    from sqlglot import exp

    own = {each.alias.lower() for each in query.find_all(exp.CTE)}
    return {each.name.lower() for each in query.find_all(exp.Table)} - own


def _values(query: exp.Query) -> set[Plain]:
    """What conditions compare with: numbers as such, texts without capitals and without the wildcards of LIKE."""
    from sqlglot import exp

    found: set[Plain] = set()
    for literal in query.find_all(exp.Literal):
        if not literal.find_ancestor(exp.Limit, exp.Offset):
            number = number_in(literal.this)
            found.add(literal.this.strip("%").lower() if number is None else number)
    return found
