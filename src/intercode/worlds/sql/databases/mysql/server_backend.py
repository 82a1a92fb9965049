"""A server for all sources: one to be started here, one given by URL, or one in Docker."""

from __future__ import annotations

import time
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from intercode.errors import DatabaseError, UserError
from intercode.types.databases import DatabaseSource, Progress, QueryLimits
from intercode.worlds.sql.databases import FORMS
from intercode.worlds.sql.databases.mysql import docker, server_program
from intercode.worlds.sql.databases.mysql.connection import Connection
from intercode.worlds.sql.databases.mysql.driver import ConnectionLostError, ServerAddress
from intercode.worlds.sql.databases.mysql.external_server import ExternalSessionPool
from intercode.worlds.sql.databases.mysql.managed_server import ManagedSessionPool
from intercode.worlds.sql.databases.mysql.server_program import ServerProgram
from intercode.worlds.sql.databases.mysql.session_pool import SessionPool
from intercode.worlds.sql.databases.mysql.shared_server import share_address, shared_address
from intercode.worlds.sql.databases.mysql.template import template

PATIENCE = 120.0
"""Seconds in which a server in Docker must answer."""

DOCKER = "docker"
"""What the server in a container is called among those of a run."""


class ManagedBackend:
    """A program that is started as often as need be."""

    def __init__(self, found: ServerProgram) -> None:
        self.program, self.title, self.flavour = found, found.title, str(found.flavour)

    def home(self, source: DatabaseSource, limits: QueryLimits, progress: Progress) -> SessionPool:
        """Return a pool of sessions on *source*, loaded.

        Raises:
            BadDataError: If the source's files are missing or malformed.
            DatabaseError: If no server can be had.
        """
        return ManagedSessionPool(self.program, template(self.program, source, progress), limits)

    def share(self, folder: Path) -> None:
        """Homes share what they have."""

    def close(self) -> None:
        """Nothing runs but what homes have."""


class ExternalBackend:
    """A server that runs at *address*; `container` is what it runs in, where that is ours."""

    def __init__(self, address: ServerAddress, container: docker.MysqlContainer | None = None) -> None:
        self.address, self.container = address, container
        link = self._first()
        number = link.version.split("-")[0]
        self.flavour = "mariadb" if link.mariadb else "mysql"
        self.title = f"{'MariaDB' if link.mariadb else 'MySQL'} {number}"
        link.close()

    def _first(self) -> Connection:
        """Return the first connection; one to a container is waited for.

        Raises DatabaseError, and removes the container.
        """
        try:
            return Connection(self.address) if self.container is None else self._wait_for_server(self.container)
        except ConnectionLostError as error:
            raise DatabaseError(f"no database server at {self.address}: {error}") from error
        except BaseException:
            self.close()
            raise

    def _wait_for_server(self, container: docker.MysqlContainer) -> Connection:
        """Return a connection to the server that stays: the image begins with another one, to set the password."""
        deadline, last = time.monotonic() + PATIENCE, "nothing"
        while time.monotonic() < deadline:
            try:
                link = Connection(self.address)
                if link.rows("SELECT @@skip_networking") == [(0,)]:
                    return link
                link.close()
            except (ConnectionLostError, DatabaseError) as error:
                last = str(error)
            container.check()
            time.sleep(0.25)
        raise DatabaseError(f"{container.image} did not answer in {PATIENCE:.0f} s; the last it said: {last}")

    def home(self, source: DatabaseSource, limits: QueryLimits, progress: Progress) -> SessionPool:
        """Return a pool of sessions on *source*, loaded.

        Raises:
            BadDataError: If the source's files are missing or malformed.
            DatabaseError: If the server is gone.
            UserError: If the server has other databases of the same names.
        """
        try:
            return ExternalSessionPool(self.address, source, limits, progress)
        except ConnectionLostError as error:
            raise DatabaseError(f"the database server at {self.address} is gone: {error}") from error

    def share(self, folder: Path) -> None:
        """Tell the processes that share *folder* of the container, where there is one."""
        if self.container is not None:
            share_address(folder, DOCKER, self.address)

    def close(self) -> None:
        """Remove the container, where there is one."""
        if self.container is not None:
            self.container.close()


ServerBackend = ManagedBackend | ExternalBackend
"""A server for all sources. `title` is what people call it, `flavour` is mysql or mariadb."""


def find_backend(named: str | None) -> ServerBackend:
    """Return the backend at the URL *named*, else one of our own, else Docker.

    Raises:
        DatabaseError: If no server can be had.
        UserError: If the URL is malformed.
    """
    if named is None:
        return _default_backend()
    if named.startswith("mysqld:"):
        return ManagedBackend(server_program.usable(server_program.examine(named.removeprefix("mysqld:"))))
    if named.startswith("docker:"):
        return _docker_backend(named.removeprefix("docker:"))
    return ExternalBackend(read_url(named))


def _default_backend() -> ServerBackend:
    try:
        return ManagedBackend(server_program.find())
    except DatabaseError:
        if docker.available():
            return _docker_backend("")
        raise


def _docker_backend(image: str) -> ServerBackend:
    if address := shared_address(DOCKER):  # of the run that we work for
        return ExternalBackend(address)
    container = docker.MysqlContainer(image)
    return ExternalBackend(container.address, container)


def read_url(url: str) -> ServerAddress:
    """Return the address in a mysql:// URL.

    Raises:
        UserError: If it is malformed. The message does not repeat the password.
    """
    try:
        parts = urlsplit(url)
        port = parts.port or 3306
    except ValueError as error:
        raise UserError(f"not the URL of a database server ({error}): write {FORMS}") from error
    if parts.scheme not in ("mysql", "mariadb"):
        raise UserError(f"not the URL of a database server, it begins with {parts.scheme or url[:10]!r}: write {FORMS}")
    sockets = parse_qs(parts.query).get("socket", [""])
    if not (parts.hostname or sockets[0]):
        raise UserError(f"the URL names neither a host nor a socket: write {FORMS}")
    user, password = unquote(parts.username or "root"), unquote(parts.password or "")
    return ServerAddress(user, password, socket=sockets[0], host=parts.hostname or "localhost", port=port)
