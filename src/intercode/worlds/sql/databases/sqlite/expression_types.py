"""The type that MySQL gives each expression of a statement, before it is run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sqlglot import exp

from intercode.worlds.sql.databases.sqlite.table_shapes import Shapes
from intercode.worlds.sql.databases.sqlite.value_types import (
    DATE,
    DATETIME,
    DIGITS,
    DOUBLE,
    INTEGER,
    NULL,
    TEXT,
    TIME,
    ValueType,
    counted,
    decimal,
    merge,
    of_column,
)

Found = ValueType | None

TRUTHS = frozenset({
    exp.EQ, exp.NullSafeEQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In, exp.Like, exp.RegexpLike,
    exp.Is, exp.Not, exp.And, exp.Or, exp.Xor, exp.Exists, exp.Boolean, exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor,
    exp.BitwiseNot, exp.BitwiseLeftShift, exp.BitwiseRightShift, exp.IntDiv, exp.Extract, exp.StrPosition,
})  # fmt: skip
"""Expressions that are whole numbers."""

CALLS: dict[str, Found] = {
    **dict.fromkeys(
        (
            "ascii", "bit_and", "bit_count", "bit_length", "bit_or", "bit_xor", "char_length", "character_length",
            "connection_id", "count", "crc32", "datediff", "day", "dayofmonth", "dayofweek", "dayofyear", "dense_rank",
            "field", "find_in_set", "found_rows", "hour", "instr", "isnull", "length", "locate", "microsecond",
            "minute", "month", "ntile", "octet_length", "ord", "period_add", "period_diff", "position", "quarter",
            "rank", "row_count", "row_number", "second", "sign", "strcmp", "time_to_sec", "timestampdiff", "to_days",
            "week", "weekday", "weekofyear", "year", "yearweek",
        ),
        INTEGER,
    ),
    **dict.fromkeys(
        (
            "acos", "asin", "atan", "atan2", "cos", "cot", "cume_dist", "degrees", "exp", "ln", "log", "log10", "log2",
            "percent_rank", "pi", "pow", "power", "radians", "rand", "sin", "sqrt", "std", "stddev", "stddev_pop",
            "stddev_samp", "tan", "var_pop", "var_samp", "variance",
        ),
        DOUBLE,
    ),
    **dict.fromkeys(
        (
            "bin", "concat", "concat_ws", "conv", "current_user", "database", "date_format", "dayname", "elt",
            "export_set", "format", "group_concat", "hex", "insert", "lcase", "left", "lower", "lpad", "ltrim",
            "make_set", "md5", "mid", "monthname", "oct", "quote", "repeat", "replace", "reverse", "right", "rpad",
            "rtrim", "schema", "sha1", "sha2", "soundex", "space", "substring_index", "time_format", "ucase", "upper",
            "user", "version",
        ),
        TEXT,
    ),
    **dict.fromkeys(("curdate", "current_date", "date", "from_days", "last_day", "makedate", "utc_date"), DATE),
    **dict.fromkeys(
        ("current_timestamp", "from_unixtime", "localtime", "now", "sysdate", "timestamp", "utc_timestamp"), DATETIME
    ),
    **dict.fromkeys(("curtime", "current_time", "maketime", "sec_to_time", "time"), TIME),
}  # fmt: skip
"""What functions are whose type does not depend on what they are given."""

SAME = frozenset({"any_value", "first_value", "lag", "last_value", "lead", "max", "min", "nth_value", "nullif"})
"""Functions whose value is one of those that they see: of the first thing that they are given."""

MERGING = frozenset({"coalesce", "greatest", "ifnull", "least"})
"""Functions whose value is one of what they are given."""

SHIFTING = frozenset({"adddate", "date_add", "date_sub", "subdate"})

CASTS = {
    **dict.fromkeys(("BIGINT", "UBIGINT", "INT", "YEAR"), INTEGER),
    **dict.fromkeys(("DOUBLE", "FLOAT"), DOUBLE),
    **dict.fromkeys(("CHAR", "NCHAR", "VARCHAR", "TEXT", "CHARACTER_SET"), TEXT),
    **dict.fromkeys(("DATETIME", "TIMESTAMP", "TIMESTAMPTZ"), DATETIME),
    "DATE": DATE,
    "TIME": TIME,
}

CLOCK_SIGNS = ("%H", "%h", "%I", "%i", "%k", "%l", "%p", "%r", "%S", "%s", "%T", "%f")
"""Signs of a time in the form of a date."""

SCOPES = (exp.Select, exp.Update, exp.Delete, exp.SetOperation)

MEMO = "value_type"
"""Where a node of the tree remembers its own."""


class ExpressionTypes:
    """The types of the expressions of one statement, over tables of those *shapes*.

    `strict`: it changes rows, and fails where a value has to be read as what it is not.
    """

    def __init__(self, shapes: Shapes, *, strict: bool = False) -> None:
        self.shapes, self.strict = shapes, strict

    def __call__(self, node: exp.Expr) -> Found:
        """Return the type of *node*; None where nothing depends on it, or it is not known."""
        if MEMO not in node.meta:
            node.meta[MEMO] = None  # for a query that reads from itself
            node.meta[MEMO] = self._find(node)
        found: Found = node.meta[MEMO]
        return found

    def _find(self, node: exp.Expr) -> Found:
        read = READERS.get(type(node))
        return read(self, node) if read else INTEGER if type(node) in TRUTHS else None

    def columns(self, query: exp.Expr | None) -> list[tuple[str, Found]]:
        """Return the names and types of what *query* selects; nothing where that is not known."""
        query = query.unnest() if isinstance(query, exp.Subquery) else query
        if isinstance(query, exp.SetOperation):
            pairs = zip(self.columns(query.this), self.columns(query.expression), strict=False)
            return [(name, merge((one, other))) for (name, one), (_, other) in pairs]
        found: list[tuple[str, Found]] = []
        for each in query.expressions if isinstance(query, exp.Select) else ():
            if not _is_star(each):
                found.append((each.alias_or_name.lower(), self(each.unalias())))
                continue
            for alias, source in sources(query) if query is not None else ():
                if each.text("table").lower() in ("", alias):
                    there = self._source(source)
                    if not there:
                        return []
                    found += there
        return found

    def _source(self, source: exp.Expr) -> list[tuple[str, Found]]:
        """Return the names and types of a table's columns, or of what stands in the place of one."""
        query = _named_query(source) if isinstance(source, exp.Table) else source
        if query is not None:
            found, alias = self.columns(query.this), query.args.get("alias")
            names = [name.name.lower() for name in alias.columns] if isinstance(alias, exp.TableAlias) else []
            return [(name, kind) for name, (_, kind) in zip(names, found, strict=False)] if names else found
        shape = None if source.args.get("db") else self.shapes(source.name.lower())
        if shape is None:
            return []
        if shape.definitions:
            return [(each.name.lower(), of_column(each)) for each in shape.definitions if not each.invisible]
        return [(name, TEXT if name in shape.texts else None) for name in sorted(shape.columns)]

    def _column(self, column: exp.Column) -> Found:
        name, table = column.name.lower(), column.table.lower()
        scope: exp.Expr | None = column.find_ancestor(*SCOPES)
        while scope is not None:
            for alias, source in sources(scope):
                if table in ("", alias) and name in (there := dict(self._source(source))):
                    return there[name]
            if not table and isinstance(scope, exp.Query) and name in (shown := dict(self._shown(scope, column))):
                return shown[name]
            scope = scope.find_ancestor(*SCOPES)
        return None

    def _shown(self, scope: exp.Query, column: exp.Column) -> Iterator[tuple[str, Found]]:
        """Yield what ORDER BY, GROUP BY and HAVING call by the names of what *scope* selects."""
        if isinstance(scope, exp.SetOperation):
            yield from self.columns(scope)
            return
        for each in scope.selects:
            if isinstance(each, exp.Alias) and column.find_ancestor(exp.Alias, exp.Select) is not each:
                yield each.alias.lower(), self(each.this)

    def _arithmetic(self, node: exp.Binary) -> Found:
        one, other = node.this, node.expression
        if isinstance(one, exp.Interval) or isinstance(other, exp.Interval):
            by = one if isinstance(one, exp.Interval) else other
            return self._shifted(other if by is one else one, by)
        return operated(type(node), counted(self(one)), counted(self(other)))

    def _shifted(self, moment: exp.Expr, by: exp.Expr) -> Found:
        found = self(moment)
        if found != DATE:
            return found if found == DATETIME else TEXT if found and found.is_text else None
        unit = by.unit.name.lower() if isinstance(by, exp.Interval) and by.unit else "day"
        return DATE if unit in ("day", "week", "month", "quarter", "year", "year_month") else DATETIME

    def _cast(self, node: exp.Cast) -> Found:
        kind = node.to.this.name if isinstance(node.to.this, exp.DType) else ""
        if kind == "DECIMAL":
            sizes = [int(size.name) for size in node.to.expressions]
            return decimal(sizes[1] if len(sizes) > 1 else 0)
        return CASTS.get(kind)

    def _call(self, node: exp.Anonymous) -> Found:
        name, values = node.name.lower(), node.expressions
        first = self(_first(values)) if values else None
        if name in SAME:
            return first
        if name in MERGING:
            return merge(map(self, values))
        if name in SHIFTING and len(values) == 2:
            return self._shifted(values[0], values[1])
        if name == "mod" and len(values) == 2:
            return operated(exp.Mod, counted(first), counted(self(values[1])))
        if name in ("sum", "avg"):
            return _summed(counted(first), DIGITS if name == "avg" else 0)
        if name in ("abs", "ceil", "ceiling", "floor", "round", "truncate"):
            return _rounded(name, first, values)
        if name == "str_to_date" and len(values) == 2 and isinstance(values[1], exp.Literal):
            return DATETIME if any(sign in values[1].name for sign in CLOCK_SIGNS) else DATE
        return CALLS.get(name)

    def _merged(self, node: exp.Case | exp.If) -> Found:
        return merge(map(self, branches(node)))


