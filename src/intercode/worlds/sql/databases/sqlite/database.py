"""The embedded SQLite: no server, no set-up. MySQL's dumps are converted once, its statements as they come.

It does NOT guard: memory that one statement uses while it runs (time is limited, and so are results and the growth of
a session's copy), and temporary files that SQLite makes for large sorts. It has no accounts: what statements may do
is decided by an authorizer, which lets them read and change the session's own database and nothing else. Where it
answers otherwise than MySQL: numbers count in 15 digits, LIKE heeds accents and the case of letters beyond ASCII, text
that a function gives is compared without case whatever the collation of its column, types are enforced by ALTER TABLE
only, and there is no ONLY_FULL_GROUP_BY. It does not know XOR, variables of the server, routines, triggers of MySQL's,
prepared statements, and changes of several tables in one statement; autocommit is always on.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

from intercode.errors import DatabaseError, UserError
from intercode.types.databases import DatabaseSession, DatabaseSource, Reach
from intercode.worlds.sql.databases.source_database import SourceDatabase
from intercode.worlds.sql.databases.sqlite.database_files import DatabaseFiles
from intercode.worlds.sql.databases.sqlite.session import SqliteSession


class SqliteDatabase(SourceDatabase[DatabaseFiles]):
    """Runs queries in this process.

    Raises:
        UserError: For a URL: there is no server.
    """

    dialect = "sqlite"

    def __init__(self, **options: Any) -> None:
        """Take the options of `Database`."""
        super().__init__(**options)
        if self.url is not None:
            raise UserError(f"sqlite has no server to be found at {self.url}: leave the URL out, or use mysql")
        if not hasattr(sqlite3.Connection, "deserialize"):
            raise DatabaseError(f"this Python's SQLite {sqlite3.sqlite_version} cannot copy into memory: use mysql")

    @property
    def reach(self) -> Reach:
        """See `Database.reach`: there is no server."""
        return "anywhere"

    def version(self) -> str:
        return f"SQLite {sqlite3.sqlite_version}"

    def _load(self, source: DatabaseSource) -> DatabaseFiles:
        return DatabaseFiles(source, self.progress)

    def _session(self, loaded: DatabaseFiles, name: str, forget: Callable[[DatabaseSession], None]) -> SqliteSession:
        return SqliteSession(loaded, name, self.limits, forget)
