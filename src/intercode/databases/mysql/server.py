"""A server on this machine for one source, and our own connection to it."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress

from intercode.databases.base import TableState
from intercode.databases.mysql import introspection
from intercode.databases.mysql.connection import Connection
from intercode.databases.mysql.driver import ConnectionLostError, ServerAddress
from intercode.databases.mysql.server_program import ServerProgram
from intercode.errors import DatabaseError

ROOT = "root"


class Server(ABC):
    """A running server, at `address`. `admin` is for one at a time: take `lock`. Names of accounts begin `readers`."""

    program: ServerProgram
    address: ServerAddress
    admin: Connection
    readers = "reader"

    def __init__(self) -> None:
        self.lock = threading.Lock()

    @property
    @abstractmethod
    def pid(self) -> int:
        """Its process."""

    @abstractmethod
    def alive(self) -> bool:
        """Whether it runs."""

    @abstractmethod
    def wait(self, seconds: float) -> bool:
        """Wait for it to end by itself; False when it did not."""

    @abstractmethod
    def log(self, most: int) -> str:
        """The end of what it printed, *most* characters of it."""

    @abstractmethod
    def close(self) -> None:
        """Let go of it. Closing twice is harmless."""

    def position(self) -> object:
        """How much was ever committed: equal before and after means that nothing was.

        Raises:
            ConnectionLostError: If the server is gone.
        """
        with self.lock:
            return introspection.position(self.admin, self.program)

    def warm(self, database: str) -> None:
        """Have the tables of *database*, "" for none, open for who comes first.

        Raises:
            ConnectionLostError: If the server is gone.
        """
        with self.lock, suppress(DatabaseError):
            introspection.warm(self.admin, database)

    def state(self, database: str, guest: ServerAddress) -> Mapping[str, TableState]:
        """The tables of *database*, its views as *guest* sees them.

        Raises:
            ConnectionLostError: If the server is gone.
            TableLockedError: If a table is locked.
        """
        with self.lock:
            return introspection.state(self.admin, database, guest, "localhost")

    def guest(self, address: ServerAddress, seconds: float) -> Connection:
        """A connection of the account in *address*, also where that has given itself a password."""
        with self.lock:
            return introspection.connect_guest(self.admin, address, "localhost", seconds)

    def kill(self, link: Connection, *, whole: bool) -> None:
        """End what *link* is doing, or all of it."""
        with self.lock, suppress(ConnectionLostError, DatabaseError):
            self.admin.rows(f"KILL {'CONNECTION' if whole else 'QUERY'} {link.id}")
