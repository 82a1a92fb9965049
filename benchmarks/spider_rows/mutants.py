"""Near misses of a gold query: the same query with one small change, made on its syntax tree.

Kinds: `operator`, `constant`, `condition`, `aggregate`, `distinct`, `set`, `order`, `limit`, `join`, `column`. What
cannot show other rows on any data is not made, as far as the rules here know:

- DISTINCT is left out and never put in, since most requests do not say whether equal rows count once;
- no column is replaced in COUNT, GROUP BY or the condition of a join;
- a join stays as it is where it does not matter how often a row comes, as after IN;
- a join keeps rows without a partner only where that shows them: no condition or LIMIT hides them, nothing is grouped;
- a count is never compared with less than 1, a LIMIT is only raised, and not where a single value is wanted;
- UNION ALL does not stand inside INTERSECT or EXCEPT.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from sqlglot import exp

from intercode.worlds.sql.scoring.syntax import syntax_tree

Columns = Mapping[str, Mapping[str, str]]
"""Of each table, by its name in small letters: its columns, in small letters, and their kind, `number` or `text`."""

KINDS = (
    "operator", "constant", "condition", "aggregate", "distinct", "set", "order", "limit", "join", "column",
)  # fmt: skip

COLUMNS_TRIED = 2
"""Other columns that are put in the place of one, drawn by seed."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A near miss: its text, and what kind of change makes it one."""

    kind: str
    text: str


Change = Callable[[exp.Expr], object]
"""Changes a node, of a copy of the gold, in its place; what it gives back stands there now, if that is a node."""

_OPERATORS: Mapping[type[exp.Expr], Sequence[type[exp.Expr]]] = {
    exp.EQ: (exp.NEQ,),
    exp.NEQ: (exp.EQ,),
    exp.GT: (exp.GTE, exp.LT),
    exp.GTE: (exp.GT, exp.LT),
    exp.LT: (exp.LTE, exp.GT),
    exp.LTE: (exp.LT, exp.GT),
    exp.And: (exp.Or,),
    exp.Or: (exp.And,),
}
_AGGREGATES: Mapping[type[exp.Expr], Sequence[type[exp.Expr]]] = {
    exp.Min: (exp.Max,),
    exp.Max: (exp.Min,),
    exp.Sum: (exp.Avg,),
    exp.Avg: (exp.Sum, exp.Max),
}
_SETS: Mapping[type[exp.Expr], type[exp.Expr]] = {
    exp.Union: exp.Intersect,
    exp.Intersect: exp.Union,
    exp.Except: exp.Intersect,
}


References = Collection[tuple[str, str]]
"""Columns that name a row of another table, which is always there: each with its table, in small letters."""


def mutants(gold: str, columns: Columns, references: References = (), seed: int = 0) -> list[Mutant]:
    """Return all near misses of *gold*, none equal to it or to another; none where it cannot be read as a query."""
    tree = syntax_tree(gold)
    if not isinstance(tree, exp.Query):
        return []
    dice = random.Random(f"{seed} {gold}")
    seen = {tree.sql("mysql")}
    found = []
    for number, node in enumerate(tree.walk()):
        for kind, change in _changes(node, columns, references, dice):
            copy = tree.copy()
            changed = change(_nth(copy, number))
            # the root has no place to be replaced in
            whole = changed if number == 0 and isinstance(changed, exp.Expr) else copy
            text = whole.sql("mysql")
            if text not in seen:
                seen.add(text)
                found.append(Mutant(kind, text))
    return found


def _nth(tree: exp.Expr, number: int) -> exp.Expr:
    return next(node for place, node in enumerate(tree.walk()) if place == number)


def _changes(
    node: exp.Expr, columns: Columns, references: References, dice: random.Random
) -> Iterator[tuple[str, Change]]:
    for kind, makers in _MAKERS.items():
        for maker in makers:
            for change in maker(node):
                yield kind, change
    for change in _other_joins(node, columns, references):
        yield "join", change
    for change in _other_columns(node, columns, dice):
        yield "column", change


