"""SQLite's errors in MySQL's words."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection
from pathlib import Path

from intercode.worlds.sql.databases.dialect import errors
from intercode.worlds.sql.databases.dialect.errors import format_error
from intercode.worlds.sql.databases.dialect.tokenizer import Token, cache_statements, first_word, meaningful, plain
from intercode.worlds.sql.databases.dialect.validation import placeholder
from intercode.worlds.sql.databases.sqlite.server_functions import SERVER_FUNCTIONS
from intercode.worlds.sql.databases.sqlite.unsupported import WAY_OUT, unsupported_form

ERRORS = [
    (re.compile(error["sqlite"], re.DOTALL), error["number"], error["text"])
    for error in tomllib.loads(Path(__file__).with_name("errors.toml").read_text())["errors"]
]

NO_TABLE = re.compile(
    r"(?:no such (?:table|view): |access to (?:\w+\.)?(?=sqlite_|pragma_|dbstat))(.+?)(?:(?:\.\w+)? is prohibited)?$"
)
NO_FUNCTION = re.compile(r"no such function: (\w+)$")
NEAR = re.compile(r'near "(.*)": syntax error|unrecognized token: "(.*)"', re.DOTALL)
TOLD = re.compile(r"\d{4} \(\w{5}\): ")
"""How an error begins that one of our functions tells in MySQL's words."""

DENIED = re.compile(r"not authorized|authorization denied|access to .* is prohibited")


def message(error: str, statement: str, database: str, known: Collection[str] = ()) -> str:
    """Return what MySQL says where SQLite says *error* of *statement*, in *database*.

    *known* are all that there are.
    """
    if TOLD.match(error):
        return error
    if (found := NO_FUNCTION.match(error)) and found[1].lower() in SERVER_FUNCTIONS:
        return format_error(1235, f"{found[1].upper()}(): {WAY_OUT}")
    first = first_word(statement)
    if found := NO_TABLE.match(error):
        return _no_table(found[1], first, database, known)
    if found := NEAR.match(error):
        if form := unsupported_form(statement):
            return format_error(1235, f"{form}: {WAY_OUT}")
        return _syntax(found[1] or found[2] or "", statement)
    if error.startswith("incomplete input"):
        return errors.syntax_error(statement, len(statement))
    if error.startswith("FOREIGN KEY constraint failed"):
        if first in ("delete", "drop", "truncate"):
            return format_error(1451, "Cannot delete or update a parent row: a foreign key constraint fails")
        return errors.CHILD_ROW
    if re.match(r"Incorrect number of bindings|Binding \d+ has no name", error):
        return placeholder(statement) or format_error(1064, error)
    if DENIED.match(error):
        if first in ("attach", "detach", "pragma", "vacuum", "reindex"):  # no statements of MySQL's
            return errors.syntax_error(statement.rstrip().rstrip(";"), 0)
        return format_error(1227, "Access denied; you need (at least one of) the SUPER privilege(s) for this operation")
    for pattern, number, text in ERRORS:
        if found := pattern.match(error):
            part = clause(statement, found[1] or found[2]) if "{clause}" in text else ""
            return format_error(number, text.format(found[0], *found.groups(""), database=database, clause=part))
    return format_error(1105, error)


def _no_table(name: str, first: str, database: str, known: Collection[str]) -> str:
    schema, _, table = name.lower().rpartition(".")
    here = database if schema in ("", "main", "temp") else schema
    if here not in (database, *known, "information_schema"):
        return format_error(1049, f"Unknown database '{schema}'")
    if first == "drop":
        return format_error(1051, f"Unknown table '{here}.{table}'")
    return format_error(1146, f"Table '{here}.{table}' doesn't exist")


def _syntax(wanted: str, statement: str) -> str:
    inside = meaningful(statement)
    at = next((token.start for token in inside if token.text == wanted), statement.find(wanted))
    open_end = next((token.start for token in inside if token.kind == "open"), at)
    return errors.syntax_error(statement.rstrip().rstrip(";"), max(0, open_end))


CLAUSES = {
    "select": "field list", "set": "field list", "from": "from clause", "on": "on clause", "where": "where clause",
    "group": "group statement", "having": "having clause", "order": "order clause", "values": "field list",
}  # fmt: skip


@cache_statements
def clause(statement: str, column: str) -> str:
    """MySQL's name for the part of *statement* in which *column* (perhaps with its table) first stands."""
    wanted = column.rpartition(".")[2].lower()
    stack = ["field list"]
    found = meaningful(statement)
    for token, before in zip(found, [None, *found], strict=False):
        if token.text == "(":
            stack.append(stack[-1])
        elif token.text == ")" and len(stack) > 1:
            stack.pop()
        elif token.kind == "word" and token.lower in CLAUSES:
            stack[-1] = CLAUSES[token.lower]
        elif _is(token, wanted) and not _is_alias(before) and stack[-1] != "from clause":
            return stack[-1]
    return "field list"


def _is(token: Token, wanted: str) -> bool:
    return token.kind in ("word", "name") and plain(token).lower() == wanted


def _is_alias(before: Token | None) -> bool:
    return before is not None and before.lower == "as"
