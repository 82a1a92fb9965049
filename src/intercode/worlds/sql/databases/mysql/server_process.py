"""A server of our own: started from a template in a directory of its own, watched, killed."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

from intercode.errors import DatabaseError
from intercode.worlds.sql.databases.mysql.connection import Connection
from intercode.worlds.sql.databases.mysql.driver import ConnectionLostError, ServerAddress
from intercode.worlds.sql.databases.mysql.server import ROOT, Server
from intercode.worlds.sql.databases.mysql.server_directory import DirectoryProcess, ServerDirectory, sweep
from intercode.worlds.sql.databases.mysql.server_options import options
from intercode.worlds.sql.databases.mysql.server_program import ServerProgram

PATIENCE = 60.0
"""Seconds in which a server must answer."""

UNPACK = 'mkdir "$0/data" && tar -xf - -C "$0/data" --no-same-owner && exec "$@" </dev/null'


class ServerProcess(Server):
    """See `Server`: it ends with this process."""

    def __init__(self, program: ServerProgram, *, template: Path | None = None, extra: tuple[str, ...] = ()) -> None:
        """Start from the archive *template*, or in a data directory that is there already."""
        super().__init__()
        sweep()
        directory = ServerDirectory()
        self.program = program
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
        """Return the first connection, as soon as it can be had. Raises DatabaseError with what the server printed."""
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

    @property
    def pid(self) -> int:
        return self.process.pid

    def alive(self) -> bool:
        return self.process.alive

    def wait(self, seconds: float) -> bool:
        return self.process.wait(seconds)

    def log(self, most: int) -> str:
        return self.process.directory.log(most)

    def close(self) -> None:
        """Kill it; nothing of it is left. Closing twice is harmless."""
        self.admin.close()
        self.process.close()