def _other_operators(node: exp.Expr) -> Iterator[Change]:
    if isinstance(node, exp.Binary) and not _is_of_join(node):
        for other in _OPERATORS.get(type(node), ()):
            yield lambda it, other=other: it.replace(other(this=it.this, expression=it.expression))  # type: ignore[misc]
    if isinstance(node, exp.In) and node.args.get("query"):
        if isinstance(node.parent, exp.Not):
            yield lambda it: cast(exp.Not, it.parent).replace(it.copy())
        else:
            yield lambda it: it.replace(exp.Not(this=it.copy()))
    if isinstance(node, exp.Between):
        low, high = node.args["low"], node.args["high"]
        yield lambda it: it.replace(
            exp.and_(exp.GT(this=it.this, expression=low), exp.LTE(this=it.this, expression=high))
        )
        yield lambda it: it.replace(
            exp.and_(exp.GTE(this=it.this, expression=low), exp.LT(this=it.this, expression=high))
        )
    if isinstance(node, exp.Like) and node.expression.name.startswith("%") and node.expression.name.endswith("%"):
        for text in (node.expression.name[1:], node.expression.name[:-1]):
            yield lambda it, text=text: it.set("expression", exp.Literal.string(text))  # type: ignore[misc]


def _other_constants(node: exp.Expr) -> Iterator[Change]:
    """Whole numbers one up and one down, wherever something is compared with them."""
    parent = node.parent
    if not isinstance(node, exp.Literal) or not isinstance(parent, exp.Predicate):
        return
    if node.is_string or not node.this.isdecimal():
        return
    is_count = isinstance(parent.this, exp.Count)
    for step in (1, -1):
        other = int(node.this) + step
        if not is_count or other >= 1 + isinstance(parent, exp.GTE):
            yield lambda it, other=other: it.set("this", str(other))  # type: ignore[misc]


def _fewer_conditions(node: exp.Expr) -> Iterator[Change]:
    if isinstance(node, exp.And | exp.Or) and not _is_of_join(node):
        yield lambda it: it.replace(it.this.copy())
        yield lambda it: it.replace(it.expression.copy())
    if isinstance(node, exp.Where | exp.Having) and not _is_a_count_of_any(node.this):
        yield lambda it: it.pop()


def _is_a_count_of_any(node: exp.Expr) -> bool:
    """Return whether *node* is `count(*) >= 1`, which holds for every group."""
    return isinstance(node, exp.GTE) and isinstance(node.this, exp.Count) and node.expression.name == "1"


def _other_aggregates(node: exp.Expr) -> Iterator[Change]:
    for other in _AGGREGATES.get(type(node), ()):
        yield lambda it, other=other: it.replace(other(this=it.this))  # type: ignore[misc]


def _without_distinct(node: exp.Expr) -> Iterator[Change]:
    if isinstance(node, exp.Select) and node.args.get("distinct") and not _is_inside_set(node):
        yield lambda it: it.set("distinct", None)
    if isinstance(node, exp.Count) and isinstance(node.this, exp.Distinct):
        yield lambda it: it.set("this", it.this.expressions[0])
    if isinstance(node, exp.Union) and not _is_a_set_of_values(node):
        yield lambda it: it.set("distinct", False)


def _other_sets(node: exp.Expr) -> Iterator[Change]:
    if isinstance(node, exp.SetOperation):
        other = _SETS[type(node)]
        yield lambda it: it.replace(other(this=it.this, expression=it.expression, distinct=True))
        yield lambda it: it.replace(it.this.copy())


def _other_orders(node: exp.Expr) -> Iterator[Change]:
    if isinstance(node, exp.Ordered):
        yield _turn_round
    if isinstance(node, exp.Order) and isinstance(node.parent, exp.Query):
        yield lambda it: it.pop()


def _turn_round(order: exp.Expr) -> None:
    """The other direction; MySQL has NULL first where values rise, and last where they fall."""
    rises = bool(order.args.get("desc"))
    order.set("nulls_first", rises)
    order.set("desc", not rises)


