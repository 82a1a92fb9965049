"""HAVING where nothing is grouped: to MySQL a second WHERE, which sees what is selected and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from intercode.worlds.sql.databases.dialect.errors import format_error
from intercode.worlds.sql.databases.sqlite.aggregates import AGGREGATES
from intercode.worlds.sql.databases.sqlite.unsupported import StatementError

AGGREGATED = frozenset(AGGREGATES) | {"avg", "count", "json_arrayagg", "json_objectagg", "max", "min", "sum"}


def filter_rows(tree: exp.Expr) -> None:
    """Have every HAVING in *tree* that stands beside neither GROUP BY nor an aggregate be part of WHERE.

    Raises:
        StatementError: If it names a column that is not selected.
    """
    for query in list(tree.find_all(exp.Select)):
        having = query.args.get("having")
        if having is None:
            continue
        if query.args.get("group") or any(map(is_aggregated, _own(query))):
            _check_names(query)
            continue
        query.set("having", None)
        query.where(_resolved(having.this, query), copy=False)


def keep_first_values(tree: exp.Expr) -> None:
    """Have what is selected beside groups be of the first row of each, not of the one with the least or the greatest.

    SQLite chooses that row by the last MIN or MAX; the first row of all is that of MAX(1). Where there is no row it is
    NULL, and the one row of aggregates stays.
    """
    for query in list(tree.find_all(exp.Select)):
        group = query.args.get("group")
        keys = {key.sql() for key in group.expressions} if group else set()
        inside = [node for part in query.expressions for node in part.walk(prune=_is_closed)]
        extremes = [node for node in inside if is_aggregated(node) and node.name.lower() in ("max", "min")]
        bare = [node for node in inside if isinstance(node, exp.Column) and node.sql() not in keys]
        if (group or any(map(is_aggregated, inside))) and extremes and bare:
            first = exp.Anonymous(this="max", expressions=[exp.Literal.number(1)])
            query.having(exp.Anonymous(this="ifnull", expressions=[first, exp.Literal.number(1)]), copy=False)


def _is_closed(node: exp.Expr) -> bool:
    """Return whether what is within *node* is of other rows than those of the query around it."""
    return is_aggregated(node) or isinstance(node, exp.Query)


def _own(query: exp.Select) -> Iterator[exp.Expr]:
    """Yield what stands in *query*'s projections and HAVING, and in no other query within."""
    for part in (*query.expressions, query.args["having"]):
        yield from part.walk(prune=lambda node: isinstance(node, exp.Query))


def is_aggregated(node: exp.Expr) -> bool:
    """Return whether *node* makes one value of many rows."""
    named = isinstance(node, exp.Anonymous) and node.name.lower() in AGGREGATED
    return (named or isinstance(node, exp.GroupConcat)) and not isinstance(node.parent, exp.Window)


def _check_names(query: exp.Select) -> None:
    """Raise StatementError if HAVING beside groups names a column that is neither selected nor grouped by."""
    group = query.args.get("group")
    known = {each.name.lower() for part in query.expressions for each in (part, part.unalias())}
    known |= {part.alias_or_name.lower() for part in query.expressions}
    known |= {key.name.lower() for key in group.expressions} if group else set()
    if "*" in known or query.find_ancestor(exp.Query) is not None:
        return
    inside = query.args["having"].walk(prune=_is_closed)
    for node in inside:
        if isinstance(node, exp.Column) and node.name.lower() not in known:
            raise StatementError(_unknown(node))


def _unknown(column: exp.Column) -> str:
    return format_error(1054, f"Unknown column '{column.sql('mysql')}' in 'having clause'")


def _resolved(condition: exp.Expr, query: exp.Select) -> exp.Expr:
    """Return *condition* with what is selected in the place of its names."""
    shown = {each.alias_or_name.lower(): each for each in query.expressions}
    whole = exp.Paren(this=condition)
    for column in list(whole.find_all(exp.Column)):
        found = shown.get(column.name.lower())
        if found is None and "*" not in shown and column.find_ancestor(exp.Query) is None:
            raise StatementError(_unknown(column))
        if isinstance(found, exp.Alias) and not column.table and not isinstance(found.this, exp.Column):
            column.replace(exp.Paren(this=found.this.copy()))
        elif isinstance(found, exp.Alias) and not column.table:
            column.replace(found.this.copy())
    return whole
