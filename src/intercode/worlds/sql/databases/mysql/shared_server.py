"""Servers of a run that its worker processes use: the run's own process has started them, and ends them.

Where they are is written into the folder that the run's processes share, which only their user may read.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import msgspec

from intercode.util.atomic_write import write_bytes
from intercode.worlds.sql.databases.mysql.connection import Connection
from intercode.worlds.sql.databases.mysql.driver import ConnectionLostError, ServerAddress
from intercode.worlds.sql.databases.mysql.server import ROOT, Server
from intercode.worlds.sql.databases.mysql.server_directory import read_log
from intercode.worlds.sql.databases.mysql.server_process import ServerProcess
from intercode.worlds.sql.databases.mysql.server_program import ServerProgram
from intercode_sandbox.util import paths
from intercode_sandbox.util.polling import readable


class SharedServerRecord(msgspec.Struct, frozen=True):
    """The home of a server, and its process."""

    folder: str
    pid: int


class SharedServer(Server):
    """See `Server`: one that another process has started.

    Raises:
        ConnectionLostError: If it has gone.
    """

    def __init__(self, program: ServerProgram, place: SharedServerRecord) -> None:
        super().__init__()
        self.program, self._folder, self._pid = program, Path(place.folder), place.pid
        self.address = ServerAddress(ROOT, socket=f"{place.folder}/s")
        self.readers = f"reader_{os.getpid()}"  # others make accounts too
        self._guard = threading.Lock()
        try:
            self._life = os.pidfd_open(place.pid)
        except ProcessLookupError as error:
            raise ConnectionLostError(f"the server has ended: {error}") from error
        try:
            self.admin = Connection(self.address)
        except BaseException:
            os.close(self._life)
            raise

    @property
    def pid(self) -> int:
        return self._pid

    def alive(self) -> bool:
        return not self.wait(0.0)

    def wait(self, seconds: float) -> bool:
        """See `Server.wait`. Another thread may close this meanwhile."""
        with self._guard:
            if self._life < 0:
                return True
            life = os.dup(self._life)
        try:
            return readable(life, seconds)
        finally:
            os.close(life)

    def log(self, most: int) -> str:
        return read_log(self._folder, most)

    def close(self) -> None:
        """Hang up: it goes on. Closing twice is harmless."""
        self.admin.close()
        with self._guard:
            if self._life >= 0:
                os.close(self._life)
                self._life = -1


def share_server(folder: Path, name: str, server: ServerProcess) -> None:
    """Tell those who share *folder* of *server*, from which they read the databases of the template called *name*."""
    _write(folder, name, SharedServerRecord(str(server.process.directory.folder), server.pid))


def shared_server(program: ServerProgram, name: str) -> SharedServer | None:
    """Return the server for the template called *name* of the run that this process works for.

    None where there is none.
    """
    place = _read(name, SharedServerRecord)
    try:
        return None if place is None else SharedServer(program, place)
    except ConnectionLostError:
        return None


def share_address(folder: Path, name: str, address: ServerAddress) -> None:
    """Tell those who share *folder* of the server called *name* at *address*."""
    _write(folder, name, address)


def shared_address(name: str) -> ServerAddress | None:
    """Return where the run that this process works for has the server called *name*; None where it has none."""
    found: ServerAddress | None = _read(name, ServerAddress)
    return found


def _write(folder: Path, name: str, what: Any) -> None:
    write_bytes(folder / f"{name}.json", msgspec.json.encode(what), mode=0o600)


def _read(name: str, kind: Any) -> Any:
    shared = paths.shared()
    try:
        return None if shared is None else msgspec.json.decode((shared / f"{name}.json").read_bytes(), type=kind)
    except FileNotFoundError:
        return None
