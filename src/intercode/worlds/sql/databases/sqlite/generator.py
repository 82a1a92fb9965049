"""Writing a tree of MySQL's syntax in SQLite's words."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.dialects.sqlite import SQLite
from sqlglot.generators.sqlite import SQLiteGenerator

from intercode.worlds.sql.databases.sqlite import collation
from intercode.worlds.sql.databases.sqlite.comparisons import COMPARISONS

CALLS = {"date": "mysql_day",
         "left": "mysql_left", "right": "mysql_right", "format": "mysql_format", "insert": "mysql_insert",
         "mod": "mysql_mod", "date_format": "mysql_date_format", "char": "mysql_char", "truncate": "mysql_truncate",
         "log": "mysql_log", "length": "mysql_length", "mid": "mysql_substring", "row": "", "isnull": "mysql_isnull",
         "any_value": "max", "current_timestamp": "now", "current_date": "curdate",
         "current_time": "curtime"}  # fmt: skip
"""Functions that SQLite lacks under that name, cannot parse, or means otherwise; see `functions`."""

CASTS = {
    **dict.fromkeys(("BIGINT", "UBIGINT", "INT"), "CAST(mysql_integer({value}) AS INTEGER)"),
    **dict.fromkeys(("DOUBLE", "FLOAT"), "CAST({value} AS REAL)"),
    **dict.fromkeys(("CHAR", "NCHAR", "VARCHAR", "CHARACTER_SET"), "CAST({value} AS TEXT)"),
    **dict.fromkeys(("DATETIME", "TIMESTAMP", "TIMESTAMPTZ"), "mysql_moment({value})"),
    "DATE": "mysql_day({value})",
    "TIME": "mysql_clock({value})",
    "BINARY": "CAST({value} AS BLOB)",
}
"""What a cast to each type is for SQLite."""

CHOICES = frozenset({"any_value", "max", "min"})
"""Functions whose results are one of the values that they see."""

COLLATED = frozenset({
    "coalesce", "concat", "concat_ws", "date_format", "elt", "greatest", "ifnull", "insert", "lcase", "least", "left",
    "lower", "lpad", "ltrim", "mid", "repeat", "replace", "reverse", "right", "rpad", "rtrim", "substring_index",
    "ucase", "upper",
})  # fmt: skip
"""Functions whose results are, or may be, texts. SQLite gives no function's result a collation."""

SHIFTS = {"date_add": "", "adddate": "", "date_sub": "-", "subdate": "-"}

QUANTIFIED = {
    (">", exp.All): "max", (">=", exp.All): "max", ("<", exp.All): "min", ("<=", exp.All): "min",
    (">", exp.Any): "min", (">=", exp.Any): "min", ("<", exp.Any): "max", ("<=", exp.Any): "max",
}  # fmt: skip
"""Which value of all that a query has is the one to compare with."""

EVERYTHING = {"max": "-9e999", "min": "x'ff'"}
"""What is less than every value, and what is greater: ALL holds where there is nothing to compare with."""


