"""A server on this machine for one source, and our own connection to it."""

from __future__ import annotations

import math
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress

from intercode.errors import DatabaseError
from intercode.types.databases import Row, TableState
from intercode.worlds.sql.databases.mysql import introspection
from intercode.worlds.sql.databases.mysql.connection import Connection
from intercode.worlds.sql.databases.mysql.driver import ServerAddress
from intercode.worlds.sql.databases.mysql.server_program import ServerProgram

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
        """Return whether it runs."""

    @abstractmethod
    def wait(self, seconds: float) -> bool:
        """Wait for it to end by itself; False when it did not."""

    @abstractmethod
    def log(self, most: int) -> str:
        """Return the end of what it printed, *most* characters of it."""

    @abstractmethod
    def close(self) -> None:
        """Let go of it. Closing twice is harmless."""

    def position(self) -> object:
        """Return how much was ever committed: equal before and after means that nothing was.

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

    def state(self, database: str, guest: ServerAddress, *, seconds: float = math.inf) -> Mapping[str, TableState]:
        """Return the tables of *database*, its views as *guest* sees them, read within *seconds*.

        Raises:
            ConnectionLostError: If the server is gone.
            TableLockedError: If a table is locked.
            DatabaseError: If a table cannot be read, or not in that time.
        """
        with self.lock:
            return introspection.state(self.admin, database, guest, "localhost", seconds)

    def guest(self, address: ServerAddress, seconds: float) -> Connection:
        """Return a connection of the account in *address*, also where that has given itself a password."""
        with self.lock:
            return introspection.connect_guest(self.admin, address, "localhost", seconds)

    def ask(self, statement: str) -> list[Row]:
        """Run a statement as the administrator.

        Raises:
            ConnectionLostError: If the server is gone.
            DatabaseError: If it fails.
        """
        with self.lock:
            return self.admin.rows(statement)
