"""Whether a statement may ask what the gold asks, judged by its words: for where the result proves nothing.

No rows, or a single one of nothing but 0 and NULL, is what any wrong statement shows, too. So where the gold shows
that, an answer that shows the same is right only if its statement is a query that reads the gold's tables, names the
values that the gold names, and names the columns that the gold shows or compares with such values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from intercode.types.databases import Row
from intercode.worlds.sql.scoring.syntax import syntax_tree, tables
from intercode.worlds.sql.scoring.values import Plain, number_in, plain

if TYPE_CHECKING:
    from sqlglot import exp


def is_void(rows: Sequence[Row]) -> bool:
    """Return whether a gold that shows *rows* is void: there are none, or one that holds only 0 and NULL."""
    return not rows or (len(rows) == 1 and all(plain(value) in (0, None) for value in rows[0]))


def may_ask_the_same(statement: str, gold: str, shown: Iterable[str] = ()) -> bool:
    """Return whether *statement* reads every table that *gold* reads, and names what it names; *shown* are its columns.

    A whole number may be one off, since `> 1` is `>= 2`. A `*` names all columns. Statements that cannot be read have
    to be equal but for white space and capitals.
    """
    mine, expected = _query(statement), _query(gold)
    if mine is None or expected is None:
        return statement.lower().split() == gold.lower().split()
    values = _values(mine)
    near = values | {value + step for value in values if isinstance(value, int) for step in (-1, 1)}
    return tables(expected) <= tables(mine) and _values(expected) <= near and _names_columns(mine, expected, shown)


def _query(statement: str) -> exp.Query | None:
    from sqlglot import exp

    found = syntax_tree(statement)
    return found if isinstance(found, exp.Query) else None


def _values(query: exp.Query) -> set[Plain]:
    """Return what conditions compare with.

    Numbers as such, texts without capitals and without the wildcards of LIKE.
    """
    from sqlglot import exp

    found: set[Plain] = set()
    for literal in query.find_all(exp.Literal):
        if not literal.find_ancestor(exp.Limit, exp.Offset):
            number = number_in(literal.this)
            found.add(literal.this.strip("%").lower() if number is None else number)
    return found


def _names_columns(mine: exp.Query, expected: exp.Query, shown: Iterable[str]) -> bool:
    """Whether *mine* names the columns that *expected* shows (as *shown* where it says `*`) and those it compares."""
    named = _columns([mine])
    show = {name.lower() for name in shown} if expected.is_star else _columns(expected.selects)
    return _compared_columns(expected) <= named and (mine.is_star or show <= named)


def _columns(parts: Iterable[exp.Expr]) -> set[str]:
    from sqlglot import exp

    return {column.name.lower() for part in parts for column in part.find_all(exp.Column)} - {"*"}


def _compared_columns(query: exp.Query) -> set[str]:
    """Return the columns that stand beside a literal in a condition, functions of them among them."""
    from sqlglot import exp

    found = query.find_all(exp.Literal)
    conditions = (literal.parent for literal in found if isinstance(literal.parent, exp.Predicate))
    beside = (each for condition in conditions for each in condition.iter_expressions())
    return _columns(each for each in beside if not each.find(exp.Query))
