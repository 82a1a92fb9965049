"""A server of our own: started from a template in a directory of its own, watched, killed."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from intercode.databases.base import TableState
from intercode.databases.mysql import introspection
from intercode.databases.mysql.connection import Connection
from intercode.databases.mysql.driver import ConnectionLostError, ServerAddress
from intercode.databases.mysql.server_directory import DirectoryProcess, ServerDirectory, sweep
from intercode.databases.mysql.server_options import options
from intercode.databases.mysql.server_program import ServerProgram
from intercode.errors import DatabaseError

PATIENCE = 60.0
"""Seconds in which a server must answer."""

UNPACK = 'mkdir "$0/data" && tar -xf - -C "$0/data" --no-same-owner && exec "$@" </dev/null'

ROOT = "root"


class ServerProcess:
    """A running server. `admin` is for one at a time: take `lock`."""

    def __init__(self, program: ServerProgram, *, template: Path | None = None, extra: tuple[str, ...] = ()) -> None:
        """Start from the archive *template*, or in a data directory that is there already."""
        sweep()
        directory = ServerDirectory()
        self.program = program
        self.lock = threading.Lock()
        command = [*options(program, directory.folder), *extra]
        unpack = ["sh", "-c", UNPACK, str(directory.folder)] if template else []
        self.process = DirectoryProcess(directory, [*unpack, *command], stdin=template or Path("/dev/null"))
        self.address = ServerAddress(ROOT, socket=f"{directory.folder}/s")
        try:
            self.admin = self._answer()
        except BaseException:
            self.process.close()
            raise

    def _answer(self) -> Connection:
        """The first connection, as soon as it can be had. Raises DatabaseError with what the server printed."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            alive = self.process.alive
            with suppress(ConnectionLostError):
                return Connection(self.address)
            if not alive:
                raise DatabaseError(f"{self.program.path} did not start; it said: {self.process.directory.log()}")
            time.sleep(0.004)
        raise DatabaseError(
            f"{self.program.path} did not answer in {PATIENCE:.0f} s; it said: {self.process.directory.log()}"
        )

    def alive(self) -> bool:
        """Whether it runs."""
        return self.process.alive

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

    def close(self) -> None:
        """Kill it; nothing of it is left. Closing twice is harmless."""
        self.admin.close()
        self.process.close()
