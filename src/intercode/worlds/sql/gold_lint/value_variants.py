"""Statements that read values as they are meant, where a gold reads them as they are stored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from intercode.worlds.sql.gold_lint.rewriting import Variant, as_number, changed, filter_rows, has_value, shown_columns
from intercode.worlds.sql.gold_lint.schema import NUMBER, Schema

if TYPE_CHECKING:
    from sqlglot import exp

MOST_NUMBERS = 500
"""Numbers among the texts of one column, of which a list can be made."""


def comparison_variants(tree: exp.Expr, at: int, node: exp.Expr, schema: Schema) -> Iterator[Variant]:
    """Compare numbers as numbers, texts that are none with no number, and lists without NULL."""
    from sqlglot import exp

    if isinstance(node, exp.In):
        yield from _of_list(tree, at, node, schema)
    if isinstance(node, exp.NEQ) and isinstance(node.expression, exp.All):
        yield from _without_null(tree, at, schema)
    if isinstance(node, exp.EQ) and isinstance(node.expression, exp.Any) and _is_negated(node):
        yield from _without_null(tree, at, schema)
    if isinstance(node, exp.GT | exp.GTE | exp.LT | exp.LTE):
        sides = [node.this, node.expression]
    elif isinstance(node, exp.Between):
        sides = [node.this, node.args["low"], node.args["high"]]
    elif isinstance(node, exp.EQ | exp.NEQ) and not isinstance(node.parent, exp.Update):
        yield from _of_text(tree, at, node, [node.this, node.expression], schema)
        return
    else:
        return
    if any(map(schema.has_numbers_as_text, sides)) and all(_may_be_number(side, schema) for side in sides):
        yield Variant("text-number", tree, changed(tree, at, _read_as_numbers))
    yield from _of_text(tree, at, node, sides, schema)


def _may_be_number(side: exp.Expr, schema: Schema) -> bool:
    """Tell whether *side* can be meant as a number: a text that is none cannot."""
    from sqlglot import exp

    if isinstance(side, exp.Literal):
        return not side.is_string or NUMBER.fullmatch(side.this) is not None
    return not schema.is_text(side) or schema.has_numbers_as_text(side)


def _read_as_numbers(node: exp.Expr) -> None:
    from sqlglot import exp

    for name in ("this", "expression", "low", "high"):
        side = node.args.get(name)
        if isinstance(side, exp.All | exp.Any):
            query = next(side.find_all(exp.Select))
            query.set("expressions", [as_number(each.unalias()) for each in query.selects])
        elif side is not None:
            node.set(name, as_number(side))


def greatest_variants(tree: exp.Expr, at: int, node: exp.Greatest | exp.Least, schema: Schema) -> Iterator[Variant]:
    """Choose the greatest of numbers that are stored as text as numbers are compared."""
    values = [node.this, *node.expressions]
    if any(map(schema.has_numbers_as_text, values)) and all(_may_be_number(each, schema) for each in values):

        def change(it: exp.Expr) -> None:
            it.set("this", as_number(it.this))
            it.set("expressions", [as_number(each) for each in it.expressions])

        yield Variant("text-number", tree, changed(tree, at, change))


def _of_text(tree: exp.Expr, at: int, node: exp.Expr, sides: list[exp.Expr], schema: Schema) -> Iterator[Variant]:
    """Yield a column of texts beside a number, where only those count that are numbers."""
    from sqlglot import exp

    others = [side for side in sides if not schema.is_text(side)]
    if len(others) == len(sides) or not others or not all(_is_number(side, schema) for side in others):
        return
    numbers = [
        exp.In(this=side.copy(), expressions=_literals(schema.numbers(side))) for side in sides if side not in others
    ]
    if any(len(each.expressions) > MOST_NUMBERS for each in numbers):
        return

    def change(it: exp.Expr) -> None:
        it.replace(exp.Paren(this=exp.and_(it.copy(), *numbers)))

    yield Variant("text-compared", tree, changed(tree, at, change))


def _literals(texts: list[str]) -> list[exp.Expr]:
    """Return *texts* as literals; where there are none, NULL, in which nothing is."""
    from sqlglot import exp

    return [exp.Literal.string(text) for text in texts] or [exp.Null()]


def _is_number(side: exp.Expr, schema: Schema) -> bool:
    from sqlglot import exp

    if isinstance(side, exp.Paren | exp.Neg):
        return _is_number(side.this, schema)
    if isinstance(side, exp.Literal):
        return not side.is_string
    return isinstance(side, exp.Count | exp.Binary) or schema.is_numeric(side)


def _of_list(tree: exp.Expr, at: int, node: exp.In, schema: Schema) -> Iterator[Variant]:

    if _is_negated(node):
        yield from _without_null(tree, at, schema)
    if node.expressions:
        yield from _of_text(tree, at, node, [node.this, *node.expressions], schema)


def _is_negated(node: exp.Expr) -> bool:
    from sqlglot import exp

    around = node.parent
    while isinstance(around, exp.Paren):
        around = around.parent
    return isinstance(around, exp.Not)


def _without_null(tree: exp.Expr, at: int, schema: Schema) -> Iterator[Variant]:
    """Yield what is not in a list, where that has no NULL."""
    from sqlglot import exp

    def change(node: exp.Expr) -> None:
        if isinstance(node, exp.In) and node.expressions:
            node.set("expressions", [each for each in node.expressions if not isinstance(each, exp.Null)])
        for query in node.find_all(exp.Select):
            is_inner = query.find_ancestor(exp.Select, exp.In, exp.All, exp.Any) is not (
                node if isinstance(node, exp.In) else node.expression
            )
            for shown in () if is_inner else shown_columns(query, schema):
                filter_rows(query, has_value(shown.unalias()))

    yield Variant("not-in", tree, changed(tree, at, change))
