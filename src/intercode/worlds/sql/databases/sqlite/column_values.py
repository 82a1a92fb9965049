"""Changes of rows in which every value goes through `stored_values.store`, as the type of its column says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlglot import exp

from intercode.worlds.sql.databases.dialect.definition import ColumnDefinition
from intercode.worlds.sql.databases.dialect.errors import format_error
from intercode.worlds.sql.databases.sqlite.column_contexts import read_as
from intercode.worlds.sql.databases.sqlite.expression_types import ExpressionTypes
from intercode.worlds.sql.databases.sqlite.table_shapes import TableShape, inserted_table
from intercode.worlds.sql.databases.sqlite.unsupported import StatementError
from intercode.worlds.sql.databases.sqlite.value_types import TEXT, of_column

EXACT = frozenset({"bigint", "decimal"})
"""Types of numbers that may have more digits than SQLite's have."""

TEXTS = frozenset({"char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set"})


KEEPING = EXACT | TEXTS
"""Types to which 1.50 is more than 1.5, or exact."""


def store_rows(tree: exp.Insert, shape: TableShape, types: ExpressionTypes) -> None:
    """Have an INSERT or REPLACE into a table of that *shape* store what its types make of the values.

    Raises:
        StatementError: If a column is left out that needs a value.
    """
    columns, by_name = shape.definitions, {column.name.lower(): column for column in shape.definitions}
    named = tree.this.expressions if isinstance(tree.this, exp.Schema) else []
    values = tree.expression
    of_nothing = isinstance(values, exp.Values) and not any(row.expressions for row in values.expressions)
    others = [] if of_nothing else [each for each in columns if not each.generated]
    targets = [by_name.get(name.name.lower()) for name in named] or others
    if None in targets:
        return  # which SQLite says itself
    lenient = bool(tree.args.get("ignore"))
    if lenient:
        tree.set("ignore", None)
        tree.set("alternative", "IGNORE")
    known = [each for each in targets if each is not None]
    left = [column for column in columns if (named or of_nothing) and column not in known and _has_no_default(column)]
    implied = [_implied(column, lenient=lenient) for column in left]
    if left:
        names = [*named, *(exp.to_identifier(column.name, quoted=True) for column in left)]
        tree.set("this", exp.Schema(this=inserted_table(tree).copy(), expressions=names))
    if isinstance(values, exp.Values):
        for row in values.expressions:
            if len(row.expressions) == len(known):
                row.set("expressions", [*_cells(row.expressions, known, shape, types, lenient=lenient), *implied])
    elif isinstance(values, exp.Query):
        tree.set("expression", _selected(values, known, shape, types, lenient=lenient).select(*implied, copy=False))
    if conflict := tree.args.get("conflict"):
        store_assignments(conflict.expressions, shape, types)


def store_assignments(
    pairs: Sequence[exp.Expr], shape: TableShape, types: ExpressionTypes, *, lenient: bool = False
) -> None:
    """Have assignments `column = value` store what the columns' types make of the values."""
    columns = {column.name.lower(): column for column in shape.definitions}
    before: dict[str, exp.Expr] = {}
    for pair in pairs:
        name, value = pair.this.name.lower(), exp.Paren(this=pair.expression)
        for node in list(value.find_all(exp.Column)):  # MySQL assigns from left to right
            if node.name.lower() in before and node.table == pair.this.table and not node.find_ancestor(exp.Query):
                node.replace(before[node.name.lower()].copy())
        if (column := columns.get(name)) is not None:
            kept = replace(column, counts=False)  # 0 is a number only where a row is new
            pair.set("expression", next(_cells([value.this], [kept], shape, types, lenient=lenient)))
        before[name] = pair.expression


def _cells(
    values: Sequence[exp.Expr],
    columns: Sequence[ColumnDefinition],
    shape: TableShape,
    types: ExpressionTypes,
    *,
    lenient: bool,
) -> Iterator[exp.Expr]:
    defaults = dict(shape.defaults)
    for value, column in zip(values, columns, strict=True):
        if isinstance(value, exp.Var | exp.Column) and value.name.lower() == "default" and not value.text("table"):
            text = exp.Var(this=defaults.get(column.name.lower(), "NULL"))
            yield _implied(column, lenient=lenient) if _has_no_default(column) else exp.Paren(this=text)
        elif _is_digits(value) and column.word in (KEEPING if "." in value.name else EXACT):
            yield _stored(exp.Literal.string(value.name), column, lenient=lenient)  # 1.50 keeps its digits
        else:
            yield _stored(_read_for(column, value, types), column, lenient=lenient)


def _read_for(column: ColumnDefinition, value: exp.Expr, types: ExpressionTypes) -> exp.Expr:
    """Return *value* as a column takes it: a date as a number where it keeps numbers, 1.50 as a text of four signs."""
    kind, found = of_column(column), types(value)
    if kind is None or found is None or (kind.is_number and found == TEXT):
        return value
    if not (kind.is_number or kind == TEXT):
        return value
    whole = exp.Paren(this=value.copy())
    read_as(whole.this, kind, types)  # in place: of a query it changes what is selected
    read: exp.Expr = whole.this
    return read


def _is_digits(value: exp.Expr) -> bool:
    return isinstance(value, exp.Literal) and not value.is_string and "e" not in value.name.lower()


def _stored(value: exp.Expr, column: ColumnDefinition, *, lenient: bool) -> exp.Expr:
    """Return the call that stores *value* in that column."""
    none: exp.Expr = exp.null()
    if lenient and not column.nullable and not column.counts:
        none = _zero(column)
    kind, name = exp.Literal.string(column.type), exp.Literal.string(column.name)
    strict = exp.Literal.number(int(not lenient))
    made = exp.Anonymous(this="mysql_store", expressions=[value.copy(), kind, name, strict, none])
    return exp.Anonymous(this="nullif", expressions=[made, exp.Literal.number(0)]) if column.counts else made


def _selected(
    query: exp.Query, columns: Sequence[ColumnDefinition], shape: TableShape, types: ExpressionTypes, *, lenient: bool
) -> exp.Select:
    """Return *query* with its values as *columns* store them."""
    names = [exp.to_identifier(f"v{at}") for at in range(len(columns))]
    cells = _cells([exp.Column(this=name.copy()) for name in names], columns, shape, types, lenient=lenient)
    alias = exp.TableAlias(this=exp.to_identifier("stored"), columns=names)
    made = exp.select(*cells).from_("stored").where("1")
    made.set("with_", exp.With(expressions=[exp.CTE(this=query.copy(), alias=alias)]))
    return made


def _has_no_default(column: ColumnDefinition) -> bool:
    has_own = column.default is not None or column.counts or column.generated
    return not (column.nullable or has_own or column.word == "timestamp")


def _implied(column: ColumnDefinition, *, lenient: bool) -> exp.Expr:
    """Return what *column*, without a default, has where a row does not say: an ENUM its first member."""
    if not lenient and column.word != "enum":
        raise StatementError(format_error(1364, f"Field '{column.name}' doesn't have a default value"))
    return _stored(exp.Literal.number(1), column, lenient=False) if column.word == "enum" else _zero(column)


def _zero(column: ColumnDefinition) -> exp.Expr:
    """Return what IGNORE has a column keep instead of NULL."""
    kind = of_column(column)
    return exp.Literal.number(0) if kind is not None and kind.is_number else exp.Literal.string("")
