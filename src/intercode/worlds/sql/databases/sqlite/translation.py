"""A statement of MySQL in SQLite's words: read as a tree by sqlglot, and written by a generator of our own.

Functions stay calls by their names, since the connection has MySQL's (see `functions`); the generator changes what
MySQL writes in ways of its own. What sqlglot cannot read goes to SQLite as it stands, but for its literals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from sqlglot import ErrorLevel, exp
from sqlglot.parsers.mysql import MySQLParser

from intercode.worlds.sql.databases.dialect.errors import syntax_error
from intercode.worlds.sql.databases.dialect.syntax_tree import PARSE_ERRORS, PatientReader, syntax_trees
from intercode.worlds.sql.databases.dialect.tokenizer import (
    Token,
    cache_statements,
    content,
    first_word,
    meaningful,
    tokens,
)
from intercode.worlds.sql.databases.dumps.script import uncomment
from intercode.worlds.sql.databases.sqlite.changes import CHANGES
from intercode.worlds.sql.databases.sqlite.column_contexts import read_in_context
from intercode.worlds.sql.databases.sqlite.comparisons import compare_by_type
from intercode.worlds.sql.databases.sqlite.expression_types import ExpressionTypes
from intercode.worlds.sql.databases.sqlite.generator import MysqlOnSqlite, blob, quote
from intercode.worlds.sql.databases.sqlite.group_order import group_by_outer_columns, order_groups
from intercode.worlds.sql.databases.sqlite.having import filter_rows, keep_first_values
from intercode.worlds.sql.databases.sqlite.merged_queries import join_columns, keep_first_rows
from intercode.worlds.sql.databases.sqlite.rollup import roll_up
from intercode.worlds.sql.databases.sqlite.table_shapes import Shapes, TableShape, inserted_table
from intercode.worlds.sql.databases.sqlite.unsupported import StatementError, refuse_unsupported
from intercode.worlds.sql.databases.sqlite.value_types import ValueType

LONGEST = 64 << 10
"""Characters; longer statements are not read, since that would take seconds."""

INTRODUCERS = ("_binary", "_utf8", "_utf8mb3", "_utf8mb4")
"""Character sets that a text may be said to be in, if it is UTF-8 or bytes."""

MODIFIED = re.compile(r"\s*(update|delete)\b((?:\s+(?:low_priority|quick|ignore)\b)+)", re.IGNORECASE)
"""A change that says how it is to be made; sqlglot does not know of that."""

AFTER_LISTS = frozenset({",", ")", "from", "where", "group", "order", "having", "limit"})


CLAUSES = {"join": 1, "where": 2, "group": 3, "having": 4, "order": 5, "limit": 6}
"""Words that begin a clause of a query, and their order. All are reserved: columns of such names have marks around."""


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


@lru_cache(maxsize=256)
def read(statement: str) -> exp.Expr:
    """Return *statement* as a tree, not to be altered.

    Raises:
        StatementError: For a FULL JOIN.
        ValueError: For what is not understood, or too long to be.
    """
    if len(statement) > LONGEST:
        raise ValueError("too long to be translated")
    text = uncomment(statement)
    replacing = first_word(text) == "replace"
    if replacing:
        text = re.sub(r"\breplace\b(\s+into\b)?", "INSERT INTO", text, count=1, flags=re.IGNORECASE)
    ignoring = MODIFIED.match(text)
    if ignoring:
        text = f"{ignoring[1]} {text[ignoring.end() :]}"
    found = [*meaningful(text)]
    if any(comma.text == "," and token.lower in AFTER_LISTS for comma, token in pairwise(found)):
        raise ValueError("a list ends in a comma")  # sqlglot does not mind, MySQL does
    for before, word, after in zip(found, found[1:], found[2:], strict=False):
        if word.lower == "full" and after.lower in ("outer", "join") and before.lower != "as":  # no join to MySQL
            raise StatementError(syntax_error(text, word.start))
    if not _in_order(found):
        raise ValueError("a clause stands behind one that it should stand before")  # neither does it mind this
    parsed = syntax_trees(text, Reader)
    if len(parsed) != 1 or not isinstance(parsed[0], TRANSLATED):
        raise ValueError("not one statement about data")
    if any(None in call.expressions for call in parsed[0].find_all(exp.Anonymous)):
        raise ValueError("a call without an end")
    for union in parsed[0].find_all(exp.SetOperation):
        if isinstance(union.this, exp.Select) and (union.this.args.get("order") or union.this.args.get("limit")):
            raise ValueError("the first part of a UNION is in order without brackets")
    if replacing:
        parsed[0].set("alternative", "REPLACE")
    if ignoring and "ignore" in ignoring[2].lower():
        parsed[0].set("ignore", True)
    return parsed[0]


def _in_order(found: Sequence[Token]) -> bool:
    """Return whether the clauses of each query come in the order that MySQL wants, within and outside of brackets."""
    last = [0]
    for before, token in pairwise(found):
        if token.text == "(":
            last.append(0)
        elif token.text == ")":
            last = last[:-1] or [0]
        elif token.kind != "word" or before.text == "." or before.lower == "for":
            continue
        elif token.lower in ("select", "union", "intersect", "except"):
            last[-1] = 0
        elif place := CLAUSES.get(token.lower, 0):
            if place < last[-1]:
                return False
            last[-1] = place
    return True


TRANSLATED = (exp.Query, exp.Insert, exp.Update, exp.Delete, exp.TruncateTable, exp.Create, exp.Drop)


class Translation(NamedTuple):
    """A statement for SQLite, and the databases that are named in it beside the session's.

    `replacing`: the table whose rows may make room for others, in an INSERT.
    `types`: of the columns that are selected, as far as they are known.
    """

    text: str
    databases: frozenset[str] = frozenset()
    replacing: str = ""
    types: tuple[ValueType | None, ...] = ()


def translate(statement: str, own: str = "", shapes: Shapes = lambda table: None) -> Translation:
    """Return *statement* for SQLite, in the database *own*.

    Raises:
        ValueError: For what is not understood.
        UnsupportedStatementError: For what SQLite cannot do as a server does.
    """
    return _translate(statement, own, tuple((name, shapes(name)) for name in _tables(statement)))


@cache_statements
def _tables(statement: str) -> tuple[str, ...]:
    return tuple({table.name.lower() for table in read(statement).find_all(exp.Table)})


@cache_statements
def _translate(statement: str, own: str, shapes: tuple[tuple[str, TableShape | None], ...]) -> Translation:
    return _write(read(statement), own, dict(shapes).get)


def _write(statement: exp.Expr, own: str, shapes: Shapes) -> Translation:
    refuse_unsupported(statement)
    tree, named = _normalized(statement.copy(), own)
    filter_rows(tree)
    changes = isinstance(tree, exp.Insert | exp.Update | exp.Delete)
    types = ExpressionTypes(shapes, strict=changes and not tree.args.get("ignore"))
    for each in tree.walk():
        types(each)  # before any is put in another's place
    shown = tuple(kind for _, kind in types.columns(tree))
    for union in list(tree.find_all(exp.SetOperation)):
        join_columns(union, types)
    compare_by_type(tree, types)
    read_in_context(tree, types)
    keep_first_values(tree)
    group_by_outer_columns(tree, shapes)
    order_groups(tree, shapes)
    try:
        kept = keep_first_rows(tree)
        made = CHANGES[type(kept)](kept, types) if type(kept) in CHANGES else kept
    except PARSE_ERRORS as error:
        raise ValueError(str(error)) from error
    return Translation(write(made), named, _replaced_table(made), shown)


def _normalized(tree: exp.Expr, own: str) -> tuple[exp.Expr, frozenset[str]]:
    """Return *tree* in forms that SQLite has, and the databases but for its *own* that are named in it."""
    named: set[str] = set()
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
        elif node.text("db").lower() == own:
            node.set("db", None)
        elif isinstance(node, exp.Table):
            named.add(node.db.lower())
    return roll_up(tree), frozenset(named)


def _replaced_table(tree: exp.Expr) -> str:
    replaces = tree.args.get("conflict") or tree.args.get("alternative") == "REPLACE"
    return inserted_table(tree).name if isinstance(tree, exp.Insert) and replaces else ""


def write(tree: exp.Expr) -> str:
    """Return a tree in SQLite's words.

    Raises:
        ValueError: If there are none.
    """
    try:
        return tree.sql(MysqlOnSqlite, unsupported_level=ErrorLevel.IGNORE, normalize_functions=False, comments=False)
    except PARSE_ERRORS as error:
        raise ValueError(str(error)) from error


@cache_statements
def translate_expression(text: str) -> str:
    """Return an expression for SQLite: a default, a check.

    Raises:
        ValueError: If it is not understood.
    """
    tree = read(f"SELECT {text}")
    selected = tree.selects if isinstance(tree, exp.Select) else []
    if len(selected) != 1:
        raise ValueError("no expression")
    return write(selected[0].unalias())


@cache_statements
def literals(statement: str) -> str:
    """Return *statement* with its texts as SQLite writes them, and nothing else changed."""
    found = [*_joined_introducers(tokens(uncomment(statement)))]
    return "".join(_literal(found, at, token) for at, token in enumerate(found)).rstrip().rstrip(";")


def _joined_introducers(found: Sequence[Token]) -> Iterator[Token]:
    """Yield *found* without the blanks behind a character set before a text.

    `_binary 'x'`, as mysqldump writes blobs.
    """
    last = ""
    for token in found:
        if token.kind == "space" and last in INTRODUCERS:
            continue
        yield token
        last = token.lower if token.kind == "word" else ""


def _literal(found: Sequence[Token], at: int, token: Token) -> str:
    before = found[at - 1].lower if at and found[at - 1].kind == "word" else ""
    after = found[at + 1].text[0] if at + 1 < len(found) else ""
    if token.kind == "word" and token.lower in ("b", "x", "n", *INTRODUCERS) and after in "'\"":
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
    return blob(value.encode("utf-8", "surrogateescape")) if before == "_binary" else quote(value)
