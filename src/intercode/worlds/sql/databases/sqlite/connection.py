"""One connection to the embedded SQLite, guarded and limited: a reading one on a file, or a writable copy in memory."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import regex

from intercode.errors import BadDataError
from intercode.types.databases import QueryLimits, Row, limit_rows
from intercode.worlds.sql.databases.sqlite import (
    aggregates,
    collation,
    functions,
    regular_expressions,
    stored_values,
    values,
)
from intercode.worlds.sql.databases.sqlite.authorizer import Authorizer
from intercode.worlds.sql.databases.sqlite.coercion import number, text
from intercode.worlds.sql.databases.sqlite.file_content import content, reading
from intercode.worlds.sql.databases.sqlite.table_shapes import TableShape

OPERATIONS = 20_000
"""Steps of SQLite's machine between two looks at the clock: a millisecond or so."""

LARGEST = 5 << 18
"""Bytes of one text or blob, and of one stored row. They are in this process's memory."""

SOURCE = 1 << 30
"""The same in a source."""

STATEMENT = 32 << 20
"""Bytes of one statement."""

COLUMNS = 500
"""How many columns a result or a table may have."""

PATTERN = 200
"""Characters of a pattern of LIKE: a comparison with one cannot be stopped."""

PAGES = 32_768
"""Of 4 KiB: how far a writable copy, which is in memory, may grow beyond what it was; and all its temporary tables."""

TABLES = 1000
"""Names of tables whose shapes are remembered: statements name many that are not there."""

LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: LARGEST,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: STATEMENT,
    sqlite3.SQLITE_LIMIT_COLUMN: COLUMNS,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: PATTERN,
}

TEXT = regex.compile("char|clob|text")
"""What the types have in their names whose columns SQLite keeps texts in."""

STRICT = (
    ("mysql_store", 5, stored_values.store),
    ("mysql_strict_number", 1, stored_values.strict_number),
    ("mysql_strict_moment", 1, stored_values.strict_moment),
    ("mysql_divisor", 1, stored_values.divisor),
)
"""Functions that fail for values which a change of rows must not meet."""

INDEXED = "SELECT i.name FROM pragma_index_list(?) AS l, pragma_index_info(l.name) AS i WHERE i.seqno = 0"

COLUMN_NAMES = "SELECT name FROM pragma_table_info(?)"

CTRL_C = "Ctrl-C"
"""What went wrong where a person stopped it."""


