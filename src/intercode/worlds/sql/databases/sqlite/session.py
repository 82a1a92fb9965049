"""A session on the embedded SQLite: it reads a file that all share, and gets a copy of its own at the first change."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping

from intercode.types.databases import VIEW_LIMITS, DatabaseSession, QueryLimits, QueryResult, Row, TableState
from intercode.worlds.sql.databases.dialect.access_level import access_level
from intercode.worlds.sql.databases.dialect.commands import ServerCommand, server_command
from intercode.worlds.sql.databases.dialect.errors import format_error
from intercode.worlds.sql.databases.dialect.tokenizer import first_word
from intercode.worlds.sql.databases.dialect.validation import unreadable
from intercode.worlds.sql.databases.source_database import SourceSession
from intercode.worlds.sql.databases.sqlite import values
from intercode.worlds.sql.databases.sqlite.catalog import Catalog
from intercode.worlds.sql.databases.sqlite.connection import SqliteConnection
from intercode.worlds.sql.databases.sqlite.database_files import DatabaseFiles
from intercode.worlds.sql.databases.sqlite.schema_statements import SchemaStatement
from intercode.worlds.sql.databases.sqlite.show_statements import answer
from intercode.worlds.sql.databases.sqlite.statement_runner import StatementRunner, assignments
from intercode.worlds.sql.databases.sqlite.table_definitions import quote
from intercode.worlds.sql.databases.sqlite.turns import take_turn

COMMITTING = frozenset({"create", "alter", "drop", "truncate", "rename"})
"""Statements before which MySQL commits what is open."""


class SqliteSession(SourceSession):
    """See the top of this file. `library` has the databases of the session's source."""

    def __init__(
        self, library: DatabaseFiles, name: str, limits: QueryLimits, forget: Callable[[DatabaseSession], None]
    ) -> None:
        super().__init__(name, limits, forget)
        self._runner = StatementRunner(library, name, limits)

    def interrupt(self) -> None:
        for engine in tuple(self._runner.engines.values()):
            engine.interrupt()

    def state(self) -> Mapping[str, TableState]:
        self._check_open()
        engine, catalogue = self._runner.engine(self.name), self._runner.catalogue(self.name)
        if not engine.writable:
            return _tables(engine, catalogue)
        copy = engine.copy_committed()
        try:
            return _tables(copy, catalogue)
        finally:
            copy.close()

    def changed(self) -> bool:
        return any(engine.writable and engine.changed() for engine in self._runner.engines.values())

    def close(self) -> None:
        self._open = False
        self._runner.close()
        self._forget(self)

    # Statements about the server

    @take_turn()
    def _answer(self, statement: str, seconds: float) -> QueryResult:
        self._runner.limits = self.limits
        asked = server_command(statement)
        if asked is None:
            error = None if self._runner.library.native else unreadable(statement)
            return self._execute(statement, seconds) if error is None else QueryResult(None, error=error)
        if asked.kind == "set":
            return self._set_variables(statement, seconds)
        if asked.kind == "ignored":
            return QueryResult(None)
        if asked.kind == "transaction":
            return self._transaction(asked)
        name = (asked.database or self._runner.current).lower()
        if name not in self._runner.library.names and asked.kind != "databases":
            return QueryResult(None, error=format_error(1049, f"Unknown database '{name}'"))
        if asked.kind == "use":
            self._runner.current = name
            return QueryResult(None)
        engine = self._runner.engine(name)
        with engine.guard.trust():
            return answer(asked, engine, self._runner.catalogue(name), self._runner.library.names)

    def _set_variables(self, statement: str, seconds: float) -> QueryResult:
        """Variables are kept; settings are taken and do nothing."""
        for name, expression in assignments(statement):
            result = self._runner.run_statement(
                self._runner.engine(self._runner.current), f"SELECT {expression}", seconds
            )
            if result.error is not None:
                return result
            if not self._runner.variables.put(name, result.rows[0][0] if result.rows else None):
                return QueryResult(None, error=format_error(1041, "Out of memory."))
        return QueryResult(None)

    def _transaction(self, asked: ServerCommand) -> QueryResult:
        """BEGIN wants a copy, and commits what is open; COMMIT and ROLLBACK do nothing where nothing is open."""
        begins = asked.word in ("begin", "start")
        engine = self._runner.engine(self._runner.current, writable=begins)
        engine.commit(undo=asked.word == "rollback")
        if begins:
            engine.begin()
        return QueryResult(None)

    # Statements about data

    def _execute(self, statement: str, seconds: float) -> QueryResult:
        kind = access_level(statement)
        engine = self._runner.engine(self._runner.current, writable=kind == "write")
        if kind == "read":
            return self._runner.run_statement(engine, statement, seconds)
        first = first_word(statement)
        if first in COMMITTING and "temporary" not in statement.lower():
            engine.commit()
        if first in COMMITTING and not engine.native:
            result = SchemaStatement(self._runner, engine, statement, seconds).run()
            if result is not None:
                return result
        return self._runner.run_statement(engine, statement, seconds)


def _tables(engine: SqliteConnection, catalogue: Catalog) -> dict[str, TableState]:
    """Return every table and view by name; a view that cannot be read has neither columns nor rows."""
    with engine.guard.trust():
        kinds = catalogue.tables(engine.connection)
        creates = {name: catalogue.create(engine.connection, name) for name, _ in kinds}
    return {
        name: TableState(
            name, *(_view_rows if kind == "VIEW" else _table_rows)(engine, name), (creates[name] or ("", ""))[1]
        )
        for name, kind in kinds
    }


def _table_rows(engine: SqliteConnection, name: str) -> tuple[tuple[str, ...], tuple[Row, ...]]:
    """Return what a table holds; bytes that are no text, which a session can store as such, are written out."""
    try:
        return _rows(engine, name)
    except sqlite3.OperationalError:
        engine.connection.text_factory = values.any_text
        try:
            return _rows(engine, name)
        finally:
            engine.connection.text_factory = str


def _rows(engine: SqliteConnection, name: str) -> tuple[tuple[str, ...], tuple[Row, ...]]:
    with engine.guard.trust(), engine.any_length():
        cursor = engine.connection.execute(f"SELECT * FROM {quote(name)}")
        return tuple(column[0] for column in cursor.description), tuple(sorted(cursor, key=repr))


def _view_rows(engine: SqliteConnection, name: str) -> tuple[tuple[str, ...], tuple[Row, ...]]:
    """Under guard, and for a limited time."""
    try:
        found = engine.execute(f"SELECT * FROM {quote(name)}", seconds=VIEW_LIMITS.seconds, limits=VIEW_LIMITS)
    except sqlite3.Error:
        return (), ()
    return found[1], tuple(sorted(found[0] or (), key=repr))
