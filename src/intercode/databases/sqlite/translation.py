"""A statement of MySQL in SQLite's words: read as a tree by sqlglot, and written by a generator of our own.

Functions stay calls by their names, since the connection has MySQL's (see `functions`); the generator changes what
MySQL writes in ways of its own. What sqlglot cannot read goes to SQLite as it stands, but for its literals.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sqlglot import ErrorLevel, exp
from sqlglot.dialects.sqlite import SQLite
from sqlglot.generators.sqlite import SQLiteGenerator
from sqlglot.parsers.mysql import MySQLParser

from intercode.databases.dialect.syntax_tree import PARSE_ERRORS, PatientReader, syntax_trees
from intercode.databases.dialect.tokenizer import Token, content, first_word, meaningful, remembered, tokens
from intercode.databases.dumps.script import uncommented
from intercode.databases.sqlite import collation

LONGEST = 64 << 10
"""Characters; longer statements are not read, since that would take seconds."""

AFTER_LISTS = frozenset({",", ")", "from", "where", "group", "order", "having", "limit"})

CALLS = {"left": "mysql_left", "right": "mysql_right", "format": "mysql_format", "insert": "mysql_insert",
         "mod": "mysql_mod", "date_format": "mysql_date_format", "char": "mysql_char", "truncate": "mysql_truncate",
         "log": "mysql_log", "length": "mysql_length", "mid": "substr", "row": "", "isnull": "mysql_isnull",
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

SHIFTS = {"date_add": "", "adddate": "", "date_sub": "-", "subdate": "-"}

QUANTIFIED = {
    (">", exp.All): "max", (">=", exp.All): "max", ("<", exp.All): "min", ("<=", exp.All): "min",
    (">", exp.Any): "min", (">=", exp.Any): "min", ("<", exp.Any): "max", ("<=", exp.Any): "max",
}  # fmt: skip
"""Which value of all that a query has is the one to compare with."""

EVERYTHING = {"max": "-9e999", "min": "x'ff'"}
"""What is less than every value, and what is greater: ALL holds where there is nothing to compare with."""


class Reader(PatientReader):
    """MySQL's parser with functions as plain calls; projections remember their texts, which are their names."""

    FUNCTIONS = {}
    FUNCTION_PARSERS = {
        name: MySQLParser.FUNCTION_PARSERS[name]
        for name in (
            "CAST", "CONVERT", "EXTRACT", "GROUP_CONCAT", "POSITION", "SUBSTR", "SUBSTRING", "TRIM", "VALUES",
        )
    }  # fmt: skip

    def _parse_projections(self) -> tuple[list[exp.Expr], list[exp.Expr] | None]:
        return self._parse_csv(self._parse_projection), None

    def _parse_projection(self) -> exp.Expr | None:
        start = self._curr
        found = self._parse_expression()
        if found is not None and not isinstance(found, exp.Alias | exp.Column | exp.Star | exp.PropertyEQ):
            text = found.name if isinstance(found, exp.Literal) else self._find_sql(start, self._prev)
            return exp.alias_(found, text, quoted=True, copy=False)
        return found


