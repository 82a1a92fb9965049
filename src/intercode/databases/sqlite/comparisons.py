"""Comparisons of a text with a number: MySQL reads the text as a number, SQLite would write the number as a text."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from intercode.databases.sqlite.table_shapes import Shapes, named_tables

COMPARISONS = (exp.EQ, exp.NullSafeEQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In)

ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod)

NUMBERS = frozenset({
    "avg", "char_length", "count", "datediff", "day", "dayofmonth", "dayofweek", "dayofyear", "hour", "length",
    "minute", "month", "quarter", "second", "sum", "timestampdiff", "week", "weekday", "weekofyear", "year", "yearweek",
})  # fmt: skip
"""Functions whose results are numbers."""

TEXTS = frozenset({
    "concat", "date_format", "left", "lower", "lpad", "mid", "replace", "right", "rpad", "substring_index", "upper",
})  # fmt: skip
"""Functions whose results are texts."""

CHOICES = frozenset({"any_value", "max", "min"})
"""Functions whose results are one of the values that they see."""


def compare_as_numbers(tree: exp.Expr, shapes: Shapes) -> None:
    """Have every text in *tree* that is compared with numbers only be read as a number."""
    for comparison in list(tree.find_all(*COMPARISONS)):
        values = list(_values(comparison))
        texts = [value for value in values if _is_text(value, shapes)]
        if texts and all(value in texts or _is_number(value) for value in values) and len(texts) < len(values):
            for value in texts:
                value.replace(exp.cast(value.copy(), exp.DType.DOUBLE))


def _values(comparison: exp.Expr) -> Iterator[exp.Expr]:
    """What is compared with each other; nothing for what a column is set to."""
    if isinstance(comparison.parent, exp.Update | exp.OnConflict):
        return
    yield comparison.this
    for part in ("expression", "low", "high", "query"):
        if (value := comparison.args.get(part)) is not None:
            yield value
    yield from comparison.expressions


def _is_number(value: exp.Expr) -> bool:
    value = value.unnest()
    if isinstance(value, exp.Literal):
        return not value.is_string
    if isinstance(value, exp.Neg):
        return _is_number(value.this)
    if isinstance(value, ARITHMETIC):
        return not isinstance(value.expression, exp.Interval) and not isinstance(value.this, exp.Interval)
    if isinstance(value, exp.Extract):
        return True
    if isinstance(value, exp.Select):
        return len(value.selects) == 1 and _is_number(value.selects[0].unalias())
    return isinstance(value, exp.Anonymous) and value.name.lower() in NUMBERS


def _is_text(value: exp.Expr, shapes: Shapes) -> bool:
    value = value.unnest()
    if isinstance(value, exp.Column):
        return _is_text_column(value, shapes)
    if isinstance(value, exp.Anonymous):
        chosen = value.name.lower() in CHOICES and len(value.expressions) == 1
        return value.name.lower() in TEXTS or (chosen and _is_text(value.expressions[0], shapes))
    return isinstance(value, exp.Substring | exp.Trim) or (isinstance(value, exp.Literal) and value.is_string)


def _is_text_column(column: exp.Column, shapes: Shapes) -> bool:
    """Whether the nearest table around *column* that has it holds texts there."""
    name, scope = column.name.lower(), column.find_ancestor(exp.Select, exp.Update, exp.Delete)
    while scope is not None:
        tables = named_tables(scope)
        wanted = [tables.get(column.table.lower(), "")] if column.table else tables.values()
        found = [shape for table in wanted if table and (shape := shapes(table)) and name in shape.columns]
        if found:
            return name in found[0].texts
        scope = scope.find_ancestor(exp.Select, exp.Update, exp.Delete)
    return False
