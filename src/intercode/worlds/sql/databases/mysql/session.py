"""A session on a MySQL server: it reads where all read, and goes to a place of its own before it does anything else."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import NoReturn, TypeVar

from intercode.errors import DatabaseError, DatabaseGoneError, DatabaseLostError
from intercode.types.databases import DatabaseSession, QueryLimits, QueryResult, TableState
from intercode.worlds.sql.databases.dialect.access_level import AccessLevel, access_level, one_step
from intercode.worlds.sql.databases.dialect.commands import server_command
from intercode.worlds.sql.databases.dialect.errors import TIMEOUT, format_error
from intercode.worlds.sql.databases.dialect.tokenizer import first_word, meaningful, plain
from intercode.worlds.sql.databases.mysql.driver import ConnectionLostError
from intercode.worlds.sql.databases.mysql.introspection import SYSTEM_DATABASES, TableLockedError
from intercode.worlds.sql.databases.mysql.session_pool import SessionPool
from intercode.worlds.sql.databases.source_database import SourceSession

DENIED = frozenset({1044, 1142, 1143, 1227, 1290, 1370, 1410, 1419, 1792, 3572})
"""Errors of a reader for which a writer may have the right."""

UNDONE = frozenset({1044, 1046, 1049, 1052, 1054, 1064, 1065, 1142, 1143, 1146, 1227, 1235, 1370})
"""Errors that are found before anything is done."""

INTERRUPTED = format_error(1317, "Query execution was interrupted")

LOST = "the database server died, and what the session did is lost with it"

MEMORY = 2 << 30
"""Bytes of memory of a server from which on a session that adds to them is ended: nothing bounds its variables."""

GROWTH = 64 << 20
"""Bytes by which one statement must have added to them: servers are shared, and others add to them as well."""

BROKEN = "a fresh session works, so this one was broken by what it ran"

TOO_MUCH = "the session used up the database server's memory, and what it did is lost with it"

PAUSES = (0.0, 0.2, 1.0)
"""Seconds to wait before each new try on another server."""

Found = TypeVar("Found")


class MysqlSession(SourceSession):
    """See the top of this file."""

    def __init__(
        self, home: SessionPool, name: str, limits: QueryLimits, forget: Callable[[DatabaseSession], None]
    ) -> None:
        super().__init__(name, limits, forget)
        self.home, self._current = home, name
        self._touched = self._dirty = False
        self._place = home.reader(name)

    def state(self) -> Mapping[str, TableState]:
        self._check_open()
        try:
            return self._state_without_locks()
        except ConnectionLostError as error:
            if self._touched:
                raise self._lost(error) from error
        except DatabaseGoneError:
            raise
        except DatabaseError as error:
            if not self._place.private:
                raise
            self._blame(error)
        return self._elsewhere(lambda: self._place.state(self.name))

    def _state_without_locks(self) -> Mapping[str, TableState]:
        """Return the state; locks are given back, and where that is not enough, the connection is."""
        for release in (self._unlock, self._renew_connection):
            with suppress(TableLockedError):
                return self._place.state(self.name)
            release()
        try:
            return self._place.state(self.name)
        except TableLockedError as error:
            raise DatabaseError(f"a table stays locked: {error}") from error

    def _unlock(self) -> None:
        with suppress(ConnectionLostError, DatabaseError):  # the session may have ended its own connection
            self._place.link.rows("UNLOCK TABLES")

    def _blame(self, error: DatabaseError) -> NoReturn:
        """Raise DatabaseLostError where *error* is the session's doing: where a fresh one has none."""
        fresh = self.home.writer(self.name)
        try:
            fresh.state(self.name)
        except ConnectionLostError as lost:
            raise DatabaseError(f"{error}; and a fresh session was lost: {lost}") from lost
        finally:
            self.home.release(fresh, clean=True)
        self._dirty = True
        raise DatabaseLostError(f"{BROKEN}: {error}") from error

    def changed(self) -> bool:
        self._check_open()
        try:
            return self._dirty or self._place.has_commits()
        except ConnectionLostError as error:
            raise self._lost(error) from error

    def close(self) -> None:
        if not self._open:
            return
        try:
            clean = not self.changed()
        except DatabaseError:
            clean = False
        self._open = False
        self._forget(self)
        self.home.release(self._place, clean=clean)

    def _answer(self, statement: str, seconds: float) -> QueryResult:
        """Run it, and once more on another server when the first died and nothing but reading had been done."""
        try:
            return self._run_in_place(statement, seconds)
        except ConnectionLostError as error:
            if self._touched:
                return self._reconnect(error)
        return self._elsewhere(lambda: self._run_in_place(statement, seconds))

    def _elsewhere(self, work: Callable[[], Found]) -> Found:
        """Do it on another server. One that is just dying may be handed out for a moment, so not only once."""
        for pause in PAUSES:
            time.sleep(pause)
            with suppress(ConnectionLostError):
                self._renew()
                return work()
        self._dirty = True
        text = f"the database server died {len(PAUSES) + 1} times under this session"
        raise DatabaseLostError(text) if self._place.has_crashed() else DatabaseError(text)

    def _lost(self, error: ConnectionLostError) -> DatabaseGoneError:
        """Return what to raise when what the session did is lost.

        Whose fault that is depends on how the server ended.
        """
        kind = DatabaseLostError if self._place.has_crashed() else DatabaseGoneError
        return kind(f"{LOST}: {error}")

    def _reconnect(self, error: ConnectionLostError) -> QueryResult:
        """Return the session ended its own connection, or the server died with what the session did."""
        self._dirty = True
        try:
            if not self._place.alive():
                raise self._lost(error) from error
            self._renew_connection()
        except ConnectionLostError as lost:
            raise self._lost(lost) from lost
        return QueryResult(None, error=INTERRUPTED)

    def _renew_connection(self) -> None:
        """A new connection to the same place; what was not committed is gone."""
        try:
            self._place.stop(whole=True)
        except DatabaseError as error:
            self._blame(error)
        try:
            self._place.enter(self._current)
        except ConnectionLostError:  # the session may have dropped that database
            self._place.stop(whole=True)
            self._place.enter("")

    def _renew(self) -> None:
        """Go on elsewhere, with everything as it was: it is another server, or the same one again."""
        with suppress(ConnectionLostError, DatabaseError):
            self._place.link.close()
        self.home.release(self._place, clean=False)
        self._place = self.home.reader(self._current)

    def _run_in_place(self, statement: str, seconds: float) -> QueryResult:
        """Run it where it may be run."""
        kind = access_level(statement)
        if kind != "read":
            self._go_private()
        result = self._run_and_record(statement, seconds, kind)
        if result.error is not None and not self._place.private and result.code in DENIED:
            self._go_private()
            result = self._run_and_record(statement, seconds, "write")
        if result.error is None and (asked := server_command(statement)) and asked.kind == "use":
            self._current = asked.database.lower()
        if result.error == INTERRUPTED and first_word(statement) == "kill":  # itself: MySQL says so, then hangs up
            self._renew_connection()
        return result

    def _go_private(self) -> None:
        if not self._place.private:
            reader, self._place = self._place, self.home.writer(self._current)
            self.home.release(reader, clean=True)

    def _run_and_record(self, statement: str, seconds: float, kind: AccessLevel) -> QueryResult:
        """Run it, and remember what it may have left."""
        if kind != "read":
            before, self._touched = self._touched, True
            memory = self._place.memory()
        result = self._run(self._place.map_names(statement), seconds)
        if kind != "read":
            self._check_memory(memory)
        if kind != "read" and result.code in UNDONE and one_step(statement):
            self._touched = before
        elif kind == "write":
            self._dirty = True
        return self._place.restore_public_names(_unknown(result, statement, self.home.names))

    def _check_memory(self, before: int) -> None:
        """Raises DatabaseLostError, and frees what the session holds, before the machine has to kill the server."""
        after = self._place.memory()
        if after > MEMORY and after - before > GROWTH:
            self._dirty = True
            self._renew_connection()
            raise DatabaseLostError(TOO_MUCH)

    def _run(self, statement: str, seconds: float) -> QueryResult:
        link = self._place.link
        try:
            result = link.run(statement, seconds, self.limits)
            if result.truncated:
                self._place.stop(whole=False)
                link.drain()
            return result
        except TimeoutError:
            self._renew_connection()
            return QueryResult(None, error=TIMEOUT, timed_out=True)
        except KeyboardInterrupt:  # its answer must not be taken for the next one's
            self._dirty = self._dirty or self._touched
            self._renew_connection()
            raise


NO_SUCH = re.compile(r"Access denied for user .* to database '(.+)'$|.* command denied to user .*", re.DOTALL)


def _unknown(result: QueryResult, statement: str, names: list[str]) -> QueryResult:
    """Return a database that is not there is said not to be there, not to be forbidden."""
    if result.error is None or result.code not in (1044, 1142) or not (found := NO_SUCH.match(result.message)):
        return result
    wanted = [found[1].lower()] if found[1] else _qualifiers(statement)
    unknown = next((name for name in wanted if name not in SYSTEM_DATABASES and name not in names), None)
    return result if unknown is None else replace(result, error=format_error(1049, f"Unknown database '{unknown}'"))


def _qualifiers(statement: str) -> list[str]:
    """Return what may be names of databases: names with a dot after them, where tables are named."""
    found = meaningful(statement)
    places = zip(found, found[1:], found[2:], strict=False)
    tables = ("from", "join", "into", "update", "table", ",")
    return [plain(name).lower() for before, name, dot in places if dot.text == "." and before.lower in tables]
