"""A session on the embedded SQLite: it reads a file that all share, and gets a copy of its own at the first change."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from sqlglot import exp

from intercode.databases.base import DatabaseSession, QueryLimits, QueryResult, TableState
from intercode.databases.dialect.access_level import access_level
from intercode.databases.dialect.alteration import Alteration, AlterationError, alterations
from intercode.databases.dialect.commands import ServerCommand, server_command
from intercode.databases.dialect.definition import TableDefinition, like, parse
from intercode.databases.dialect.errors import format_error
from intercode.databases.dialect.show_create import show_create
from intercode.databases.dialect.tokenizer import first_word, plain
from intercode.databases.dialect.validation import unreadable, validation_error
from intercode.databases.sqlite import information_schema
from intercode.databases.sqlite.alter_table import BESIDE, alter
from intercode.databases.sqlite.catalog import Catalog, TableInfo, described
from intercode.databases.sqlite.connection import SqliteConnection, reading
from intercode.databases.sqlite.database_files import DatabaseFiles
from intercode.databases.sqlite.error_messages import message
from intercode.databases.sqlite.introspection import tables
from intercode.databases.sqlite.session_variables import SessionVariables, assigned
from intercode.databases.sqlite.show_statements import answer
from intercode.databases.sqlite.table_definitions import create, quoted
from intercode.databases.sqlite.translation import (
    TableShape,
    UnsupportedChangeError,
    literals,
    read,
    translate,
    write,
)
from intercode.errors import DatabaseGoneError

DEFINING = ("create", "alter", "drop")

COMMITTING = frozenset({*DEFINING, "truncate", "rename"})
"""Statements before which MySQL commits what is open."""


class SqliteSession(DatabaseSession):
    """See the top of this file. `library` has the databases of the session's source."""

    def __init__(
        self, library: DatabaseFiles, name: str, limits: QueryLimits, forget: Callable[[DatabaseSession], None]
    ) -> None:
        self.name, self.limits, self.library = name, limits, library
        self._current = name
        self._engines: dict[str, SqliteConnection] = {name: library.acquire(name)}
        self._catalogues: dict[str, Catalog] = {}
        self._variables = SessionVariables()
        self._forget = forget
        self._open = True

    def run(self, statement: str, *, timeout: float | None = None) -> QueryResult:
        """See `DatabaseSession.run`."""
        self._check_open()
        started = time.perf_counter()
        error = validation_error(statement, self.limits.statement)
        seconds = self.limits.seconds if timeout is None else timeout
        result = QueryResult(None, error=error) if error else self._answer(statement, seconds)
        return result.taking(time.perf_counter() - started)

    def state(self) -> Mapping[str, TableState]:
        """See `DatabaseSession.state`."""
        self._check_open()
        engine, catalogue = self._engine(self.name), self._catalogue(self.name)
        if not engine.writable:
            return tables(engine, catalogue)
        copy = engine.committed()
        try:
            return tables(copy, catalogue)
        finally:
            copy.close()

    def changed(self) -> bool:
        """See `DatabaseSession.changed`."""
        return any(engine.writable and engine.changed() for engine in self._engines.values())

    def close(self) -> None:
        """See `DatabaseSession.close`."""
        self._open = False
        for engine in self._engines.values():
            self.library.release(engine)
        self._engines.clear()
        self._forget(self)

    def _check_open(self) -> None:
        if not self._open:
            raise DatabaseGoneError("this session is closed: open another")

    def _engine(self, name: str, *, writable: bool = False) -> SqliteConnection:
        """The session's engine on that database; a copy of its own when it is to be *writable*."""
        engine = self._engines.get(name)
        if engine is None:
            engine = self._engines[name] = self.library.acquire(name)
        if writable and not engine.writable:
            self.library.release(engine)
            engine = self._engines[name] = self.library.copy(name)
        return engine

    def _catalogue(self, name: str) -> Catalog:
        if name not in self._catalogues:
            self._catalogues[name] = self.library.catalogue(name)
        return self._catalogues[name]

    # Statements about the server

    def _answer(self, statement: str, seconds: float) -> QueryResult:
        asked = server_command(statement)
        if asked is None:
            error = None if self.library.native else unreadable(statement)
            return self._execute(statement, seconds) if error is None else QueryResult(None, error=error)
        if asked.kind == "set":
            return self._set(statement, seconds)
        if asked.kind == "ignored":
            return QueryResult(None)
        if asked.kind == "transaction":
            return self._transaction(asked)
        name = (asked.database or self._current).lower()
        if name not in self.library.names and asked.kind != "databases":
            return QueryResult(None, error=format_error(1049, f"Unknown database '{name}'"))
        if asked.kind == "use":
            self._current = name
            return QueryResult(None)
        engine = self._engine(name)
        with engine.guard.trust():
            return answer(asked, engine, self._catalogue(name), self.library.names)

    def _set(self, statement: str, seconds: float) -> QueryResult:
        """Variables are kept; settings are taken and do nothing."""
        for name, expression in assigned(statement):
            result = self._tried(self._engine(self._current), f"SELECT {expression}", seconds)
            if result.error is not None:
                return result
            self._variables.put(name, result.rows[0][0] if result.rows else None)
        return QueryResult(None)

    def _transaction(self, asked: ServerCommand) -> QueryResult:
        """BEGIN wants a copy, and commits what is open; COMMIT and ROLLBACK do nothing where nothing is open."""
        begins = asked.word in ("begin", "start")
        engine = self._engine(self._current, writable=begins)
        engine.commit(undo=asked.word == "rollback")
        if begins:
            engine.begin()
        return QueryResult(None)

    # Statements about data

    def _execute(self, statement: str, seconds: float) -> QueryResult:
        kind = access_level(statement)
        engine = self._engine(self._current, writable=kind == "write")
        if kind == "read":
            return self._tried(engine, statement, seconds)
        first = first_word(statement)
        if first in COMMITTING and "temporary" not in statement.lower():
            engine.commit()
        if first in COMMITTING and not engine.native:
            result = self._defined(engine, statement, seconds)
            if result is not None:
                return result
        return self._tried(engine, statement, seconds)

    def _defined(self, engine: SqliteConnection, statement: str, seconds: float) -> QueryResult | None:
        """Run a statement about tables as such; None for one that SQLite understands when it is translated."""
        definition = parse(statement) or self._copied(engine, statement)
        if definition is not None:
            return self._define(engine, definition, statement, seconds)
        altered = self._altered(engine, statement, seconds)
        if altered is not None:
            return altered
        try:
            tree = read(statement)
        except ValueError:
            return None
        if isinstance(tree, exp.Create) and tree.kind == "VIEW":
            return self._view(engine, tree, statement, seconds)
        if isinstance(tree, exp.Drop) and len(tree.args["tables"]) > 1:
            return self._dropped(engine, tree, seconds)
        if isinstance(tree, exp.TruncateTable):
            return self._emptied(engine, tree.expressions[0].name, statement, seconds)
        return None

    def _emptied(self, engine: SqliteConnection, table: str, statement: str, seconds: float) -> QueryResult:
        """After TRUNCATE rows are numbered from 1 again, and nobody counts those that went."""
        result = self._tried(engine, statement, seconds)
        if result.error is not None:
            return result
        with engine.guard.trust():
            if engine.connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'").fetchone():
                asked = "DELETE FROM sqlite_sequence WHERE name = ? COLLATE NOCASE"
                engine.connection.execute(asked, (table,)).close()
        return QueryResult(None)

    def _dropped(self, engine: SqliteConnection, tree: exp.Drop, seconds: float) -> QueryResult:
        """Drop several tables or none. One that another of them refers to can only go after that."""
        kind, exists = tree.args["kind"], tree.args.get("exists")
        left = [write(exp.Drop(kind=kind, exists=exists, tables=[table.copy()])) for table in tree.args["tables"]]
        engine.begin()
        while left:
            results = [(part, self._tried(engine, part, seconds)) for part in left]
            left = [part for part, result in results if result.error is not None]
            if len(left) == len(results):
                engine.commit(undo=True)
                return next(result for _, result in results if result.error is not None)
        engine.commit()
        return QueryResult(None)

    def _shape(self, engine: SqliteConnection, table: str) -> TableShape | None:
        """What tells the rows of *table* apart: its primary key, or the numbers that SQLite gives them."""
        with engine.guard.trust():
            found = engine.connection.execute(f"PRAGMA table_info({quoted(table)})").fetchall()
        key = tuple(column[1] for column in found if column[5]) or ("rowid",)
        return TableShape(frozenset(column[1].lower() for column in found), key) if found else None

    def _tried(self, engine: SqliteConnection, statement: str, seconds: float) -> QueryResult:
        """Run *statement* in the first way in which SQLite understands it."""
        deadline, errors = time.monotonic() + seconds, list[str]()
        try:
            for candidate, beside in self._candidates(engine, statement):
                try:
                    return self._run(engine, candidate, deadline - time.monotonic(), beside)
                except (sqlite3.Error, sqlite3.Warning) as error:
                    errors.append(str(error))
                    if not _may_be_helped(errors[-1]):
                        break
        except UnsupportedChangeError as error:
            return QueryResult(None, error=format_error(1235, str(error)))
        return self._failure(next((error for error in errors if not _is_syntax(error)), errors[-1]), statement)

    def _candidates(self, engine: SqliteConnection, statement: str) -> Iterator[tuple[str, set[str]]]:
        """*statement* in SQLite's words, then as it stands, with the databases that it needs beside."""
        beside = {information_schema.NAME} if information_schema.NAME in statement.lower() else set()
        if engine.native:
            yield statement, beside
        with suppress(ValueError):
            text = translate(statement, engine.name, lambda table: self._shape(engine, table))
            named = {table.db.lower() for table in read(statement).find_all(exp.Table) if table.db}
            yield text, beside | (named & set(self.library.names) - {engine.name})
        yield literals(statement), beside

    def _run(
        self, engine: SqliteConnection, candidate: str, seconds: float, beside: Collection[str] = ()
    ) -> QueryResult:
        defining = candidate.lstrip()[:6].lower().startswith(DEFINING)
        with engine.beside({name: self._beside(engine, name) for name in beside}):
            found = engine.execute(
                candidate,
                seconds=max(0.001, seconds),
                limits=self.limits,
                defining=defining,
                variables=self._variables if "@" in candidate else None,
            )
        rows, columns, affected, cut = found
        return QueryResult(None if rows is None else tuple(rows), columns, affected=affected, truncated=cut)

    def _beside(self, engine: SqliteConnection, name: str) -> str | bytes:
        """The other database *name*, for a statement that runs on *engine*."""
        if name != information_schema.NAME:
            return reading(self.library.files[name])
        return (
            information_schema.create_information_schema(self._told())
            if engine.writable
            else self.library.information_schema
        )

    def _told(self) -> Iterator[information_schema.Told]:
        """What information_schema says of what this session sees."""
        for name in self.library.names:
            engine = self._engine(name)
            with engine.guard.trust():
                yield from self._catalogue(name).told(engine.connection)

    def _failure(self, error: str, statement: str) -> QueryResult:
        told_as = message(error, statement, self._current, self.library.names)
        return QueryResult(None, error=told_as, timed_out=error.startswith("interrupted"))

    def _view(self, engine: SqliteConnection, tree: exp.Create, statement: str, seconds: float) -> QueryResult:
        """Make a view, or nothing: one that cannot be read is refused, as by MySQL."""
        name = tree.find(exp.Table).name.replace("`", "``")
        engine.begin()
        if tree.args.get("replace"):
            self._tried(engine, f"DROP VIEW IF EXISTS `{name}`", seconds)
        result = self._tried(engine, statement, seconds)
        if result.error is None:
            result = replace(result, error=self._tried(engine, f"SELECT * FROM `{name}` LIMIT 0", seconds).error)
        engine.commit(undo=result.error is not None)
        return result

    def _define(
        self, engine: SqliteConnection, definition: TableDefinition, statement: str, seconds: float
    ) -> QueryResult:
        """CREATE TABLE, with MySQL's types."""
        try:
            for part in create(definition, self._known(engine)):
                self._run(engine, part, seconds)
        except (sqlite3.Error, sqlite3.Warning) as error:
            return self._failure(str(error), statement)
        except ValueError:  # a default or a check that cannot be read
            return self._tried(engine, statement, seconds)
        catalogue, name = self._catalogue(engine.name), definition.name.lower()
        with engine.guard.trust():
            made = engine.connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()
        if made and not (definition.if_missing or definition.temporary):
            told_as = statement.strip().rstrip(";") if parse(statement) else show_create(definition)
            catalogue.about[name] = TableInfo(made[0], told_as, described(definition))
        return QueryResult(None)

    def _copied(self, engine: SqliteConnection, statement: str) -> TableDefinition | None:
        """The table that CREATE TABLE … LIKE makes: the other's columns and keys, but for foreign ones."""
        wanted = like(statement)
        if wanted is None:
            return None
        with engine.guard.trust():
            other = self._catalogue(engine.name).complete(engine.connection, wanted.other)
        if other is None:
            return None
        return replace(
            other, name=wanted.name, temporary=wanted.temporary, if_missing=wanted.if_missing, foreign=[], database=""
        )

    def _altered(self, engine: SqliteConnection, statement: str, seconds: float) -> QueryResult | None:
        """ALTER TABLE, RENAME TABLE, DROP INDEX; None for what is none of these, or is not understood."""
        wanted = alterations(statement)
        if not wanted:
            return None
        catalogue, known, deadline = self._catalogue(engine.name), self._known(engine), time.monotonic() + seconds
        if error := self._not_renamed(engine, wanted):
            return QueryResult(None, error=error)

        def run(text: str) -> None:
            self._run(engine, text, deadline - time.monotonic())

        try:
            understood = all(alter(engine, catalogue, each, known, run) for each in wanted)
        except AlterationError as error:
            return QueryResult(None, error=str(error))
        except (sqlite3.Error, sqlite3.Warning) as error:
            return self._failure(str(error).replace(BESIDE, wanted[0].table), statement)
        except ValueError:
            return None
        return QueryResult(None) if understood else None

    def _not_renamed(self, engine: SqliteConnection, wanted: Sequence[Alteration]) -> str | None:
        """Why one of several tables cannot be called otherwise: all are renamed, or none."""
        if len(wanted) < 2 or any(token.text == "." for each in wanted for token in each.items[0]):
            return None
        with engine.guard.trust():
            there = {name.lower() for name, kind in self._catalogue(engine.name).tables(engine.connection)}
        for table, name in ((each.table.lower(), plain(each.items[0][-1]).lower()) for each in wanted):
            if table not in there:
                return format_error(1146, f"Table '{engine.name}.{table}' doesn't exist")
            if name in there:
                return format_error(1050, f"Table '{name}' already exists")
            there = there - {table} | {name}
        return None

    def _known(self, engine: SqliteConnection) -> dict[str, TableDefinition]:
        """The tables that keys may refer to, as far as the source describes them."""
        about = self._catalogue(engine.name).about
        found = ((name, parse(table.create)) for name, table in about.items())
        return {name: definition for name, definition in found if definition is not None}


def _is_syntax(error: str) -> bool:
    return "syntax error" in error or error.startswith(("unrecognized token", "incomplete input"))


def _may_be_helped(error: str) -> bool:
    """Whether the same statement in other words may fare better: it was not understood, not refused."""
    return _is_syntax(error) or error.startswith(("no such", "wrong number", "DISTINCT aggregates", "unknown"))
