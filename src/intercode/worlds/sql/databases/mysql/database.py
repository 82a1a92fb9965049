"""MySQL or MariaDB: a server given by its URL, one of our own, or the official image in Docker.

A server of our own has a private data directory, in memory where there is room, and a Unix socket only. It runs
without privileges and dies with this process. Statements come from an account that can reach the source's databases
and nothing else: not the server's own tables, no files, no settings, no other connections.

It does NOT guard: memory and temporary space that one statement uses while it runs; and on a server given by URL, the
server's own limits are all there is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from intercode.errors import DatabaseError, UserError
from intercode.types.databases import DatabaseSession, DatabaseSource, Reach
from intercode.worlds.sql.databases.mysql.driver import ConnectionLostError
from intercode.worlds.sql.databases.mysql.server_backend import ServerBackend, find_backend
from intercode.worlds.sql.databases.mysql.session import MysqlSession
from intercode.worlds.sql.databases.mysql.session_pool import SessionPool
from intercode.worlds.sql.databases.source_database import SourceDatabase


class MysqlDatabase(SourceDatabase[SessionPool]):
    """Sessions on MySQL or MariaDB. `url` is in one of the forms that `FORMS` lists; None: what can be had.

    Everything raises DatabaseError, saying what to install, where no server can be had.
    """

    _found: ServerBackend | None = None

    @property
    def dialect(self) -> str:
        with self._lock:
            return self._backend().flavour

    @property
    def reach(self) -> Reach:
        """See `Database.reach`: a server that was there before can be asked from everywhere."""
        return "anywhere" if self.url is not None and self.url.startswith(("mysql://", "mariadb://")) else "machine"

    def share(self, sources: Iterable[DatabaseSource], folder: Path) -> None:
        """See `Database.share`: servers are started now, and end with this process."""
        with self._lock:
            self._backend().share(folder)
        for source in sources:
            self._source(source).share(folder)

    def version(self) -> str:
        with self._lock:
            return self._backend().title

    def close(self) -> None:
        super().close()
        with self._lock:
            found, self._found = self._found, None
        if found is not None:
            found.close()

    def _backend(self) -> ServerBackend:
        if self._found is None:
            self._found = find_backend(self.url)
        return self._found

    def _load(self, source: DatabaseSource) -> SessionPool:
        backend = self._backend()
        if source.kind == "sqlite":
            raise UserError(f"{source.name} has SQLite files, which MySQL cannot read: use the database `sqlite`")
        return backend.home(source, self.limits, self.progress)

    def _session(self, loaded: SessionPool, name: str, forget: Callable[[DatabaseSession], None]) -> MysqlSession:
        try:
            return MysqlSession(loaded, name, self.limits, forget)
        except ConnectionLostError as error:
            raise DatabaseError(f"the database server died: {error}") from error
