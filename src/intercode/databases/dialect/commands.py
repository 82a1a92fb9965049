"""MySQL's statements about the server rather than the data: SHOW, DESC, USE, SET and the like, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from intercode.databases.dialect.tokenizer import Token, cache_statements, content, first_word, meaningful, plain

Kind = Literal[
    "tables", "databases", "columns", "create", "index", "use", "set", "global", "transaction", "ignored", "empty"
]
"""`ignored` does nothing, `empty` has a result without rows, `global` is a SET that touches others."""


@dataclass(frozen=True, slots=True)
class ServerCommand:
    """One such statement. `like` is a pattern, `full` asks for more columns, `word` is a transaction's first word."""

    kind: Kind
    table: str = ""
    database: str = ""
    like: str | None = None
    full: bool = False
    word: str = ""


@cache_statements
def server_command(statement: str) -> ServerCommand | None:
    """*statement* as a command; None for what is about data, or is none."""
    first = first_word(statement)
    if first not in WORDS:
        return None
    found = [token for token in meaningful(statement) if token.text != ";"]
    if first == "show":
        return _show(found[1:])
    if first in ("desc", "describe", "explain") and len(found) > 1:
        return _describe(found[1:])
    if first == "use" and len(found) == 2:
        return ServerCommand("use", database=plain(found[1]))
    if first == "set":
        words = {token.lower.partition(".")[0] for token in found}
        far = {"global", "persist", "persist_only", "password", "@@global", "@@persist"}
        return ServerCommand("global" if words & far else "set")
    if first in ("begin", "start", "commit", "rollback") and len(found) <= 2:
        return ServerCommand("transaction", word=first)
    return ServerCommand("ignored") if first in ("lock", "unlock", "flush", "kill") else None


WORDS = frozenset({
    "show", "desc", "describe", "explain", "use", "set", "begin", "start", "commit", "rollback", "lock", "unlock",
    "flush", "kill",
})  # fmt: skip


def _describe(rest: list[Token]) -> ServerCommand | None:
    if rest[0].lower in ("select", "with", "insert", "update", "delete", "replace", "analyze", "format", "("):
        return None
    names = _qualified_name(rest)
    if names is None:
        return None
    database, table, used = names
    column = rest[used:]
    if len(column) > 1:
        return None
    return ServerCommand("columns", table, database, like=plain(column[0]) if column else None)


def _qualified_name(rest: list[Token]) -> tuple[str, str, int] | None:
    """`table` or `database.table`, and how many tokens that took."""
    if not rest or rest[0].kind not in ("word", "name"):
        return None
    if len(rest) >= 3 and rest[1].text == ".":
        return plain(rest[0]), plain(rest[2]), 3
    return "", plain(rest[0]), 1


def _show(rest: list[Token]) -> ServerCommand | None:
    words = [token.lower for token in rest]
    full = "full" in words[:2]
    while words and words[0] in ("full", "extended", "global", "session"):
        words, rest = words[1:], rest[1:]
    if not words:
        return None
    if words[0] == "tables":
        return _parse_scope("tables", rest[1:], full)
    if words[0] in ("databases", "schemas"):
        return _parse_scope("databases", rest[1:], full)
    if words[0] in ("columns", "fields", "index", "indexes", "keys"):
        return _of_table("columns" if words[0] in ("columns", "fields") else "index", rest[1:], full)
    if words[:2] in (["create", "table"], ["create", "view"]) and (names := _qualified_name(rest[2:])):
        return ServerCommand("create", names[1], names[0]) if len(rest) == 2 + names[2] else None
    quiet = {
        "warnings", "errors", "status", "variables", "triggers", "events", "procedure", "function", "grants", "engines",
        "processlist",
    }  # fmt: skip
    return ServerCommand("empty") if words[0] in quiet else None


def _parse_scope(kind: Kind, rest: list[Token], full: bool) -> ServerCommand | None:
    """[FROM database] [LIKE pattern]."""
    database = ""
    if len(rest) >= 2 and rest[0].lower in ("from", "in"):
        database, rest = plain(rest[1]), rest[2:]
    like = _like(rest)
    return None if rest and like is None else ServerCommand(kind, database=database, like=like, full=full)


def _of_table(kind: Kind, rest: list[Token], full: bool) -> ServerCommand | None:
    """FROM table [FROM database] [LIKE pattern]."""
    names = _qualified_name(rest[1:]) if rest and rest[0].lower in ("from", "in") else None
    if names is None:
        return None
    database, table, used = names
    scope = _parse_scope(kind, rest[1 + used :], full)
    return scope and ServerCommand(kind, table, scope.database or database, scope.like, full)


def _like(rest: list[Token]) -> str | None:
    if len(rest) == 2 and rest[0].lower == "like" and rest[1].kind == "string":
        return content(rest[1].text)
    return None