class Writer(SQLiteGenerator):
    """SQLite's generator, for trees in which functions are MySQL's."""

    RESERVED_KEYWORDS = {
        "nothing", "notnull", "glob", "transaction", "autoincrement", "deferrable", "returning", "escape"
    }  # fmt: skip
    TRANSFORMS = {
        **{kind: write for kind, write in SQLiteGenerator.TRANSFORMS.items() if kind is not exp.Create},
        exp.If: lambda self, e: self.func("mysql_if", e.this, e.args.get("true"), e.args.get("false") or exp.null()),
        exp.Div: lambda self, e: f"{self.sql(e.this)} * 1.0 / {self.sql(e.expression)}",
        exp.IntDiv: lambda self, e: f"CAST({self.sql(e.this)} / {self.sql(e.expression)} AS INTEGER)",
        exp.StrPosition: lambda self, e: self.func("locate", e.args["substr"], e.this),
        exp.Substring: lambda self, e: self.func("substr", e.this, e.args.get("start"), e.args.get("length")),
        exp.National: lambda self, e: _quoted(e.name),
        exp.HexString: lambda self, e: f"X'{'0' * (len(e.name) % 2)}{e.name}'",
    }

    def anonymous_sql(self, expression: exp.Anonymous) -> str:
        """A call of a function by its name."""
        name, values = expression.name.lower(), expression.expressions
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
        return self.func(CALLS.get(name, expression.name), *values, normalize=False)

    def binary(self, expression: exp.Binary, op: str) -> str:
        """An operator between two values: also a shift by an INTERVAL, and a comparison with ANY or ALL of a query."""
        left, right = expression.this, expression.expression
        if op in ("+", "-") and isinstance(right, exp.Interval):
            return self._shift(left, right, op.replace("+", ""))
        if op == "+" and isinstance(left, exp.Interval):
            return self._shift(right, left)
        if isinstance(right, exp.Any | exp.All) and isinstance(right.this.unnest(), exp.Query):
            return f"{self.sql(left)} {self._quantified(op, right)}"
        return super().binary(expression, op)

    def _shift(self, moment: exp.Expr, by: exp.Interval, sign: str = "") -> str:
        unit = exp.Literal.string((by.unit.name if by.unit else "").lower())
        return f"mysql_shift({self.sql(moment)}, {sign}({self.sql(by.this)}), {self.sql(unit)})"

    def _quantified(self, operator: str, query: exp.Any | exp.All) -> str:
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
            scale = int(sizes[1]) if len(sizes) > 1 else 0
            return f"CAST(mysql_decimal({value}, {scale}) AS {'NUMERIC' if scale else 'INTEGER'})"
        form = CASTS.get(kind.this.name if isinstance(kind.this, exp.DType) else "")
        if form is None:
            return super().cast_sql(expression)
        made = form.format(value=value)
        return f"mysql_left({made}, {sizes[0]})" if sizes and made.endswith("TEXT)") else made

    def literal_sql(self, expression: exp.Literal) -> str:
        """A number as it stands; a string without escapes."""
        parent = expression.parent
        escaped = isinstance(parent, exp.Like) and expression is parent.expression and "\\" in expression.name
        ending = " ESCAPE '\\'" if escaped and not isinstance(parent.parent if parent else None, exp.Escape) else ""
        return _quoted(expression.name) + ending if expression.is_string else expression.name

    def introducer_sql(self, expression: exp.Introducer) -> str:
        """A string with its character set."""
        if expression.name.lower() == "_binary":
            return _blob(expression.expression.name.encode("utf-8", "surrogateescape"))
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
        return self.func(call, expression.this, expression.expression, normalize=False)

    def collate_sql(self, expression: exp.Collate) -> str:
        """COLLATE, by what SQLite knows the collation as."""
        name = expression.expression.name
        known = "RTRIM" if name.endswith("_bin") else collation.NAME if name.endswith("_ci") else name
        return f"{self.sql(expression.this)} COLLATE {known}"

    def groupconcat_sql(self, expression: exp.GroupConcat) -> str:
        """`mysql_group_concat(distinct, downwards, separator, value, key)`."""
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

    def join_sql(self, expression: exp.Join) -> str:
        """A join; SQLite has no STRAIGHT_JOIN."""
        if expression.kind == "STRAIGHT_JOIN":
            expression.set("kind", None)
        return super().join_sql(expression)

    def onconflict_sql(self, expression: exp.OnConflict) -> str:
        """ON DUPLICATE KEY UPDATE."""
        return f"ON CONFLICT DO UPDATE SET {self.expressions(expression, flat=True)}"


class MysqlOnSqlite(SQLite):
    """SQLite with names in backticks: what stands in double quotes and is no name is a text to SQLite."""

    class Tokenizer(SQLite.Tokenizer):
        """Where generators look for quotes."""

        IDENTIFIERS = ["`"]

    Generator = Writer


@dataclass(frozen=True, slots=True)
class TableShape:
    """A table's columns in lower case, and those that tell its rows apart."""

    columns: frozenset[str]
    key: tuple[str, ...]


Shapes = Callable[[str], TableShape | None]
"""The shape of the table of that name; None where there is none."""


class UnsupportedChangeError(Exception):
    """A statement changes several tables at once."""


@remembered
def read(statement: str) -> exp.Expr:
    """*statement* as a tree, not to be altered. Raises ValueError for what is not understood, or too long to be."""
    if len(statement) > LONGEST:
        raise ValueError("too long to be translated")
    text = uncommented(statement)
    replacing = first_word(text) == "replace"
    if replacing:
        text = re.sub(r"\breplace\b(\s+into\b)?", "INSERT INTO", text, count=1, flags=re.IGNORECASE)
    if any(comma.text == "," and token.lower in AFTER_LISTS for comma, token in pairwise(meaningful(text))):
        raise ValueError("a list ends in a comma")  # sqlglot does not mind, MySQL does
    parsed = syntax_trees(text, Reader)
    if len(parsed) != 1 or not isinstance(parsed[0], TRANSLATED):
        raise ValueError("not one statement about data")
    for union in parsed[0].find_all(exp.SetOperation):
        if isinstance(union.this, exp.Select) and (union.this.args.get("order") or union.this.args.get("limit")):
            raise ValueError("the first part of a UNION is in order without brackets")
    if replacing:
        parsed[0].set("alternative", "REPLACE")
    return parsed[0]


