"""MySQL or MariaDB: a server given by its URL, one of our own, or the official image in Docker.

A server of our own has a private data directory, in memory where there is room, and a Unix socket only. It runs
without privileges and dies with this process. Statements come from an account that can reach the source's databases
and nothing else: not the server's own tables, no files, no settings, no other connections.

It does NOT guard: memory and temporary space that one statement uses while it runs; and on a server given by URL, the
server's own limits are all there is.
"""

from __future__ import annotations

import threading

from intercode.databases.base import DEFAULT_LIMITS, Database, DatabaseSource, Progress, QueryLimits
from intercode.databases.mysql.connection import ConnectionLostError
from intercode.databases.mysql.server_backend import ServerBackend, find_backend
from intercode.databases.mysql.session import MysqlSession
from intercode.databases.mysql.session_pool import SessionPool
from intercode.errors import DatabaseError, UnknownNameError


class MysqlDatabase(Database):
    """Sessions on MySQL or MariaDB. *url* is in one of the forms that `server/url.py` lists; None: what can be had.

    Everything raises DatabaseError, saying what to install, where no server can be had.
    """

    def __init__(
        self,
        *,
        url: str | None = None,
        limits: QueryLimits = DEFAULT_LIMITS,
        progress: Progress = lambda line: None,
    ) -> None:
        super().__init__(url=url, limits=limits, progress=progress)
        self._lock = threading.Lock()
        self._found: ServerBackend | None = None
        self._homes: dict[DatabaseSource, SessionPool] = {}
        self._sessions: set[MysqlSession] = set()

    @property
    def dialect(self) -> str:
        """See `Database.dialect`."""
        with self._lock:
            return self._station().flavour

    def load(self, source: DatabaseSource) -> None:
        """See `Database.load`: a template is made once, and kept in the cache."""
        self._home(source)

    def names(self, source: DatabaseSource) -> list[str]:
        """See `Database.names`."""
        return self._home(source).names

    def open(self, source: DatabaseSource, name: str) -> MysqlSession:
        """See `Database.open`."""
        home = self._home(source)
        if name.lower() not in home.names:
            raise UnknownNameError(f"no database {name!r} in {source.name}; there are: {', '.join(home.names)}")
        try:
            session = MysqlSession(home, name.lower(), self.limits, self._sessions.discard)
        except ConnectionLostError as error:
            raise DatabaseError(f"the database server died: {error}") from error
        self._sessions.add(session)
        return session

    def version(self) -> str:
        """See `Database.version`."""
        with self._lock:
            return self._station().title

    def close(self) -> None:
        """See `Database.close`."""
        for session in list(self._sessions):
            session.close()
        with self._lock:
            homes, self._homes = list(self._homes.values()), {}
            found, self._found = self._found, None
        for home in homes:
            home.close()
        if found is not None:
            found.close()

    def _station(self) -> ServerBackend:
        if self._found is None:
            self._found = find_backend(self.url)
        return self._found

    def _home(self, source: DatabaseSource) -> SessionPool:
        with self._lock:
            if source not in self._homes:
                self._homes[source] = self._station().home(source, self.limits, self.progress)
            return self._homes[source]