def sources(scope: exp.Expr) -> Iterator[tuple[str, exp.Expr]]:
    """Yield what *scope* reads from, by the name that it has there."""
    if isinstance(scope, exp.SetOperation):
        return
    source = scope.args.get("from_")
    first = source.this if source else None if isinstance(scope, exp.Select) else scope.this
    for each in ([] if first is None else [first]) + [join.this for join in scope.args.get("joins") or ()]:
        yield from _joined(each)


def _joined(source: exp.Expr) -> Iterator[tuple[str, exp.Expr]]:
    yield source.alias_or_name.lower(), source
    for join in source.args.get("joins") or ():
        yield from _joined(join.this)


def _named_query(table: exp.Table) -> exp.CTE | None:
    """Return the query that WITH gives the name of *table*."""
    around: exp.Expr | None = table.parent
    while around is not None:
        for each in around.args["with_"].expressions if around.args.get("with_") else ():
            if each.alias.lower() == table.name.lower() and not table.db:
                found: exp.CTE = each
                return found
        around = around.parent
    return None


def _is_star(node: exp.Expr) -> bool:
    return isinstance(node, exp.Star) or (isinstance(node, exp.Column) and isinstance(node.this, exp.Star))


def _first(values: Sequence[exp.Expr]) -> exp.Expr:
    return values[0].expressions[0] if isinstance(values[0], exp.Distinct) else values[0]


