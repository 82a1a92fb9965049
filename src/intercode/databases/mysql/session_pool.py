"""Where the sessions of one source run: readers together, whoever writes on a place of its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

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
        """The tables of *database*. Raises inspect.Locked."""

    @abstractmethod
    def moved(self) -> bool:
        """Whether anything was committed since this place was given out."""

    @abstractmethod
    def alive(self) -> bool:
        """Whether the server still runs."""

    def crashed(self) -> bool:
        """Whether the server, which has died, did so of a fault of its own that a statement led it into.

        False where nobody knows: it may have been killed, or been short of memory.
        """
        return False

    @abstractmethod
    def stop(self, *, whole: bool) -> None:
        """End the statement that runs, or the *whole* connection; a new one is then made."""

    def enter(self, database: str) -> None:
        """Begin anew, in *database*: nothing of what the connection was used for before is left."""
        self.link.reset(database)

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
        """A place to read, in *database*. Raises DatabaseError."""

    @abstractmethod
    def writer(self, database: str) -> Lease:
        """A private place with untouched databases, in *database*. Raises DatabaseError."""

    @abstractmethod
    def release(self, place: Lease, *, clean: bool) -> None:
        """Done with a place; *clean* when it can be given to somebody else after its connection is reset."""

    @abstractmethod
    def close(self) -> None:
        """End it all. Closing twice is harmless."""
