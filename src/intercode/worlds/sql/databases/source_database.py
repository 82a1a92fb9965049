"""What databases have in common that keep something for each source: files, or a pool of sessions on a server."""

from __future__ import annotations

import threading
import time
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

from intercode.errors import DatabaseGoneError, UnknownNameError
from intercode.types.databases import Database, DatabaseSession, DatabaseSource, QueryLimits, QueryResult
from intercode.worlds.sql.databases.dialect.validation import validation_error
from intercode_sandbox.util.closing import HomeProcess


class Databases(Protocol):
    """The databases of one source, ready to be opened. Safe to use from several threads."""

    @property
    def names(self) -> list[str]:
        """Return what they are called, sorted."""

    def close(self) -> None:
        """End all that is open. Closing twice is harmless."""


Loaded = TypeVar("Loaded", bound=Databases)


class SourceDatabase(Database, Generic[Loaded]):
    """A database that loads each source once, and ends its sessions when it is closed."""

    def __init__(self, **options: Any) -> None:
        """Take the *options* of `Database`."""
        super().__init__(**options)
        self._lock = threading.Lock()
        self._home = HomeProcess()
        self._loaded: dict[DatabaseSource, Loaded] = {}
        self._sessions: set[DatabaseSession] = set()

    @abstractmethod
    def _load(self, source: DatabaseSource) -> Loaded:
        """Load *source*, one at a time. Raises as `load` does."""

    @abstractmethod
    def _session(self, loaded: Loaded, name: str, forget: Callable[[DatabaseSession], None]) -> DatabaseSession:
        """Return a session on one of the databases that are *loaded*, which calls *forget* when it is closed."""

    def load(self, source: DatabaseSource) -> None:
        """See `Database.load`: what is made of it is kept in the cache."""
        self._source(source)

    def names(self, source: DatabaseSource) -> list[str]:
        return self._source(source).names

    def open(self, source: DatabaseSource, name: str) -> DatabaseSession:
        self._home.check(self)
        loaded = self._source(source)
        if name.lower() not in loaded.names:
            raise UnknownNameError(f"no database {name!r} in {source.name}; there are: {', '.join(loaded.names)}")
        session = self._session(loaded, name.lower(), self._sessions.discard)
        self._sessions.add(session)
        return session

    def close(self) -> None:
        if not self._home.is_here:
            return
        for session in list(self._sessions):
            session.close()
        with self._lock:
            loaded, self._loaded = list(self._loaded.values()), {}
        for each in loaded:
            each.close()

    def _source(self, source: DatabaseSource) -> Loaded:
        with self._lock:
            if source not in self._loaded:
                self._loaded[source] = self._load(source)
            return self._loaded[source]


class SourceSession(DatabaseSession):
    """A session of a `SourceDatabase`, which calls *forget* when it is closed."""

    def __init__(self, name: str, limits: QueryLimits, forget: Callable[[DatabaseSession], None]) -> None:
        self.name, self.limits = name, limits
        self._forget = forget
        self._open = True

    def run(self, statement: str, *, timeout: float | None = None) -> QueryResult:
        self._check_open()
        started = time.perf_counter()
        error = validation_error(statement, self.limits.statement)
        seconds = self.limits.seconds if timeout is None else timeout
        result = QueryResult(None, error=error) if error else self._answer(statement, seconds)
        return result.taking(time.perf_counter() - started)

    @abstractmethod
    def _answer(self, statement: str, seconds: float) -> QueryResult:
        """Run a *statement* that is one by its form."""

    def _check_open(self) -> None:
        if not self._open:
            raise DatabaseGoneError("this session is closed: open another")