def branches(node: exp.Case | exp.If) -> list[exp.Expr]:
    """Return the values of which a CASE or IF has one."""
    if isinstance(node, exp.If):
        return [each for each in (node.args.get("true"), node.args.get("false")) if each is not None]
    last = node.args.get("default")
    return [each.args["true"] for each in node.args["ifs"]] + ([] if last is None else [last])


def operated(operator: type[exp.Expr], one: Found, other: Found) -> Found:
    """Return the type of what an *operator* makes of numbers of two types."""
    if one is None or other is None:
        return None
    if "double" in (one.kind, other.kind):
        return DOUBLE
    if operator is exp.Div:
        return decimal(one.scale + DIGITS)
    if one.kind != "decimal" and other.kind != "decimal":
        return INTEGER
    return decimal(one.scale + other.scale if operator is exp.Mul else max(one.scale, other.scale))


def _summed(value: Found, more: int) -> Found:
    if value is None or value == DOUBLE:
        return value
    return ValueType("double", value.scale + more) if value.kind == "double" else decimal(value.scale + more)


def _rounded(name: str, value: Found, values: Sequence[exp.Expr]) -> Found:
    if value is None or value in (INTEGER, NULL):
        return value
    if value.kind != "decimal":
        return value if name == "abs" and value.kind == "double" else DOUBLE
    if name == "abs":
        return value
    if name not in ("round", "truncate") or len(values) < 2:
        return INTEGER if name != "round" else decimal(0)
    digits = values[1]
    if not isinstance(digits, exp.Literal):
        return value if not isinstance(digits, exp.Neg) else decimal(0)
    return decimal(min(value.scale, int(digits.name) if digits.name.isdecimal() else value.scale))


def _literal(types: ExpressionTypes, node: exp.Literal) -> Found:
    if node.is_string:
        return TEXT
    if "e" in node.name.lower():
        return DOUBLE
    whole, point, part = node.name.partition(".")
    return decimal(len(part)) if point or len(whole) > 20 else INTEGER


def _negated(types: ExpressionTypes, node: exp.Neg) -> Found:
    value = types(node.this)
    return value if value is None or value.is_number or value == NULL else DOUBLE


READERS: dict[type[exp.Expr], Callable[[ExpressionTypes, Any], Found]] = {
    exp.Column: ExpressionTypes._column,
    exp.Literal: _literal,
    exp.Null: lambda types, node: NULL,
    exp.Neg: _negated,
    **dict.fromkeys((exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod), ExpressionTypes._arithmetic),
    **dict.fromkeys((exp.Case, exp.If), ExpressionTypes._merged),
    **dict.fromkeys((exp.Paren, exp.Alias, exp.Collate, exp.Window), lambda types, node: types(node.this)),
    exp.Cast: ExpressionTypes._cast,
    **dict.fromkeys((exp.Substring, exp.Trim, exp.GroupConcat, exp.National), lambda types, node: TEXT),
    exp.CurrentDate: lambda types, node: DATE,
    exp.CurrentTimestamp: lambda types, node: DATETIME,
    exp.CurrentTime: lambda types, node: TIME,
    exp.Anonymous: ExpressionTypes._call,
    **dict.fromkeys(
        (exp.Select, exp.Subquery, exp.Union, exp.Except, exp.Intersect),
        lambda types, node: (types.columns(node) or [("", None)])[0][1],
    ),
}
"""How the type of each kind of expression is found."""
