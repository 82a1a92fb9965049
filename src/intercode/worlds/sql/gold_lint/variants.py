"""Pairs of statements that a gold might as well have been: where they differ, the data do not determine its answer.

Of each pair one orders what the gold leaves open one way, and the other the other way; or one reads the data as they
are stored, and the other as they are meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from intercode.worlds.sql.gold_lint.group_variants import concat_variants, group_variants, window_variants
from intercode.worlds.sql.gold_lint.order_variants import order_variants, rank_variants
from intercode.worlds.sql.gold_lint.rewriting import Variant, as_number, changed
from intercode.worlds.sql.gold_lint.schema import Schema
from intercode.worlds.sql.gold_lint.value_variants import comparison_variants, greatest_variants

if TYPE_CHECKING:
    from sqlglot import exp

MOST = 40
"""Pairs that are made of one statement."""


def variants(tree: exp.Expr, schema: Schema) -> Iterator[Variant]:
    """Make the pairs for the statement *tree*, which stays as it is."""
    from sqlglot import exp

    for at, node in enumerate(tree.walk()):
        if isinstance(node, exp.Select | exp.SetOperation | exp.Update | exp.Delete):
            yield from order_variants(tree, at, node, schema)
        if isinstance(node, exp.Select):
            yield from group_variants(tree, at, node, schema)
        if isinstance(node, exp.GroupConcat):
            yield from concat_variants(tree, at, node)
        if isinstance(node, exp.Window):
            yield from window_variants(tree, at, node, schema)
            yield from rank_variants(tree, at, node, schema)
        if isinstance(node, exp.Greatest | exp.Least):
            yield from greatest_variants(tree, at, node, schema)
        if isinstance(node, exp.Max | exp.Min) and schema.has_numbers_as_text(node.this):
            yield Variant("text-number", tree, changed(tree, at, lambda it: it.set("this", as_number(it.this))))
        if isinstance(node, exp.Predicate | exp.In | exp.Between):
            yield from comparison_variants(tree, at, node, schema)
