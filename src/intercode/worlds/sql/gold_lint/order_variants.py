"""Statements whose rows stand in another order than a gold's, which leaves it open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from intercode.worlds.sql.gold_lint.rewriting import (
    Change,
    Variant,
    as_number,
    changed,
    filter_rows,
    has_value,
    is_null,
    order_by,
    order_terms,
    ordered,
)
from intercode.worlds.sql.gold_lint.schema import Schema
from intercode.worlds.sql.scoring.gold_order import resolve_key

if TYPE_CHECKING:
    from sqlglot import exp


def order_variants(tree: exp.Expr, at: int, node: exp.Expr, schema: Schema) -> Iterator[Variant]:
    """Order what a LIMIT cuts both ways; read keys as numbers; put rows without a value elsewhere."""
    from sqlglot import exp

    order = node.args.get("order")
    keys = order.expressions if order else []
    others = order_terms(node, schema)
    is_whole = at == 0 and isinstance(node, exp.Query)
    if node.args.get("limit") and others:
        low, high = (
            changed(tree, at, lambda it, down=down: order_by(it, others, down=down))  # type: ignore[misc]
            for down in (False, True)
        )
        yield Variant("tie" if keys else "limit", low, high)
    if not (is_whole or node.args.get("limit")):
        return
    for number, key in enumerate(keys):
        meant = resolve_key(key.this, node) if isinstance(node, exp.Select) else key.this
        if meant is None or isinstance(meant, exp.Literal | exp.Null):
            continue
        if schema.has_numbers_as_text(meant):
            change = _key_changer(number, [as_number(meant)], others)
            yield Variant("text-number", _settled(tree, at, others), changed(tree, at, change), is_whole)
        if node.args.get("limit") and isinstance(node, exp.Select):
            shown = has_value(meant)
            yield Variant("null", _settled(tree, at, others), changed(tree, at, _filtering(shown, others)))
        elif is_whole:
            first = is_null(meant)
            other_end = exp.Paren(this=exp.Not(this=first) if key.args.get("desc") else first)
            change = _key_changer(number, [other_end, key.this.copy()], others)
            yield Variant("null", _settled(tree, at, others), changed(tree, at, change), ordered=True)


def rank_variants(tree: exp.Expr, at: int, node: exp.Window, schema: Schema) -> Iterator[Variant]:
    """Number rows by keys as numbers that are stored as text."""
    order = node.args.get("order")
    for number, key in enumerate(order.expressions if order else ()):
        if schema.has_numbers_as_text(key.this):
            change = _key_changer(number, [as_number(key.this)], [])
            yield Variant("text-number", tree, changed(tree, at, change))


def _key_changer(number: int, instead: list[exp.Expr], others: list[str]) -> Change:
    """Change one key of an order for others: all but the last of them go up, the last as the key did."""

    def change(node: exp.Expr) -> None:
        keys = node.args["order"].expressions
        down = bool(keys[number].args.get("desc"))
        fresh = [ordered(each, down=down and each is instead[-1]) for each in instead]
        node.args["order"].set("expressions", [*keys[:number], *fresh, *keys[number + 1 :]])
        order_by(node, others)

    return change


def _settled(tree: exp.Expr, at: int, others: list[str]) -> exp.Expr:
    return changed(tree, at, lambda it: order_by(it, others))


def _filtering(condition: exp.Expr, others: list[str]) -> Change:
    """Leave out what does not meet the *condition*, and put the rest in order by *others* as well."""

    def change(node: exp.Expr) -> None:
        filter_rows(node, condition)
        order_by(node, others)

    return change