class Writer(SQLiteGenerator):
    """SQLite's generator, for trees in which functions are MySQL's."""

    RESERVED_KEYWORDS = {
        "nothing", "notnull", "glob", "transaction", "autoincrement", "deferrable", "returning", "escape"
    }  # fmt: skip
    TRANSFORMS = {
        **{kind: write for kind, write in SQLiteGenerator.TRANSFORMS.items() if kind is not exp.Create},
        exp.If: lambda self, e: self._collated(
            e, self.func("mysql_if", e.this, e.args.get("true"), e.args.get("false") or exp.null())
        ),
        exp.Div: lambda self, e: f"{self.sql(e.this)} * 1.0 / {self.sql(e.expression)}",
        exp.IntDiv: lambda self, e: f"CAST({self.sql(e.this)} / {self.sql(e.expression)} AS INTEGER)",
        exp.Mod: lambda self, e: self.func("mysql_mod", e.this, e.expression),
        exp.BitwiseXor: lambda self, e: self.func("mysql_xor", e.this, e.expression),
        exp.StrPosition: lambda self, e: self.func("locate", e.args["substr"], e.this),
        exp.Substring: lambda self, e: self._collated(
            e, self.func("mysql_substring", e.this, e.args.get("start"), e.args.get("length"))
        ),
        exp.National: lambda self, e: quote(e.name),
        exp.HexString: lambda self, e: f"X'{'0' * (len(e.name) % 2)}{e.name}'",
    }

    def anonymous_sql(self, expression: exp.Anonymous) -> str:
        """Return a call of a function by its name."""
        name, values = expression.name.lower(), expression.expressions
        if len(values) == 1 and values[0].is_int and expression.find_ancestor(exp.IndexParameters):
            return self.sql(exp.to_identifier(expression.name, quoted=True))  # the beginning of a column's texts
        if name in SHIFTS and len(values) == 2:
            days = (
                values[1] if isinstance(values[1], exp.Interval) else exp.Interval(this=values[1], unit=exp.var("DAY"))
            )
            return self._shift(values[0], days, SHIFTS[name])
        if name in ("timestampadd", "timestampdiff") and len(values) == 3:
            unit = values[0].name.upper().removeprefix("SQL_TSI_")
            if name == "timestampadd":
                return self._shift(values[2], exp.Interval(this=values[1], unit=exp.var(unit)))
            return self.func("timestampdiff", exp.Literal.string(unit), *values[1:])
        if name == "count" and values and isinstance(values[0], exp.Distinct) and len(values[0].expressions) > 1:
            return f"count(DISTINCT {self.func('mysql_row', *values[0].expressions, normalize=False)})"
        call = self.func(CALLS.get(name, expression.name), *values, normalize=False)
        return self._collated(expression, call) if name in COLLATED else call

    def _collated(self, expression: exp.Expr, call: str) -> str:
        """*call*, whose result is compared and sorted as texts are, unless it is only handed to another function."""
        around = expression.parent
        is_chosen = isinstance(around, exp.Anonymous) and around.name.lower() in CHOICES
        if isinstance(around, exp.Func) and not isinstance(around, exp.Case) and not is_chosen:
            return call
        return f"{call} COLLATE {collation.NAME}"

    def binary(self, expression: exp.Binary, op: str) -> str:
        """Return an operator between two values.

        Also a shift by an INTERVAL, and a comparison with ANY or ALL of a query.
        """
        left, right = expression.this, expression.expression
        if op in ("+", "-") and isinstance(right, exp.Interval):
            return self._shift(left, right, op.replace("+", ""))
        if op == "+" and isinstance(left, exp.Interval):
            return self._shift(right, left)
        if isinstance(right, exp.Any | exp.All) and isinstance(right.this.unnest(), exp.Query):
            return f"{self.sql(left)} {self._quantifier(op, right)}"
        return super().binary(expression, op)

    def _shift(self, moment: exp.Expr, by: exp.Interval, sign: str = "") -> str:
        unit = exp.Literal.string((by.unit.name if by.unit else "").lower())
        return f"mysql_shift({self.sql(moment)}, {sign}({self.sql(by.this)}), {self.sql(unit)})"

    def _quantifier(self, operator: str, query: exp.Any | exp.All) -> str:
        inside, kind = self.sql(query.this.unnest()), type(query)
        if (operator, kind) in (("=", exp.Any), ("<>", exp.All)):
            return f"{'IN' if kind is exp.Any else 'NOT IN'} ({inside})"
        choice = QUANTIFIED.get((operator, kind), "")
        values = f"(SELECT NULL AS v WHERE 0 UNION ALL SELECT * FROM ({inside}))"
        if kind is exp.Any:
            return f"{operator} (SELECT {choice}(v) FROM {values})"
        told = f"WHEN COUNT(*) = 0 THEN {EVERYTHING.get(choice)} WHEN COUNT(v) < COUNT(*) THEN NULL ELSE {choice}(v)"
        return f"{operator} (SELECT CASE {told} END FROM {values})"

    def cast_sql(self, expression: exp.Cast, safe_prefix: str | None = None) -> str:
        """CAST, CONVERT, and literals such as DATE '2024-01-31'."""
        value, kind = self.sql(expression.this), expression.to
        sizes = [size.name for size in kind.expressions]
        if kind.this == exp.DType.DECIMAL:
            size, scale, *_ = (*map(int, sizes), 0) if sizes else (10, 0)
            return f"CAST(mysql_decimal({value}, {scale}, {size}) AS {'NUMERIC' if scale else 'INTEGER'})"
        if kind.this == exp.DType.BINARY and isinstance(expression.parent, (*COMPARISONS, exp.Ordered)):
            return f"CAST({value} AS TEXT) COLLATE BINARY"  # which is no blob, as BINARY's result is: a text is none
        form = CASTS.get(kind.this.name if isinstance(kind.this, exp.DType) else "")
        if form is None:
            return super().cast_sql(expression)
        made = form.format(value=value)
        return f"mysql_left({made}, {sizes[0]})" if sizes and made.endswith("TEXT)") else made

    def literal_sql(self, expression: exp.Literal) -> str:
        """Return a number as it stands; a string without escapes."""
        parent = expression.parent
        escaped = isinstance(parent, exp.Like) and expression is parent.expression and "\\" in expression.name
        ending = " ESCAPE '\\'" if escaped and not isinstance(parent.parent if parent else None, exp.Escape) else ""
        return quote(expression.name) + ending if expression.is_string else expression.name

    def introducer_sql(self, expression: exp.Introducer) -> str:
        """Return a string with its character set."""
        if expression.name.lower() == "_binary":
            return blob(expression.expression.name.encode("utf-8", "surrogateescape"))
        return self.sql(expression.expression)

    def extract_sql(self, expression: exp.Extract) -> str:
        """EXTRACT(unit FROM moment)."""
        value = self.sql(expression.expression)
        if expression.name.lower() == "year_month":
            return f"(year({value}) * 100 + month({value}))"
        return f"{expression.name.lower()}({value})"

    def trim_sql(self, expression: exp.Trim) -> str:
        """TRIM, perhaps of one side, perhaps of something else than blanks."""
        side = str(expression.args.get("position") or "").upper()
        call = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(side, "trim")
        return self._collated(expression, self.func(call, expression.this, expression.expression, normalize=False))

    def collate_sql(self, expression: exp.Collate) -> str:
        """COLLATE, by what SQLite knows the collation as."""
        name = expression.expression.name
        known = "RTRIM" if name.endswith("_bin") else collation.NAME if name.endswith("_ci") else name
        return f"{self.sql(expression.this)} COLLATE {known}"

    def groupconcat_sql(self, expression: exp.GroupConcat) -> str:
        """Return `mysql_group_concat(distinct, downwards, separator, value, key)`."""
        joined, key, down = expression.this, exp.null(), False
        if isinstance(joined, exp.Order):
            first = joined.expressions[0]
            joined, key, down = joined.this, first.this, bool(first.args.get("desc"))
        distinct = isinstance(joined, exp.Distinct)
        values = joined.expressions if distinct else [joined]
        if len(values) == 1 and isinstance(values[0], exp.Concat):
            values = values[0].expressions
        separator = expression.args.get("separator") or exp.Literal.string(",")
        value = exp.Anonymous(this="concat", expressions=[each.copy() for each in values])
        return self.func("mysql_group_concat", *(exp.Literal.number(int(each)) for each in (distinct, down)),
                         separator, value, key, normalize=False)  # fmt: skip

    def join_sql(self, expression: exp.Join, join_op: str | None = None) -> str:
        """Return a join; SQLite has no STRAIGHT_JOIN."""
        if expression.kind == "STRAIGHT_JOIN":
            expression.set("kind", None)
        return super().join_sql(expression, join_op)

    def drop_sql(self, expression: exp.Drop) -> str:
        plain = expression.copy()
        if plain.args.get("temporary"):  # to SQLite a place, not a word
            plain.set("temporary", False)
            for table in plain.args["tables"]:
                table.set("db", exp.to_identifier("temp"))
        return super().drop_sql(plain)

    def update_sql(self, expression: exp.Update) -> str:
        """Return an UPDATE, which may leave out rows that cannot be changed."""
        made = super().update_sql(expression)
        return made.replace("UPDATE", "UPDATE OR IGNORE", 1) if expression.args.get("ignore") else made

    def onconflict_sql(self, expression: exp.OnConflict) -> str:
        """ON DUPLICATE KEY UPDATE."""
        where = expression.args.get("where")
        only = f" WHERE {self.sql(where)}" if where else ""
        return f"ON CONFLICT DO UPDATE SET {self.expressions(expression, flat=True)}{only}"


class MysqlOnSqlite(SQLite):
    """SQLite with names in backticks: what stands in double quotes and is no name is a text to SQLite."""

    class Tokenizer(SQLite.Tokenizer):
        """Where generators look for quotes."""

        IDENTIFIERS = ["`"]

    Generator = Writer


def quote(text: str) -> str:
    """Return a text as SQLite writes it."""
    return blob(text.encode("utf-8", "surrogateescape")) if "\0" in text else "'" + text.replace("'", "''") + "'"


def blob(data: bytes) -> str:
    """Bytes as SQLite writes them."""
    return f"X'{data.hex()}'"
