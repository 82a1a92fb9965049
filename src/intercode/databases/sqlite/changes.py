"""Statements that are other statements to SQLite: inserts, and changes of several tables, each by its key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from intercode.databases.sqlite.table_shapes import Shapes, tables_of


class UnsupportedChangeError(Exception):
    """A statement changes several tables at once."""


def _insert(tree: exp.Insert, shapes: Shapes) -> exp.Expr:
    """Of nothing but defaults, or with ON DUPLICATE KEY UPDATE."""
    values, conflict = tree.expression, tree.args.get("conflict")
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


def _create(tree: exp.Create, shapes: Shapes) -> exp.Expr:
    """SQLite has no OR REPLACE, and none of the properties of views."""
    if tree.kind == "VIEW":
        tree.set("replace", None)
        tree.set("properties", None)
    return tree


def _truncate(tree: exp.TruncateTable, shapes: Shapes) -> exp.Expr:
    return exp.Delete(this=tree.expressions[0])


SEVERAL = "This version of MySQL doesn't yet support 'changes of several tables in one statement'"


def _update(tree: exp.Update, shapes: Shapes) -> exp.Expr:
    """Of one table, perhaps by another name; of several, changes of one by its key."""
    named = tables_of(tree.this)
    targets = [pair.this for pair in tree.expressions if isinstance(pair, exp.EQ)]
    owners = {_owner(target, named, shapes) for target in targets}
    if len(owners) > 1 and "" not in owners:
        raise UnsupportedChangeError(SEVERAL)
    alias = next(iter(owners), "") if len(owners) == 1 else ""
    if len(named) == 1:
        if alias in named:
            for target in targets:
                target.set("table", None)
        return tree
    shape = shapes(named[alias]) if alias in named else None
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
    )  # fmt: skip


def _delete(tree: exp.Delete, shapes: Shapes) -> exp.Expr:
    """From one table, or from one of several by its key."""
    targets, sources = tree.args.get("tables") or [], tree.this
    if using := tree.args.get("using"):
        targets, sources = [tree.this], using[0]
    if not targets:
        return tree
    if len(targets) > 1:
        raise UnsupportedChangeError(SEVERAL)
    alias, named = targets[0].name.lower(), tables_of(sources)
    shape = shapes(named[alias]) if named.get(alias) else None
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
    """What a change of several tables looks at."""
    made = exp.select(*selected).from_(sources)
    for part in ("where", "order", "limit"):
        made.set(part, tree.args.get(part))
    return made


def _owner(target: exp.Expr, named: dict[str, str], shapes: Shapes) -> str:
    """What the table is called that has this column; "" where that is not clear."""
    if isinstance(target, exp.Column) and target.table:
        return target.table.lower()
    if len(named) == 1:
        return next(iter(named))
    found = [alias for alias, table in named.items() if (shape := table and shapes(table))
             and target.name.lower() in shape.columns]  # fmt: skip
    return found[0] if len(found) == 1 else ""


CHANGES: dict[type[exp.Expr], Callable[[Any, Shapes], exp.Expr]] = {
    exp.Insert: _insert, exp.Create: _create, exp.TruncateTable: _truncate, exp.Update: _update, exp.Delete: _delete,
}  # fmt: skip
