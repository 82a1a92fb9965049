"""Answers in steps: a key or a bound was asked for first, and stands in the statement as it was shown.

Such a statement is right on the database that it was written on and on no other. It is told by its words from one that
holds the answer itself: all that it names stands in a condition beside a column.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from intercode.worlds.sql.scoring.syntax import syntax_tree, tables

if TYPE_CHECKING:
    from sqlglot import exp

Named = tuple[str, str]
"""A column and what it is compared with, as text in small letters."""


def looks_up(statement: str, gold: str) -> bool:
    """Return whether *statement* may ask what *gold* asks by values that were looked up.

    It has to ask plainly, to show the columns that the gold shows, and to name what the gold does not. Where it shows
    nothing but counts and the like, any bound gives some number: then it has to name all that the gold names, or
    nothing but what stands beside a column that the gold compares with something other than a column.
    """
    from sqlglot import exp

    mine, expected = syntax_tree(statement), syntax_tree(gold)
    if not isinstance(mine, exp.Select) or not isinstance(expected, exp.Query):
        return False
    if not _reads_tables_only(mine) or not asks_plainly(statement):
        return False
    shown, named, wanted = _shown(mine), set(_named(mine) or ()), set(_named(expected) or ())
    if Counter(shown) != Counter(_shown(expected)) or not named - wanted:
        return False
    if not all(aggregate for aggregate, _ in shown):
        return True
    return {column for column, _ in named} <= set(_bounded(expected)) or (bool(wanted) and wanted <= named)


def asks_plainly(statement: str) -> bool:
    """Return whether *statement* shows what is in tables, or counts and the like of that, and nothing that it holds.

    It is a SELECT, and so is all within it; its literals stand beside columns, not beside all that it shows, and what
    is within it is not cut off.
    """
    from sqlglot import exp

    query = syntax_tree(statement)
    if not isinstance(query, exp.Select) or any(limit.parent is not query for limit in query.find_all(exp.Limit)):
        return False
    named = _named(query)
    if named is None or not all(_shown(each) for each in query.find_all(exp.Select)):
        return False
    columns = {column for _, column in _shown(query) if column}
    return not columns or not columns <= {column for column, _ in named}


def asks_plainly_of_the_same(statement: str, gold: str) -> bool:
    """Return whether *statement* asks plainly, of tables that *gold* reads and of no others."""
    mine, expected = syntax_tree(statement), syntax_tree(gold)
    if mine is None or expected is None or not asks_plainly(statement):
        return False
    return bool(tables(mine)) and tables(mine) <= tables(expected)


def _shown(query: exp.Query) -> list[tuple[str, str]]:
    """Return the columns that *query* shows, each with the aggregate that it stands in.

    None where one is something else.
    """
    from sqlglot import exp

    found = []
    for each in query.selects:
        part = each.unalias()
        if isinstance(part, exp.Count):
            found.append(("count", ""))
        elif isinstance(part, exp.AggFunc) and isinstance(part.this, exp.Column):
            found.append((part.key, part.this.name.lower()))
        elif isinstance(part, exp.Column) and not isinstance(part.this, exp.Star):
            found.append(("", part.name.lower()))
        else:
            return []
    return found


def _reads_tables_only(query: exp.Select) -> bool:
    """Return whether there is nothing in a FROM or JOIN whose columns the statement itself has named."""
    from sqlglot import exp

    sources = [*query.find_all(exp.From), *query.find_all(exp.Join)]
    return not query.find(exp.With) and all(isinstance(each.this, exp.Table) for each in sources)


def _named(query: exp.Query) -> list[Named] | None:
    """Return what the literals of *query* are compared with.

    None where one stands elsewhere than in a plain comparison.
    """
    from sqlglot import exp

    if query.find(exp.HexString, exp.BitString, exp.Parameter, exp.SessionParameter):
        return None
    found = []
    for literal in query.find_all(exp.Literal):
        if literal.find_ancestor(exp.Limit, exp.Offset):
            continue
        within = literal.parent.parent if isinstance(literal.parent, exp.Neg) else literal.parent
        if not isinstance(within, exp.Predicate):
            return None
        column = next(_columns_of(within), None)
        if column is None:
            return None
        found.append((column, literal.this.lower()))
    return found


def _columns_of(comparison: exp.Predicate) -> Iterator[str]:
    from sqlglot import exp

    return (each.name.lower() for each in comparison.iter_expressions() if isinstance(each, exp.Column))


def _bounded(query: exp.Query) -> Iterable[str]:
    """Return the columns of *query* that stand in a comparison beside something other than a column."""
    from sqlglot import exp

    for comparison in query.find_all(exp.Predicate):
        if any(not isinstance(each, exp.Column) for each in comparison.iter_expressions()):
            yield from _columns_of(comparison)
