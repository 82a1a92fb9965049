"""Running statements on the databases of one source: in SQLite's words, with what they need beside."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Collection, Iterator
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial
from typing import Any

from intercode.types.databases import QueryLimits, QueryResult
from intercode.worlds.sql.databases.dialect.token_reader import TokenReader, split, text_of
from intercode.worlds.sql.databases.dialect.tokenizer import first_word, meaningful
from intercode.worlds.sql.databases.sqlite import information_schema, values
from intercode.worlds.sql.databases.sqlite.catalog import Catalog
from intercode.worlds.sql.databases.sqlite.connection import SqliteConnection
from intercode.worlds.sql.databases.sqlite.database_files import DatabaseFiles
from intercode.worlds.sql.databases.sqlite.error_messages import message
from intercode.worlds.sql.databases.sqlite.file_content import reading
from intercode.worlds.sql.databases.sqlite.table_shapes import TableShape
from intercode.worlds.sql.databases.sqlite.translation import Translation, literals, translate
from intercode.worlds.sql.databases.sqlite.unsupported import WAY_OUT, StatementError, UnsupportedStatementError

DEFINING = ("create", "alter", "drop")
REPLACING = "INSERT OR REPLACE"


class StatementRunner:
    """One session's. `library` has the databases of its source, `current` is the one that it has chosen."""

    def __init__(self, library: DatabaseFiles, name: str, limits: QueryLimits) -> None:
        self.library, self.current, self.limits = library, name, limits
        self.engines: dict[str, SqliteConnection] = {name: library.acquire(name)}
        self.variables = SessionVariables()
        self._catalogues: dict[str, Catalog] = {}
        self._shapes: dict[tuple[SqliteConnection, str], TableShape] = {}

    def close(self) -> None:
        """Give back what is shared, and end what is not."""
        for engine in self.engines.values():
            self.library.release(engine)
        self.engines.clear()

    def engine(self, name: str, *, writable: bool = False) -> SqliteConnection:
        """Return the session's engine on that database; a copy of its own when it is to be *writable*."""
        engine = self.engines.get(name)
        if engine is None:
            engine = self.engines[name] = self.library.acquire(name)
        if writable and not engine.writable:
            self.library.release(engine)
            engine = self.engines[name] = self.library.copy(name)
        return engine

    def catalogue(self, name: str) -> Catalog:
        """Return the session's own account of the tables of that database."""
        if name not in self._catalogues:
            self._catalogues[name] = self.library.catalogue(name)
        return self._catalogues[name]

    def run_statement(self, engine: SqliteConnection, statement: str, seconds: float) -> QueryResult:
        """Run *statement* in the first way in which SQLite understands it."""
        deadline, errors = time.monotonic() + seconds, list[str]()
        try:
            for candidate, beside in self._candidates(engine, statement):
                try:
                    return self._counted(engine, candidate, deadline - time.monotonic(), beside)
                except (sqlite3.Error, sqlite3.Warning) as error:
                    errors.append(str(error))
                    if not _may_be_helped(errors[-1]):
                        break
        except StatementError as error:
            return QueryResult(None, error=str(error))
        return self.failure(next((error for error in errors if not _is_syntax(error)), errors[-1]), statement)

    def _candidates(self, engine: SqliteConnection, statement: str) -> Iterator[tuple[Translation, set[str]]]:
        """Yield *statement* in SQLite's words, then as it stands, with the databases that it needs beside."""
        beside = {information_schema.NAME} if information_schema.NAME in statement.lower() else set()
        if engine.native:
            yield Translation(statement), beside
        elif first_word(statement) == "explain":  # SQLite's own tells of its machine's instructions
            raise UnsupportedStatementError(f"EXPLAIN: {WAY_OUT}")
        with suppress(ValueError):
            found = translate(statement, engine.name, partial(self._shape, engine))
            yield found, beside | (found.databases & set(self.library.names))
            if not found.databases and found.text == literals(statement):
                return
        yield Translation(literals(statement)), beside

    def _shape(self, engine: SqliteConnection, table: str) -> TableShape | None:
        """Return the shape of a table, with its columns' definitions where they are known."""
        if (engine, table) in self._shapes:
            return self._shapes[engine, table]
        found = engine.shape(table)
        if found is not None and not engine.native:
            with engine.guard.trust():
                catalogue = self.catalogue(engine.name)
                definition = catalogue.definition(engine.connection, table)
                is_known = definition is not None and not catalogue.is_guessed(engine.connection, table)
            if definition is not None and is_known:
                found = found._replace(definitions=tuple(definition.columns))
        if found is not None and not engine.writable:
            self._shapes[engine, table] = found
        return found

    def _counted(
        self, engine: SqliteConnection, candidate: Translation, seconds: float, beside: Collection[str]
    ) -> QueryResult:
        """Run a statement of SQLite's; a row that took another's place counts twice."""
        if not candidate.replacing:
            result = self.run(engine, candidate.text, seconds, beside)
            if not result.rows or engine.native:
                return result
            return replace(result, rows=values.convert_rows(result.rows, candidate.types))
        before, same = engine.count(candidate.replacing), list[int]()
        with (
            engine.same_rows(candidate.replacing) if candidate.text.startswith(REPLACING) else nullcontext(same) as same
        ):
            result = self.run(engine, candidate.text, seconds, beside)
        replaced = result.affected - engine.count(candidate.replacing) + before
        return replace(result, affected=result.affected + max(0, replaced - len(same)))

    def run(
        self, engine: SqliteConnection, candidate: str, seconds: float, beside: Collection[str] = ()
    ) -> QueryResult:
        """Run a statement of SQLite's, with other databases *beside* it. Raises sqlite3.Error."""
        defining = candidate.lstrip()[:6].lower().startswith(DEFINING)
        with engine.beside({name: self._beside(engine, name) for name in beside}):
            found = engine.execute(
                candidate,
                seconds=max(0.001, seconds),
                limits=self.limits,
                defining=defining,
                variables=self.variables if "@" in candidate else None,
            )
        rows, columns, affected, cut = found
        return QueryResult(None if rows is None else tuple(rows), columns, affected=affected, truncated=cut)

    def _beside(self, engine: SqliteConnection, name: str) -> str | bytes:
        """Return the other database *name*, for a statement that runs on *engine*."""
        if name != information_schema.NAME:
            return reading(self.library.files[name])
        return (
            information_schema.create_information_schema(self._describe_tables())
            if engine.writable
            else self.library.information_schema
        )

    def _describe_tables(self) -> Iterator[information_schema.TableDescription]:
        """Yield what information_schema says of what this session sees."""
        for name in self.library.names:
            engine = self.engine(name)
            with engine.guard.trust():
                yield from self.catalogue(name).describe_tables(engine.connection)

    def failure(self, error: str, statement: str) -> QueryResult:
        """SQLite's *error* of *statement*, as MySQL tells it."""
        told_as = message(error, statement, self.current, self.library.names)
        return QueryResult(None, error=told_as, timed_out=error.startswith("interrupted"))


