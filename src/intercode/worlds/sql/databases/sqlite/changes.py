"""Statements that are other statements to SQLite: inserts, and changes of several tables, each by its key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from intercode.worlds.sql.databases.sqlite.column_values import store_assignments, store_rows
from intercode.worlds.sql.databases.sqlite.expression_types import ExpressionTypes
from intercode.worlds.sql.databases.sqlite.table_shapes import Shapes, inserted_table, tables_of
from intercode.worlds.sql.databases.sqlite.unsupported import UnsupportedStatementError


def _insert(tree: exp.Insert, types: ExpressionTypes) -> exp.Expr:
    """Of nothing but defaults, or with ON DUPLICATE KEY UPDATE."""
    conflict = tree.args.get("conflict")
    shape = (
        types.shapes(table.name.lower())
        if isinstance(table := inserted_table(tree), exp.Table) and not table.db
        else None
    )
    if shape is not None and shape.definitions:
        store_rows(tree, shape, types)
        if conflict:
            conflict.set("where", _differs(conflict.expressions, table.name))
    values = tree.expression
    if isinstance(values, exp.Values):
        if [row.expressions for row in values.expressions] == [[]] and not tree.this.expressions:
            tree.set("this", tree.this.this)
            tree.set("expression", None)
            tree.set("default", True)
        alias = values.alias.lower()
        values.set("alias", None)
    else:
        alias = ""
        if conflict and isinstance(values, exp.Select) and not values.args.get("where"):
            values.where("1", copy=False)  # else ON could belong to a join
    for node in list(conflict.find_all(exp.Column, exp.Anonymous)) if conflict else ():
        if isinstance(node, exp.Anonymous) and node.name.lower() == "values" and len(node.expressions) == 1:
            node.replace(exp.column(node.expressions[0].copy(), table="excluded"))
        elif isinstance(node, exp.Column) and alias and node.table.lower() == alias:
            node.set("table", exp.to_identifier("excluded"))
    return tree


def _create(tree: exp.Create, types: ExpressionTypes) -> exp.Expr:
    """SQLite has no OR REPLACE, and none of the properties of views."""
    if tree.kind == "VIEW":
        tree.set("replace", None)
        tree.set("properties", None)
    return tree


def _truncate(tree: exp.TruncateTable, types: ExpressionTypes) -> exp.Expr:
    return exp.Delete(this=tree.expressions[0])


SEVERAL = "This version of MySQL doesn't yet support 'changes of several tables in one statement'"


def _update(tree: exp.Update, types: ExpressionTypes) -> exp.Expr:
    """Of one table, perhaps by another name; of several, changes of one by its key."""
    named = tables_of(tree.this)
    targets = [pair.this for pair in tree.expressions if isinstance(pair, exp.EQ)]
    owners = {_owner(target, named, types.shapes) for target in targets}
    if len(owners) > 1 and "" not in owners:
        raise UnsupportedStatementError(SEVERAL)
    alias = next(iter(owners), "") if len(owners) == 1 else ""
    changed = types.shapes(named[alias]) if alias in named else None
    if changed is not None and changed.definitions:
        store_assignments(tree.expressions, changed, types, lenient=bool(tree.args.get("ignore")))
        if len(named) == 1 and not tree.args.get("limit"):
            tree.where(_differs(tree.expressions, alias), copy=False)
    if len(named) == 1:
        if alias in named:
            for target in targets:
                target.set("table", None)
        return tree
    shape = types.shapes(named[alias]) if alias in named else None
    if shape is None:
        return tree
    values = [exp.alias_(pair.expression, f"v{at}") for at, pair in enumerate(tree.expressions)]
    keys = [exp.alias_(exp.column(key, table=alias, quoted=True), f"k{at}") for at, key in enumerate(shape.key)]
    same = [exp.column(key, table=named[alias], quoted=True).eq(exp.column(f"k{at}", table="changed"))
            for at, key in enumerate(shape.key)]  # fmt: skip
    return exp.Update(
        this=exp.Table(this=exp.to_identifier(named[alias], quoted=True)),
        expressions=[exp.EQ(this=exp.column(target.name, quoted=True), expression=exp.column(f"v{at}", table="changed"))
                     for at, target in enumerate(targets)],
        from_=exp.From(this=_selection(tree, tree.this, [*keys, *values]).subquery("changed")),
        where=exp.Where(this=exp.and_(*same)),
        ignore=tree.args.get("ignore"),
    )  # fmt: skip


def _differs(pairs: list[Any], table: str) -> exp.Expr:
    """Return what holds for rows that assignments change: the others are not counted."""
    return exp.or_(
        *(
            exp.Not(
                this=exp.NullSafeEQ(
                    this=exp.Collate(
                        this=exp.column(pair.this.name, table=table, quoted=True), expression=exp.var("BINARY")
                    ),
                    expression=pair.expression.copy(),
                )
            )
            for pair in pairs
        )
    )


def _delete(tree: exp.Delete, types: ExpressionTypes) -> exp.Expr:
    """From one table, or from one of several by its key."""
    targets, sources = tree.args.get("tables") or [], tree.this
    if using := tree.args.get("using"):
        targets, sources = [tree.this], using[0]
    if not targets:
        return tree
    if len(targets) > 1:
        raise UnsupportedStatementError(SEVERAL)
    alias, named = targets[0].name.lower(), tables_of(sources)
    shape = types.shapes(named[alias]) if named.get(alias) else None
    if shape is None:
        raise ValueError("not understood")
    keys = [exp.column(key, quoted=True) for key in shape.key]
    selected = [exp.column(key, table=alias, quoted=True) for key in shape.key]
    return exp.Delete(
        this=exp.Table(this=exp.to_identifier(named[alias], quoted=True)),
        where=exp.Where(
            this=exp.In(this=exp.Tuple(expressions=keys), query=_selection(tree, sources, selected).subquery())
        ),
    )


def _selection(tree: exp.Expr, sources: exp.Expr, selected: list[Any]) -> exp.Select:
    """Return what a change of several tables looks at."""
    made = exp.select(*selected).from_(sources)
    for part in ("where", "order", "limit"):
        made.set(part, tree.args.get(part))
    return made


def _owner(target: exp.Expr, named: dict[str, str], shapes: Shapes) -> str:
    """Return what the table is called that has this column; "" where that is not clear."""
    if isinstance(target, exp.Column) and target.table:
        return target.table.lower()
    if len(named) == 1:
        return next(iter(named))
    found = [alias for alias, table in named.items() if (shape := table and shapes(table))
             and target.name.lower() in shape.columns]  # fmt: skip
    return found[0] if len(found) == 1 else ""


CHANGES: dict[type[exp.Expr], Callable[[Any, ExpressionTypes], exp.Expr]] = {
    exp.Insert: _insert, exp.Create: _create, exp.TruncateTable: _truncate, exp.Update: _update, exp.Delete: _delete,
}  # fmt: skip
