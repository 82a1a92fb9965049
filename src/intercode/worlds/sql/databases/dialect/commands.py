"""MySQL's statements about the server rather than the data: SHOW, DESC, USE, SET and the like, as values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from intercode.worlds.sql.databases.dialect.token_reader import TokenReader
from intercode.worlds.sql.databases.dialect.tokenizer import cache_statements, first_word, meaningful

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


WORDS = frozenset({
    "show", "desc", "describe", "explain", "use", "set", "begin", "start", "commit", "rollback", "lock", "unlock",
    "flush", "kill",
})  # fmt: skip

SHOWN: dict[str, Kind] = {
    "tables": "tables", "databases": "databases", "schemas": "databases", "columns": "columns", "fields": "columns",
    "index": "index", "indexes": "index", "keys": "index",
    **dict.fromkeys(("warnings", "errors", "status", "variables", "triggers", "events", "procedure", "function",
                     "grants", "engines", "processlist"), "empty"),
}  # fmt: skip

EXPLAINED = frozenset({"select", "with", "insert", "update", "delete", "replace", "analyze", "format"})
"""What stands after DESC where it asks for a plan."""

FAR = frozenset({"global", "persist", "persist_only", "password", "@@global", "@@persist"})


@cache_statements
def server_command(statement: str) -> ServerCommand | None:
    """Return *statement* as a command; None for what is about data, or is none."""
    first = first_word(statement)
    if first not in WORDS:
        return None
    found = [token for token in meaningful(statement) if token.text != ";"]
    reader = TokenReader(found[1:])
    if first == "show":
        return _show(reader)
    if first in ("desc", "describe", "explain"):
        return None if reader.peek() in EXPLAINED else _of_table("columns", reader, column=True)
    if first == "use" and len(found) == 2:
        return ServerCommand("use", database=reader.name())
    if first == "set":
        words = {token.lower.partition(".")[0] for token in found}
        return ServerCommand("global" if words & FAR else "set")
    if first in ("begin", "start", "commit", "rollback") and len(found) <= 2:
        return ServerCommand("transaction", word=first)
    return ServerCommand("ignored") if first in ("lock", "unlock", "flush", "kill") else None


def _show(reader: TokenReader) -> ServerCommand | None:
    """Of tables: FROM table. Of all but the list of databases: FROM database. Of all: LIKE pattern."""
    full = False
    while reader.peek() in ("full", "extended", "global", "session"):
        full |= reader.next().lower == "full"
    if reader.skip("create", "table") or reader.skip("create", "view"):
        return _of_table("create", reader)
    kind = SHOWN.get(reader.next().lower)
    if kind is None or kind == "empty":
        return kind and ServerCommand(kind)
    if kind in ("columns", "index"):
        return _of_table(kind, reader, full) if reader.skip("from") or reader.skip("in") else None
    return _of_scope(ServerCommand(kind, full=full), reader)


def _of_table(kind: Kind, reader: TokenReader, full: bool = False, *, column: bool = False) -> ServerCommand | None:
    """Of a table, which may be named with its database; or of a *column* of it, as DESC writes it."""
    if not (reader.more() and reader.found[reader.at].kind in ("word", "name")):
        return None
    database, table = reader.qualified_name()
    if column:
        like = reader.name() if reader.more() else None
        return None if reader.more() else ServerCommand(kind, table, database, like)
    return _of_scope(ServerCommand(kind, table, database, full=full), reader)


def _of_scope(command: ServerCommand, reader: TokenReader) -> ServerCommand | None:
    """[FROM database] [LIKE pattern], where *command* takes them."""
    if command.kind not in ("databases", "create") and (reader.skip("from") or reader.skip("in")):
        if not reader.more():
            return None
        command = replace(command, database=reader.name())
    if command.kind != "create" and reader.skip("like") and reader.more() and reader.found[reader.at].kind == "string":
        command = replace(command, like=reader.name())
    return None if reader.more() else command