def _other_limits(node: exp.Expr) -> Iterator[Change]:
    if isinstance(node, exp.Limit) and not isinstance(cast(exp.Query, node.parent).parent, exp.Subquery):
        yield lambda it: it.pop()
        yield lambda it: it.set("expression", exp.Literal.number(int(it.expression.this) + 1))


def _other_joins(node: exp.Expr, columns: Columns, references: References) -> Iterator[Change]:
    query = node.parent
    if not isinstance(node, exp.Join) or not node.args.get("on") or _is_a_set_of_values(query):
        return
    yield lambda it: it.set("on", None)
    if isinstance(query, exp.Select) and len(query.args["joins"]) == 1 and not _hides_the_lonely(query):
        safe = _tables_with_partners(node.args["on"], query, columns, references)
        kept = {"LEFT": query.args["from_"].this.name.lower(), "RIGHT": node.this.name.lower()}
        for side in (side for side, table in kept.items() if table not in safe):
            yield lambda it, side=side: it.set("side", side)  # type: ignore[misc]


def _tables_with_partners(on: exp.Expr, query: exp.Select, columns: Columns, references: References) -> set[str]:
    """The tables whose rows all have a partner in a join *on* that condition, since a column of theirs refers to it."""
    if not isinstance(on, exp.EQ):
        return set()
    sides = [(_table_of(each, query, columns), each.name.lower()) for each in on.find_all(exp.Column)]
    return {table for table, column in sides if (table, column) in references}


def _is_a_set_of_values(query: exp.Expr | None) -> bool:
    """Return whether it does not matter how often a row of *query* comes."""
    return query is None or _is_inside_set(query) or query.find_ancestor(exp.In) is not None


def _hides_the_lonely(query: exp.Select) -> bool:
    """Return whether rows without a partner in its join do not show, or may.

    A group of none may be left out or have 0.
    """
    hides = any(query.args.get(part) for part in ("where", "having", "limit", "group")) or _is_inside_set(query)
    return hides or query.find(exp.AggFunc) is not None


def _other_columns(node: exp.Expr, columns: Columns, dice: random.Random) -> Iterator[Change]:
    """Other columns of the same table and kind, drawn by *dice*."""
    query = node.find_ancestor(exp.Select)
    if not isinstance(node, exp.Column) or query is None or isinstance(node.this, exp.Star):
        return
    if _is_of_join(node) or node.find_ancestor(exp.Group, exp.Count) or isinstance(node.parent, exp.In):
        return
    table = _table_of(node, query, columns)
    kinds = columns.get(table, {})
    others = [
        name for name, kind in kinds.items() if kind == kinds.get(node.name.lower()) and name != node.name.lower()
    ]
    for other in sorted(dice.sample(others, min(COLUMNS_TRIED, len(others)))):
        yield lambda it, other=other: it.set("this", exp.to_identifier(other, quoted=True))  # type: ignore[misc]


def _table_of(column: exp.Column, query: exp.Select, columns: Columns) -> str:
    """Return the table that *column* is of, in small letters; "" where that is not clear."""
    tables = [each for each in query.find_all(exp.Table) if each.find_ancestor(exp.Select) is query]
    for each in tables:
        is_named = each.alias_or_name.lower() == column.table.lower()
        if is_named or (not column.table and column.name.lower() in columns.get(each.name.lower(), {})):
            return each.name.lower()
    return ""


def _is_of_join(node: exp.Expr) -> bool:
    return node.find_ancestor(exp.Join, exp.Select) is not None and isinstance(
        node.find_ancestor(exp.Join, exp.Select), exp.Join
    )


def _is_inside_set(query: exp.Expr) -> bool:
    return isinstance(query.parent, exp.SetOperation)


_MAKERS: Mapping[str, Sequence[Callable[[exp.Expr], Iterator[Change]]]] = {
    "operator": (_other_operators,),
    "constant": (_other_constants,),
    "condition": (_fewer_conditions,),
    "aggregate": (_other_aggregates,),
    "distinct": (_without_distinct,),
    "set": (_other_sets,),
    "order": (_other_orders,),
    "limit": (_other_limits,),
}
