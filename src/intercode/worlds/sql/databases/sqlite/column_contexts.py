"""Values read as what stands around them wants: a date or an ENUM's member as a number, a DECIMAL as a text."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from intercode.worlds.sql.databases.sqlite.expression_types import MEMO, MERGING, ExpressionTypes, branches
from intercode.worlds.sql.databases.sqlite.unsupported import WAY_OUT, UnsupportedStatementError
from intercode.worlds.sql.databases.sqlite.value_types import (
    DATE,
    DATETIME,
    DOUBLE,
    INTEGER,
    NULL,
    TEXT,
    TIME,
    ValueType,
    merge,
)

ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod)

BITS = (exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseNot, exp.BitwiseLeftShift, exp.BitwiseRightShift)

CONDITIONS = (exp.Neg, exp.Not, exp.And, exp.Or, exp.Xor, exp.Where, exp.Having)

NUMBER_CALLS = frozenset({
    "abs", "avg", "ceil", "ceiling", "exp", "floor", "ln", "log", "mod", "pow", "power", "round", "sign", "sqrt", "std",
    "stddev", "sum", "truncate", "variance",
})  # fmt: skip
"""Functions that count with what they are given."""

TEXT_CALLS = frozenset({
    "char_length", "concat", "concat_ws", "insert", "instr", "lcase", "left", "length", "locate", "lower", "lpad",
    "ltrim", "md5", "mid", "repeat", "replace", "reverse", "right", "rpad", "rtrim", "substring_index", "ucase",
    "upper",
})  # fmt: skip
"""Functions that read what they are given as texts."""

MOMENT_CALLS = frozenset({
    "date", "datediff", "day", "dayname", "dayofmonth", "dayofweek", "dayofyear", "last_day", "month", "monthname",
    "quarter", "timestamp", "to_days", "week", "weekday", "weekofyear", "year", "yearweek",
})  # fmt: skip
"""Functions that take what they are given for dates."""

NUMBER_TYPES = frozenset({"BIGINT", "UBIGINT", "INT", "DOUBLE", "FLOAT", "DECIMAL"})

TEXT_TYPES = frozenset({"CHAR", "NCHAR", "VARCHAR", "TEXT", "CHARACTER_SET"})

ROUNDING = frozenset({"ceil", "ceiling", "floor", "round", "truncate"})

SUMS = frozenset({"avg", "sum"})


def read_in_context(tree: exp.Expr, types: ExpressionTypes) -> None:
    """Have every value in *tree* be read as MySQL reads it where it stands.

    Raises:
        UnsupportedStatementError: For a choice between values that servers do not agree on.
    """
    for node in list(tree.walk()):
        merged = _alternatives(node)
        if merged:
            _choose(node, merged, types)
        for value, wanted in _operands(node, types):
            read_as(value, wanted, types)
        if types.strict:
            _be_strict(node, types)
    for node in list(tree.find_all(*ARITHMETIC, exp.Anonymous)):
        _keep_digits(node, types)


def read_as(value: exp.Expr, wanted: ValueType, types: ExpressionTypes) -> exp.Expr:
    """Put in the place of *value* what reads it as a value of the type *wanted*, and return that."""
    value = projected(value)
    found = types(value)
    if found is None or found in (wanted, NULL) or isinstance(value, exp.Query):
        return value
    call: tuple[str, ...] = ()
    if wanted == TEXT and found.kind == "decimal":
        call = ("mysql_fixed", str(found.scale))
    elif wanted == TEXT and found.kind in ("double", "integer"):
        call = ("mysql_text",)
    elif wanted.is_number and found.is_moment:
        call = ("mysql_moment_number",)
    elif wanted.is_number and found.members:
        call = ("mysql_member_number", found.members)
    elif wanted.is_number and found.is_text and types.strict:
        call = ("mysql_strict_number",)
    elif wanted == DATETIME and found == DATE:
        call = ("mysql_moment",)
    return wrapped(value, *call, kind=wanted) if call else value


def projected(value: exp.Expr) -> exp.Expr:
    """Return what a query in the place of a value selects, if it is one thing; else *value* itself."""
    inner = value.unnest() if isinstance(value, exp.Subquery) else value
    return inner.selects[0].unalias() if isinstance(inner, exp.Select) and len(inner.selects) == 1 else value


def wrapped(value: exp.Expr, name: str, *others: str, kind: ValueType | None) -> exp.Expr:
    """Put in the place of *value* a call of that function on it, which is of that *kind*, and return it."""
    made = exp.Anonymous(this=name)
    made.meta[MEMO] = kind
    value.replace(made)
    more = [exp.Literal.number(each) if each.isdecimal() else exp.Literal.string(each) for each in others]
    made.set("expressions", [value, *more])
    return made


def _alternatives(node: exp.Expr) -> list[exp.Expr]:
    """Return the values of which *node* has one, now this, now that."""
    if isinstance(node, exp.Case) or (isinstance(node, exp.If) and not isinstance(node.parent, exp.Case)):
        return branches(node)
    if isinstance(node, exp.Anonymous) and node.name.lower() in MERGING:
        return node.expressions
    return []


def _choose(node: exp.Expr, values: list[exp.Expr], types: ExpressionTypes) -> None:
    """Have all *values* be of the type that the one of them has which *node* is."""
    kinds = {kind for kind in map(types, values) if kind is not None and kind != NULL}
    numbers = [kind.is_number for kind in kinds]
    if node.name.lower() in ("greatest", "least") and not all(numbers) and len({_family(kind) for kind in kinds}) > 1:
        raise UnsupportedStatementError(f"{node.name.upper()} of values of different types: {WAY_OUT}")
    found = merge(map(types, values))
    if found is not None and found in (TEXT, DATETIME):
        for value in values:
            read_as(value, found, types)


def _family(kind: ValueType) -> str:
    if kind.is_number or kind.is_text:
        return "number" if kind.is_number else "text"
    return "time" if kind == TIME else "moment"


def _operands(node: exp.Expr, types: ExpressionTypes) -> Iterator[tuple[exp.Expr, ValueType]]:
    """Yield the values that *node* reads as numbers or as texts, whatever they are."""
    if isinstance(node, (*ARITHMETIC, *BITS)):
        sides = [side for side in (node.this, node.args.get("expression")) if side is not None]
        if not any(isinstance(side, exp.Interval) for side in sides):
            yield from ((side, DOUBLE) for side in sides)
    elif isinstance(node, CONDITIONS):
        yield from ((side, DOUBLE) for side in (node.this, node.args.get("expression")) if side is not None)
    elif isinstance(node, exp.If):
        if not isinstance(node.parent, exp.Case) or node.parent.this is None:
            yield node.this, DOUBLE
    elif isinstance(node, exp.Anonymous):
        name = node.name.lower()
        values = node.expressions[0].expressions if _is_distinct(node) else node.expressions
        if name in ROUNDING and values and (types(values[0]) or NULL).kind in ("datetime", "time"):
            raise UnsupportedStatementError(f"{name.upper()} of a time: {WAY_OUT}")
        if name in NUMBER_CALLS or name in TEXT_CALLS:
            for value in values[:1] if name in ("left", "right", "repeat", "lpad", "rpad", "round") else values:
                yield value, DOUBLE if name in NUMBER_CALLS else TEXT
    elif isinstance(node, exp.Cast):
        kind = node.to.this.name if isinstance(node.to.this, exp.DType) else ""
        if kind in NUMBER_TYPES or kind in TEXT_TYPES:
            yield node.this, DOUBLE if kind in NUMBER_TYPES else TEXT
    elif isinstance(node, exp.Substring | exp.Trim | exp.Like | exp.RegexpLike):
        yield node.this, TEXT
    elif isinstance(node, exp.GroupConcat):
        joined = node.this.this if isinstance(node.this, exp.Order) else node.this
        for value in joined.expressions if isinstance(joined, exp.Distinct | exp.Concat) else [joined]:
            yield value, TEXT
    elif isinstance(node, exp.Ordered):
        found = types(node.this)
        if isinstance(node.this, exp.Column) and found is not None and found.members:
            yield node.this, INTEGER


def _be_strict(node: exp.Expr, types: ExpressionTypes) -> None:
    """Have *node* fail where it divides by zero, or takes for a date what is none."""
    if isinstance(node, exp.Div | exp.IntDiv | exp.Mod):
        wrapped(node.expression, "mysql_divisor", kind=types(node.expression))
    taken = node.expressions if isinstance(node, exp.Anonymous) and node.name.lower() in MOMENT_CALLS else ()
    for value in taken:
        found = types(value)
        if found is not None and (found.is_text or found.is_number):
            wrapped(value, "mysql_strict_moment", kind=DATETIME)


def _is_distinct(call: exp.Anonymous) -> bool:
    return bool(call.expressions) and isinstance(call.expressions[0], exp.Distinct)


def _keep_digits(node: exp.Expr, types: ExpressionTypes) -> None:
    """Have a number that was counted with be exact to its last digit, where nothing more is counted with it."""
    found = types(node)
    if found is None or found.kind != "decimal":
        return
    if isinstance(node, exp.Anonymous) and node.name.lower() not in SUMS:
        return
    outer = node.parent if isinstance(node.parent, exp.Window) else node
    around = outer.parent
    while isinstance(around, exp.Paren | exp.Neg):
        around = around.parent
    if not isinstance(around, ARITHMETIC) and not (isinstance(around, exp.Alias) and _is_shown(around)):
        wrapped(outer, "mysql_decimal", str(found.scale), kind=found)


def _is_shown(alias: exp.Alias) -> bool:
    """Return whether a value goes to whoever asked, who gets it with its digits in any case."""
    query = alias.parent
    ordered = isinstance(query, exp.Select) and (query.args.get("distinct") or query.args.get("having"))
    return isinstance(query, exp.Select) and query.parent is None and not ordered and not query.args.get("order")
