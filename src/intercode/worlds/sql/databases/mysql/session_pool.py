"""Where the sessions of one source run: readers together, whoever writes on a place of its own."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from intercode.errors import DatabaseError
from intercode.types.databases import QueryResult, Row, TableState
from intercode.worlds.sql.databases.mysql.connection import Connection

ENDING = 60.0
"""Seconds in which a connection that was killed must be gone: its statement may have much to undo."""

POLLS = (0.0, 0.002, 0.01, 0.05)
"""Seconds between looks whether it is gone; the last for ever after."""


class Lease(ABC):
    """A connection for one session at a time, and a way to look at its databases from the outside.

    All methods raise ConnectionLostError when the server has died.
    """

    link: Connection
    private: bool
    """Whether nobody else uses its databases."""

    @abstractmethod
    def state(self, database: str) -> Mapping[str, TableState]:
        """Return the tables of *database*.

        Raises:
            TableLockedError: If a table is locked.
        """

    @abstractmethod
    def has_commits(self) -> bool:
        """Return whether anything was committed since this place was given out."""

    @abstractmethod
    def alive(self) -> bool:
        """Return whether the server still runs."""

    def has_crashed(self) -> bool:
        """Return whether the server, which has died, did so of a fault of its own that a statement led it into.

        False where nobody knows: it may have been killed, or been short of memory.
        """
        return False

    def memory(self) -> int:
        """Return the bytes of memory that the server uses; 0 where nobody here knows."""
        return 0

    def stop(self, *, whole: bool) -> None:
        """End the statement that runs, or the *whole* connection; a new one is then made.

        Killed statements go on for a while in the server, undoing or still doing their work. In a private place the
        new connection is made when that is over, so that nothing changes any more while anybody looks.

        Raises:
            DatabaseError: If the statement cannot be ended.
        """
        if not whole:
            self.kill("QUERY")
            return
        self.end()
        self.link = self.connect()

    def end(self) -> None:
        """End the connection, and wait until it is gone where this place is private. Raises as `stop` does."""
        try:
            self.kill("CONNECTION")
        finally:
            self.link.close()
        if not self.private:
            return
        deadline, polls = time.monotonic() + ENDING, iter(POLLS)
        while self.is_connected():
            if time.monotonic() > deadline:
                raise DatabaseError(f"a statement goes on {ENDING:.0f} s after it was killed")
            time.sleep(next(polls, POLLS[-1]))

    def kill(self, what: str) -> None:
        """Kill the QUERY or the CONNECTION of `link`, which may be gone already."""
        with suppress(DatabaseError):
            self.ask(f"KILL {what} {self.link.id}")

    def is_connected(self) -> bool:
        """Tell whether the server still knows the connection `link`."""
        return any(row[0] == self.link.id for row in self.ask("SHOW PROCESSLIST"))

    @abstractmethod
    def ask(self, statement: str) -> list[Row]:
        """Run a statement of our own on a connection of the server's administrator.

        Raises:
            DatabaseError: If it fails.
        """

    @abstractmethod
    def connect(self) -> Connection:
        """Make another connection like `link`."""

    def enter(self, database: str) -> None:
        """Begin anew, in *database*: nothing of what the connection was used for before is left.

        Who shares a server does not wait for its answer: if it has died, the first statement is run elsewhere.
        """
        self.link.reset(database, wait=self.private)

    def map_names(self, statement: str) -> str:
        """Return a session's statement as it is to be run here."""
        return statement

    def restore_public_names(self, result: QueryResult) -> QueryResult:
        """Return a result as the session is to see it."""
        return result


class SessionPool(ABC):
    """The databases of one source on a server. Safe to use from several threads."""

    names: list[str]

    @abstractmethod
    def reader(self, database: str) -> Lease:
        """Return a place to read, in *database*.

        Raises:
            DatabaseError: If no server can be had.
        """

    @abstractmethod
    def writer(self, database: str) -> Lease:
        """Return a private place with untouched databases, in *database*.

        Raises:
            DatabaseError: If no server can be had.
        """

    @abstractmethod
    def release(self, place: Lease, *, clean: bool) -> None:
        """Done with a place; *clean* when it can be given to somebody else after its connection is reset."""

    @abstractmethod
    def share(self, folder: Path) -> None:
        """Have the processes of this run that share *folder* use its servers.

        Raises:
            DatabaseError: If no server can be had.
        """

    @abstractmethod
    def close(self) -> None:
        """End it all. Closing twice is harmless."""


AGENT = "agent"
"""Who writes, on a server of its own."""

READING = "SELECT, SHOW VIEW"

WRITING = (
    "SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, REFERENCES, INDEX, ALTER, CREATE TEMPORARY TABLES, LOCK TABLES, "
    "EXECUTE, CREATE VIEW, SHOW VIEW, CREATE ROUTINE, ALTER ROUTINE, TRIGGER"
)
"""Rights on databases only: nothing global, so neither files nor processes nor settings of the server."""


def create_account(
    admin: Connection, user: str, rights: str, databases: Iterable[str], *, password: str = "", host: str = "localhost"
) -> None:
    """Make an account with *rights* on these *databases*.

    Raises:
        ConnectionLostError: If the server is gone.
        DatabaseError: If the server refuses.
    """
    identified = f" IDENTIFIED BY '{password}'" if password else ""
    admin.rows(f"CREATE USER '{user}'@'{host}'{identified}")
    grant(admin, user, rights, databases, host=host)


def grant(admin: Connection, user: str, rights: str, databases: Iterable[str], *, host: str = "localhost") -> None:
    """Give an account *rights* on these *databases*."""
    for database in databases:
        admin.rows(f"GRANT {rights} ON `{_pattern(database)}`.* TO '{user}'@'{host}'")


def _pattern(database: str) -> str:
    """In GRANT, the name of a database is a pattern."""
    return database.replace("\\", "\\\\").replace("_", "\\_").replace("%", "\\%").replace("`", "``")
