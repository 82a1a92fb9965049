"""Where the sessions of one source run: readers together, whoever writes on a place of its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from pathlib import Path

from intercode.databases.base import QueryResult, TableState
from intercode.databases.mysql.connection import Connection


class Lease(ABC):
    """A connection for one session at a time, and a way to look at its databases from the outside.

    All methods raise ConnectionLostError when the server has died.
    """

    link: Connection
    private: bool
    """Whether nobody else uses its databases."""

    @abstractmethod
    def state(self, database: str) -> Mapping[str, TableState]:
        """The tables of *database*.

        Raises:
            TableLockedError: If a table is locked.
        """

    @abstractmethod
    def has_commits(self) -> bool:
        """Whether anything was committed since this place was given out."""

    @abstractmethod
    def alive(self) -> bool:
        """Whether the server still runs."""

    def has_crashed(self) -> bool:
        """Whether the server, which has died, did so of a fault of its own that a statement led it into.

        False where nobody knows: it may have been killed, or been short of memory.
        """
        return False

    def memory(self) -> int:
        """The bytes of memory that the server uses; 0 where nobody here knows."""
        return 0

    @abstractmethod
    def stop(self, *, whole: bool) -> None:
        """End the statement that runs, or the *whole* connection; a new one is then made."""

    def enter(self, database: str) -> None:
        """Begin anew, in *database*: nothing of what the connection was used for before is left.

        Who shares a server does not wait for its answer: if it has died, the first statement is run elsewhere.
        """
        self.link.reset(database, wait=self.private)

    def inwards(self, statement: str) -> str:
        """A session's statement as it is to be run here."""
        return statement

    def outwards(self, result: QueryResult) -> QueryResult:
        """A result as the session is to see it."""
        return result


class SessionPool(ABC):
    """The databases of one source on a server. Safe to use from several threads."""

    names: list[str]

    @abstractmethod
    def reader(self, database: str) -> Lease:
        """A place to read, in *database*.

        Raises:
            DatabaseError: If no server can be had.
        """

    @abstractmethod
    def writer(self, database: str) -> Lease:
        """A private place with untouched databases, in *database*.

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
