"""The embedded SQLite: no server, no set-up. MySQL's dumps are converted once, its statements as they come.

It does NOT guard: memory that one statement uses while it runs (time is limited, and so are results and the growth of
a session's copy), and temporary files that SQLite makes for large sorts. It has no accounts: what statements may do
is decided by an authorizer, which lets them read and change the session's own database and nothing else. Where it
answers otherwise than MySQL: results of SUM and AVG are floats, a GROUP BY comes out sorted, text is compared without
case and blanks at its end but not without accents, results of functions with both, types are enforced by ALTER TABLE
only, functions give dates as text, and there is no ONLY_FULL_GROUP_BY. It does not know WITH ROLLUP, XOR, variables
of the server, routines, triggers of MySQL's, prepared statements, and changes of several tables in one statement;
autocommit is always on.
"""

from __future__ import annotations

import sqlite3
import threading

from intercode.databases.base import DEFAULT_LIMITS, Database, Progress, QueryLimits, Source
from intercode.databases.embedded.library import Library
from intercode.databases.embedded.session import SqliteSession
from intercode.errors import DatabaseError, UserError


class SqliteDatabase(Database):
    """Runs queries in this process. Raises UserError for a *url*: there is no server."""

    dialect = "sqlite"

    def __init__(
        self,
        *,
        url: str | None = None,
        limits: QueryLimits = DEFAULT_LIMITS,
        progress: Progress = lambda line: None,
    ) -> None:
        super().__init__(url=url, limits=limits, progress=progress)
        if url is not None:
            raise UserError(f"sqlite has no server to be found at {url}: leave the URL out, or use mysql")
        if not hasattr(sqlite3.Connection, "deserialize"):
            raise DatabaseError(f"this Python's SQLite {sqlite3.sqlite_version} cannot copy into memory: use mysql")
        self._lock = threading.Lock()
        self._libraries: dict[Source, Library] = {}
        self._sessions: set[SqliteSession] = set()

    def load(self, source: Source) -> None:
        """See `Database.load`: converted once, and kept in the cache."""
        with self._lock:
            if source not in self._libraries:
                library = Library(source, self.progress)
                assert library.names
                self._libraries[source] = library

    def names(self, source: Source) -> list[str]:
        """See `Database.names`."""
        return self._library(source).names

    def open(self, source: Source, name: str) -> SqliteSession:
        """See `Database.open`: no copy is made before the session changes something."""
        library = self._library(source)
        session = SqliteSession(library, library.check(name), self.limits, self._sessions.discard)
        self._sessions.add(session)
        return session

    def version(self) -> str:
        """See `Database.version`."""
        return f"SQLite {sqlite3.sqlite_version}"

    def close(self) -> None:
        """See `Database.close`."""
        for session in list(self._sessions):
            session.close()
        with self._lock:
            libraries, self._libraries = list(self._libraries.values()), {}
        for library in libraries:
            library.close()

    def _library(self, source: Source) -> Library:
        if source not in self._libraries:
            self.load(source)
        return self._libraries[source]
