"""Statements that show another of several rows than a gold, which does not say which."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from intercode.worlds.sql.gold_lint.rewriting import Change, Variant, changed, order_by, ordered, shown_columns
from intercode.worlds.sql.gold_lint.schema import Schema
from intercode.worlds.sql.scoring.gold_order import resolve_key

if TYPE_CHECKING:
    from sqlglot import exp


def group_variants(tree: exp.Expr, at: int, node: exp.Select, schema: Schema) -> Iterator[Variant]:
    """Yield what is shown of a group, and is no key of it, as the least and as the greatest value that there is."""
    from sqlglot import exp

    if node.is_star and (shown := shown_columns(node, schema)):
        tree = changed(tree, at, lambda it: it.set("expressions", shown))
        node = cast("exp.Select", next(each for number, each in enumerate(tree.walk()) if number == at))
    group = node.args.get("group")
    is_whole = any(_belongs(each, node) for part in node.expressions for each in part.find_all(exp.AggFunc))
    if not (group or is_whole):
        return
    keys = [resolve_key(key, node) for key in group.expressions] if group else []
    names = {each.alias.lower() for each in node.selects if each.alias}

    def change(least: bool) -> Change:
        def change_all(select: exp.Expr) -> None:
            assert isinstance(select, exp.Select)
            kind = exp.Min if least else exp.Max
            for part in list(_parts(select)):
                for column in list(part.find_all(exp.Column, exp.AnyValue)):
                    if _is_bare(column, select, keys, names):
                        column.replace(kind(this=(column.this if isinstance(column, exp.AnyValue) else column).copy()))

        return change_all

    parts = (each for part in _parts(node) for each in part.find_all(exp.Column, exp.AnyValue))
    if any(_is_bare(each, node, keys, names) for each in parts):
        yield Variant("group", changed(tree, at, change(True)), changed(tree, at, change(False)))


def _parts(select: exp.Select) -> Iterator[exp.Expr]:
    """Yield what is worked out for each group."""
    yield from select.expressions
    if having := select.args.get("having"):
        yield having
    if order := select.args.get("order"):
        yield order


def _belongs(node: exp.Expr, select: exp.Expr) -> bool:
    """Tell whether *node* is a part of *select* itself, of no other within it, and of no window."""
    from sqlglot import exp

    return node.find_ancestor(exp.Select, exp.Window) is select


def _is_bare(node: exp.Expr, select: exp.Select, keys: list[exp.Expr | None], names: set[str]) -> bool:
    """Tell whether *node* is a column that is shown of a group, and is no key of it."""
    from sqlglot import exp

    if not _belongs(node, select) or isinstance(node.this, exp.Star):
        return False
    if isinstance(node, exp.AnyValue):
        return True
    around = node.find_ancestor(exp.AggFunc)
    if around is not None and _belongs(around, select):
        return False
    in_list = any(node in part.walk() for part in select.expressions)
    if not in_list and not node.text("table") and node.name.lower() in names:
        return False
    return not any(key is not None and _same(node, key, select) for key in keys)


def _same(node: exp.Expr, key: exp.Expr, select: exp.Select) -> bool:
    """Tell whether *key* is the column *node*, or an expression that holds it."""
    from sqlglot import exp

    for column in key.find_all(exp.Column):
        both = {node.text("table").lower(), column.table.lower()}
        if node.name.lower() == column.name.lower() and (len(both) == 1 or "" in both):
            return key is column or any(key == around for around in _ancestors(node, select))
    return False


def _ancestors(node: exp.Expr, end: exp.Expr) -> Iterator[exp.Expr]:
    around = node.parent
    while around is not None and around is not end:
        yield around
        around = around.parent


def concat_variants(tree: exp.Expr, at: int, node: exp.GroupConcat) -> Iterator[Variant]:
    """Join the values of a group upwards and downwards."""
    from sqlglot import exp

    inside = node.this
    if isinstance(inside, exp.Order) or inside.find(exp.Order):
        return
    of = inside.expressions[0] if isinstance(inside, exp.Distinct) else inside

    def change(down: bool) -> Change:
        terms = [ordered(of.copy(), down=down)]
        return lambda it: it.set("this", exp.Order(this=inside.copy(), expressions=terms))

    yield Variant("concat", changed(tree, at, change(False)), changed(tree, at, change(True)))


def window_variants(tree: exp.Expr, at: int, node: exp.Window, schema: Schema) -> Iterator[Variant]:
    """Number rows that are held for equal upwards and downwards."""
    from sqlglot import exp

    kinds = (exp.RowNumber, exp.FirstValue, exp.LastValue, exp.NthValue, exp.Lag, exp.Lead, exp.Ntile)
    select = node.find_ancestor(exp.Select)
    if not isinstance(node.this, kinds) or select is None:
        return
    terms = schema.star(select)
    if terms is None:
        terms = list({each.sql("mysql"): None for each in select.find_all(exp.Column)})
    low, high = (
        changed(tree, at, lambda it, down=down: order_by(it, terms, down=down))  # type: ignore[misc]
        for down in (False, True)
    )
    yield Variant("window", low, high)
