"""Statements rewritten part by part: what their rows are ordered by, and which of them count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from intercode.worlds.sql.gold_lint.schema import Schema

if TYPE_CHECKING:
    from sqlglot import exp

Change = Callable[["exp.Expr"], object]
"""A change of one part of a statement, in place."""


@dataclass(frozen=True, slots=True)
class Variant:
    """Two statements for the gold's own, what it says about the gold if they differ, and whether in their order too."""

    rule: str
    low: exp.Expr
    high: exp.Expr
    ordered: bool = False


def changed(tree: exp.Expr, at: int, change: Change) -> exp.Expr:
    """Return a copy of *tree* with the *change* of the part that comes *at* that place when all are gone through."""
    copy = tree.copy()
    change(next(node for number, node in enumerate(copy.walk()) if number == at))
    return copy


def shown_columns(query: exp.Query, schema: Schema) -> list[exp.Expr]:
    """Return the columns that *query* shows, those of a `*` one by one; none where they are not known."""
    from sqlglot import exp

    found: list[exp.Expr] = []
    for each in query.selects:
        if each.is_star:
            names = schema.star(query, each.text("table")) if isinstance(query, exp.Select) else None
            if names is None:
                return []
            found += map(expression, names)
        else:
            found.append(each.copy())
    return found


def order_terms(node: exp.Expr, schema: Schema) -> list[str]:
    """Return what a query's rows can be ordered by beside its keys: its columns by number.

    A table's, where rows change.
    """
    from sqlglot import exp

    if isinstance(node, exp.Update | exp.Delete):
        return schema.star(node) or []
    shown = shown_columns(cast("exp.Query", node), schema)
    return [str(number + 1) for number in range(len(shown))]


def order_by(node: exp.Expr, terms: list[str], *, down: bool = False) -> None:
    """Add *terms* to the order of *node*."""
    from sqlglot import exp

    order = node.args.get("order") or exp.Order(expressions=[])
    for term in terms:
        order.append("expressions", ordered(expression(term), down=down))
    node.set("order", order)


def ordered(node: exp.Expr, *, down: bool) -> exp.Expr:
    """Return a term of an order, with NULL where MySQL has it."""
    from sqlglot import exp

    return exp.Ordered(this=node, desc=down, nulls_first=not down)


def expression(text: str) -> exp.Expr:
    """Read *text*: a column's number, or an expression."""
    from sqlglot import exp, parse_one

    return exp.Literal.number(text) if text.isdecimal() else parse_one(text, dialect="mysql")


def filter_rows(node: exp.Expr, condition: exp.Expr) -> None:
    """Have the query *node* show only what meets *condition*."""
    from sqlglot import exp

    query = cast("exp.Select", node)
    is_grouped = query.args.get("group") or query.args.get("having") or condition.find(exp.AggFunc)
    (query.having if is_grouped else query.where)(condition, copy=False)


def is_null(node: exp.Expr) -> exp.Expr:
    """Make the question whether *node* is NULL."""
    from sqlglot import exp

    return exp.Is(this=node.copy(), expression=exp.Null())


def has_value(node: exp.Expr) -> exp.Expr:
    """Make the question whether *node* is not NULL."""
    from sqlglot import exp

    return exp.Not(this=is_null(node))


def as_number(node: exp.Expr) -> exp.Expr:
    """Make a number of what *node* holds."""
    from sqlglot import exp

    return exp.Paren(this=exp.Add(this=node.copy(), expression=exp.Literal.number(0)))