class SqliteConnection:
    """A guarded connection. `native`: its tables and statements are SQLite's own, not MySQL's."""

    def __init__(self, connection: sqlite3.Connection, name: str, *, native: bool, writable: bool) -> None:
        self.connection, self.name, self.native = connection, name, native
        self.guard = Authorizer(writable=writable, native=native)
        self.deadline = 0.0
        self._shapes: dict[str, TableShape | None] = {}
        if native:  # other programs store bytes as texts, and Python would not read a row that has one
            connection.text_factory = values.any_text
        collation.install(connection)
        functions.install(connection, name, native=native)
        aggregates.install(connection)
        connection.create_function("sleep", 1, self._sleep)
        for call, count, check in STRICT:
            connection.create_function(call, count, partial(self._strict, check), deterministic=True)
        self._trouble = ""
        for call, work in regular_expressions.FUNCTIONS.items():
            connection.create_function(call, -1, partial(self._within, work), deterministic=True)
        for limit, most in LIMITS.items():
            connection.setlimit(limit, most)
        connection.set_authorizer(self.guard)
        connection.set_progress_handler(self._late, OPERATIONS)
        with self.guard.trust():
            connection.execute("PRAGMA foreign_keys = ON").close()
            self._version = self._schema_version()

    @classmethod
    def reading(cls, file: Path, name: str, *, native: bool) -> SqliteConnection:
        """On a database file that nobody changes, shared with all others that read it.

        Raises:
            BadDataError: If it is no database, or a damaged one.
        """
        connection = _connect(reading(file), native=native)
        try:
            return cls(connection, name, native=native, writable=False)
        except sqlite3.DatabaseError as error:
            connection.close()
            if error.sqlite_errorcode in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
                raise BadDataError(f"{file}: SQLite cannot read it: {error}") from error
            raise

    @classmethod
    def copy(cls, file: Path, name: str, *, native: bool) -> SqliteConnection:
        """On a copy in memory of its own, to be changed at will."""
        connection = _connect(":memory:", native=native)
        data = content(file)
        if data:  # an empty file is an empty database
            connection.deserialize(data)
        connection.execute(f"PRAGMA max_page_count = {len(data) // 4096 + PAGES}").close()
        connection.execute(f"PRAGMA temp.max_page_count = {PAGES}").close()
        connection.execute("PRAGMA cache_spill = OFF").close()
        return cls(connection, name, native=native, writable=True)

    @property
    def writable(self) -> bool:
        """Return whether it is a copy."""
        return self.guard.writable

    def execute(
        self,
        statement: str,
        *,
        seconds: float,
        limits: QueryLimits,
        defining: bool = False,
        variables: Mapping[str, Any] | None = None,
    ) -> tuple[list[Row] | None, tuple[str, ...], int, bool]:
        """Rows (None: no result set), columns, changed rows, and whether the result was cut. Raises sqlite3.Error."""
        self.deadline = time.monotonic() + seconds
        self.guard.defining, self._trouble = defining, ""
        try:
            return self._execute(statement, () if variables is None else variables, limits)
        except UnicodeDecodeError as error:  # as in `collation.only_utf8`, which takes longer
            raise sqlite3.OperationalError("invalid utf8 character string") from error
        except sqlite3.OperationalError as error:
            if self._is_interruption(error):
                raise KeyboardInterrupt from error
            if self._trouble:  # SQLite tells nothing of it
                raise sqlite3.OperationalError(self._trouble) from error
            raise
        finally:
            self.deadline, self.guard.defining = 0.0, False

    def _execute(
        self, statement: str, variables: Any, limits: QueryLimits
    ) -> tuple[list[Row] | None, tuple[str, ...], int, bool]:
        cursor = self.connection.execute(statement, variables)
        try:
            if cursor.description is None:
                return None, (), max(0, cursor.rowcount), False
            rows, cut = limit_rows(cursor, limits)
            return rows, tuple(column[0] for column in cursor.description), 0, cut
        finally:
            cursor.close()

    def interrupt(self) -> None:
        """End the statement that another thread executes, as if its time were over."""
        if self.deadline:
            self.deadline = min(self.deadline, time.monotonic())

    def finds(self, statement: str) -> bool:
        """Return whether a *statement* of ours shows any row. Raises sqlite3.Error."""
        with self.guard.trust(), collation.only_utf8():
            return self.connection.execute(statement).fetchone() is not None

    def count(self, table: str) -> int:
        """Return how many rows a table has; 0 where there is none."""
        name = table.replace('"', '""')
        try:
            with self.guard.trust():
                found: int = self.connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]
        except sqlite3.OperationalError:
            return 0
        return found

    @contextmanager
    def same_rows(self, table: str) -> Iterator[list[int]]:
        """Meanwhile tell of each row that is put into *table* while it already has the very same one."""
        found: list[int] = []
        self.connection.create_function("mysql_same", 0, lambda: found.append(1))
        name = table.replace('"', '""')
        with self.guard.trust():
            columns = [row[0].replace('"', '""') for row in self.connection.execute(COLUMN_NAMES, (table,))]
            same = " AND ".join(
                f'"{column}" IS NEW."{column}" AND "{column}" IS NEW."{column}" COLLATE BINARY' for column in columns
            )
            self.connection.execute(
                f'CREATE TEMP TRIGGER mysql_same BEFORE INSERT ON main."{name}"'
                f' WHEN EXISTS (SELECT 1 FROM main."{name}" WHERE {same}) BEGIN SELECT mysql_same(); END'
            ).close()
        try:
            yield found
        finally:
            with self.guard.trust():
                self.connection.execute("DROP TRIGGER temp.mysql_same").close()

    @contextmanager
    def any_length(self) -> Iterator[None]:
        """Meanwhile rows may be longer than a session can write them: those that the source came with."""
        self.connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, SOURCE)
        try:
            yield
        finally:
            self.connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST)

    def begin(self) -> None:
        """Begin a transaction; none may be open."""
        self.connection.execute("BEGIN").close()

    def commit(self, *, undo: bool = False) -> None:
        """Commit what is open, or *undo* it; harmless where nothing is."""
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK" if undo else "COMMIT").close()

    @contextmanager
    def beside(self, databases: Mapping[str, str | bytes]) -> Iterator[None]:
        """Meanwhile other databases, by name and address or content, are there to be read as NAME.TABLE."""
        there = list[str]()
        try:
            for name, place in databases.items():
                self._ours("ATTACH DATABASE ? AS ?", (place if isinstance(place, str) else ":memory:", name))
                there.append(name)
                if isinstance(place, bytes):
                    with self.guard.trust():
                        self.connection.deserialize(place, name=name)
            yield
        finally:
            for name in there:
                self._ours("DETACH DATABASE ?", (name,))

    def _ours(self, statement: str, values: tuple[str, ...]) -> None:
        with self.guard.trust():
            self.connection.execute(statement, values).close()

    def shape(self, table: str) -> TableShape | None:
        """Return the shape of that table; None where there is none.

        Rows without a primary key have numbers of SQLite's.
        """
        if table not in self._shapes or self.writable:
            if len(self._shapes) >= TABLES:
                self._shapes.clear()
            self._shapes[table] = self._find_shape(table)
        return self._shapes[table]

    def _find_shape(self, table: str) -> TableShape | None:
        with self.guard.trust():
            try:
                columns = self.connection.execute(
                    "SELECT name, type, pk, dflt_value FROM pragma_table_info(?)", (table,)
                ).fetchall()
                indexed = [name for (name,) in self.connection.execute(INDEXED, (table,)) if name]
            except sqlite3.OperationalError:  # a view of what is gone; whoever reads from it is told so
                columns = []
        if not columns:
            return None
        types = {name.lower(): kind.lower() for name, kind, *_ in columns}
        texts = frozenset(name for name, kind in types.items() if TEXT.search(kind))
        key = tuple(column[0] for column in columns if column[2]) or ("rowid",)
        defaults = tuple((name.lower(), text) for name, _, _, text in columns if text is not None)
        return TableShape(frozenset(types), texts, key, defaults, indexed=frozenset(map(str.lower, indexed)))

    def changed(self) -> bool:
        """Return whether a row was touched, a definition changed or a transaction is open."""
        with self.guard.trust():
            defined = self._schema_version() != self._version
        return defined or self.connection.total_changes > 0 or self.connection.in_transaction

    def copy_committed(self) -> SqliteConnection:
        """Return a reading engine on a copy of what is committed: nothing that the session did is in its way."""
        connection = _connect(":memory:", native=self.native)
        with self.guard.trust():
            connection.deserialize(self.connection.serialize())
        return SqliteConnection(connection, self.name, native=self.native, writable=False)

    def close(self) -> None:
        """End it; a copy in memory is gone."""
        self.connection.close()

    def _sleep(self, seconds: object) -> int:
        """MySQL's SLEEP: 0 when it was over in time, 1 when it was woken."""
        wanted = number(seconds)
        left = self.deadline - time.monotonic() if self.deadline else 0.0
        try:
            time.sleep(max(0.0, min(wanted, left)))
        except KeyboardInterrupt:
            self._trouble = CTRL_C
            raise
        return int(wanted > left)

    def _strict(self, check: Callable[..., Any], *values: Any) -> Any:
        """Return what *check* makes of values; why it makes nothing of them is for `execute` to tell."""
        try:
            return check(*values)
        except stored_values.StoredValueError as error:
            self._trouble = str(error)
            raise

    def _within(self, work: Callable[..., str | int], *values: object) -> str | int | None:
        """Return what *work* makes of texts in the time that is left; what goes wrong is kept for `execute` to tell."""
        if None in values:
            return None
        try:
            return work(max(0.001, self.deadline - time.monotonic()), *map(text, values))
        except TimeoutError:
            self._trouble = "interrupted"
            raise
        except KeyboardInterrupt:
            self._trouble = CTRL_C
            raise
        except (regex.error, OverflowError, RecursionError) as error:
            self._trouble = f"regular expression: {error}"
            raise

    def _is_interruption(self, error: sqlite3.OperationalError) -> bool:
        """Return whether *error* stands for a Ctrl-C: what Python raises while SQLite calls it, that swallows.

        A look at the clock that says anything but that time is over was itself interrupted.
        """
        return self._trouble == CTRL_C or (str(error) == "interrupted" and not self._trouble and not self._late())

    def _late(self) -> bool:
        return 0 < self.deadline < time.monotonic()

    def _schema_version(self) -> int:
        found: int = self.connection.execute("PRAGMA schema_version").fetchone()[0]
        return found


def _connect(address: str, *, native: bool) -> sqlite3.Connection:
    """Return a connection that shows what is in `native` columns as it is.

    It may be anything, whatever their types say.
    """
    values.register()
    return sqlite3.connect(
        address,
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        detect_types=0 if native else sqlite3.PARSE_DECLTYPES,
    )