TRANSLATED = (exp.Query, exp.Insert, exp.Update, exp.Delete, exp.TruncateTable, exp.Create, exp.Drop)


def translate(statement: str, own: str = "", shapes: Shapes = lambda table: None) -> str:
    """*statement* for SQLite, in the database *own*.

    Raises ValueError for what is not understood, UnsupportedChangeError for changes of several tables.
    """
    if first_word(statement) in CHANGING:
        return _write(read(statement), own, shapes)
    return _translated(statement, own)


CHANGING = frozenset({"update", "delete"})
"""Statements of which the translation depends on the tables."""


@remembered
def _translated(statement: str, own: str) -> str:
    return _write(read(statement), own, lambda table: None)


def _write(tree: exp.Expr, own: str, shapes: Shapes) -> str:
    tree = tree.copy()
    for node in list(tree.find_all(exp.Table, exp.Column, exp.Select, exp.Subquery)):
        if isinstance(node, exp.Subquery):
            ordered = any(node.args.get(part) for part in ("order", "limit", "offset"))  # merged when it is written
            if not ordered and (node.parent is None or isinstance(node.parent, exp.SetOperation)):
                whole = exp.select("*")
                tree = whole if node is tree else tree
                node.replace(whole)
                whole.from_(node, copy=False)
        elif isinstance(node, exp.Select):
            node.set("operation_modifiers", None)
            source = node.args.get("from_")
            if source and source.this.name.lower() == "dual" and not source.this.args.get("db"):
                node.set("from_", None)
        elif own and node.text("db").lower() == own:
            node.set("db", None)
    try:
        made = CHANGES[type(tree)](tree, shapes) if type(tree) in CHANGES else tree
    except PARSE_ERRORS as error:
        raise ValueError(str(error)) from error
    return write(made)


def write(tree: exp.Expr) -> str:
    """A tree in SQLite's words. Raises ValueError where there are none."""
    try:
        return tree.sql(MysqlOnSqlite, unsupported_level=ErrorLevel.IGNORE, normalize_functions=False, comments=False)
    except PARSE_ERRORS as error:
        raise ValueError(str(error)) from error


@remembered
def translate_expression(text: str) -> str:
    """An expression for SQLite: a default, a check. Raises ValueError."""
    selected = read(f"SELECT {text}").selects
    if len(selected) != 1:
        raise ValueError("no expression")
    return write(selected[0].unalias())


def literals(statement: str) -> str:
    """*statement* with its texts as SQLite writes them, and nothing else changed."""
    found = tokens(uncommented(statement))
    return "".join(_literal(found, at, token) for at, token in enumerate(found)).rstrip().rstrip(";")


def _literal(found: Sequence[Token], at: int, token: Token) -> str:
    before = found[at - 1].lower if at and found[at - 1].kind == "word" else ""
    after = found[at + 1].text[0] if at + 1 < len(found) else ""
    if token.kind == "word" and token.lower in ("b", "x", "n", "_binary", "_utf8mb4") and after in "'\"":
        return ""
    if token.kind == "number" and token.text[:2].lower() == "0x":
        return f"X'{'0' * (len(token.text) % 2)}{token.text[2:]}'"
    if token.kind != "string":
        return "\n" if token.text[0] == "#" else token.text
    value = content(token.text)
    if before == "x":
        return f"X'{value}'"
    if before == "b" and set(value) <= {"0", "1"}:
        return str(int(value or "0", 2))
    return _blob(value.encode("utf-8", "surrogateescape")) if before == "_binary" else _quoted(value)


def _quoted(text: str) -> str:
    return _blob(text.encode("utf-8", "surrogateescape")) if "\0" in text else "'" + text.replace("'", "''") + "'"


def _blob(data: bytes) -> str:
    return f"X'{data.hex()}'"


# Statements that are other statements to SQLite


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
    named = _tables([tree.this])
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
        this=exp.to_table(exp.to_identifier(named[alias], quoted=True)),
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
    alias, named = targets[0].name.lower(), _tables([sources])
    shape = shapes(named[alias]) if named.get(alias) else None
    if shape is None:
        raise ValueError("not understood")
    keys = [exp.column(key, quoted=True) for key in shape.key]
    selected = [exp.column(key, table=alias, quoted=True) for key in shape.key]
    return exp.Delete(
        this=exp.to_table(exp.to_identifier(named[alias], quoted=True)),
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


def _tables(sources: Collection[exp.Expr]) -> dict[str, str]:
    """The tables that are named, by what they are called here; "" for a query in brackets."""
    found: dict[str, str] = {}
    for source in sources:
        found[source.alias_or_name.lower()] = source.name.lower() if isinstance(source, exp.Table) else ""
        found |= _tables([join.this for join in source.args.get("joins") or ()])
    return found


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