def _is_syntax(error: str) -> bool:
    return "syntax error" in error or error.startswith(("unrecognized token", "incomplete input"))


def _may_be_helped(error: str) -> bool:
    """Return whether the same statement in other words may fare better: it was not understood, not refused."""
    return _is_syntax(error) or error.startswith(("no such", "wrong number", "DISTINCT aggregates", "unknown"))


class SessionVariables(dict[str, Any]):
    """By name, in whatever letters, without the sign in front; what was not set is NULL."""

    MOST = 64 << 20
    """Characters of all names and values: they are in this process's memory until the session ends."""

    def __init__(self) -> None:
        super().__init__()
        self._held = 0

    def __missing__(self, name: str) -> Any:
        return self.get(name.lower())

    def put(self, name: str, value: Any) -> bool:
        """Keep a result's value as SQLite takes it; False where there is no room for it."""
        kept = value is None or isinstance(value, int | float | str | bytes)
        new = value if kept else float(value) if hasattr(value, "as_tuple") else str(value)
        known = name.lower()
        held = self._held + _room(known, new) - (_room(known, self[known]) if known in self else 0)
        if held > self.MOST:
            return False
        self[known], self._held = new, held
        return True


def _room(name: str, value: Any) -> int:
    return len(name) + (len(value) if isinstance(value, str | bytes) else 8)


def assignments(statement: str) -> Iterator[tuple[str, str]]:
    """Yield the variables that a SET names, and the expressions that they are set to; settings are left out."""
    reader = TokenReader([token for token in meaningful(statement) if token.text != ";"])
    reader.skip("set")
    for part in split(reader.rest()):
        if len(part) > 2 and part[0].text[:1] == "@" and part[0].text[1:2] != "@" and part[1].text in ("=", ":="):
            yield part[0].text[1:].strip("`'"), text_of(part[2:])
