"""A server for all sources: one to be started here, one given by URL, or one in Docker."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod

from intercode.databases.base import Progress, QueryLimits, Source
from intercode.databases.server import docker, program, url
from intercode.databases.server.given import GivenHome
from intercode.databases.server.home import Home
from intercode.databases.server.link import Address, Link, LinkLost
from intercode.databases.server.own import OwnHome
from intercode.databases.server.program import Program
from intercode.databases.server.template import template
from intercode.errors import DatabaseError, UserError

PATIENCE = 120.0
"""Seconds in which a server in Docker must answer."""


class Station(ABC):
    """`title` is what people call the server, `flavour` is mysql or mariadb."""

    title: str
    flavour: str

    @abstractmethod
    def home(self, source: Source, limits: QueryLimits, progress: Progress) -> Home:
        """A home for *source*, loaded. Raises BadData, DatabaseError, UserError."""

    @abstractmethod
    def close(self) -> None:
        """Done with it."""


class OwnStation(Station):
    """A program that is started as often as need be."""

    def __init__(self, found: Program) -> None:
        self.program, self.title, self.flavour = found, found.title, found.flavour

    def home(self, source: Source, limits: QueryLimits, progress: Progress) -> Home:
        """See `Station.home`."""
        return OwnHome(self.program, template(self.program, source, progress), limits)

    def close(self) -> None:
        """Nothing runs but what homes have."""


class GivenStation(Station):
    """A server that runs at *address*; `container` is what it runs in, where that is ours."""

    def __init__(self, address: Address, container: docker.Container | None = None) -> None:
        self.address, self.container = address, container
        link = self._first()
        number = link.version.split("-")[0]
        self.flavour = "mariadb" if link.mariadb else "mysql"
        self.title = f"{'MariaDB' if link.mariadb else 'MySQL'} {number}"
        link.close()

    def _first(self) -> Link:
        """The first connection; one to a container is waited for. Raises DatabaseError, and removes the container."""
        try:
            return Link(self.address) if self.container is None else self._awaited(self.container)
        except LinkLost as error:
            raise DatabaseError(f"no database server at {self.address}: {error}") from error
        except BaseException:
            self.close()
            raise

    def _awaited(self, container: docker.Container) -> Link:
        """A connection to the server that stays: the image begins with another one, to set the password."""
        deadline, last = time.monotonic() + PATIENCE, "nothing"
        while time.monotonic() < deadline:
            try:
                link = Link(self.address)
                if link.rows("SELECT @@skip_networking") == [(0,)]:
                    return link
                link.close()
            except (LinkLost, DatabaseError) as error:
                last = str(error)
            container.check()
            time.sleep(0.25)
        raise DatabaseError(f"{container.image} did not answer in {PATIENCE:.0f} s; the last it said: {last}")

    def home(self, source: Source, limits: QueryLimits, progress: Progress) -> Home:
        """See `Station.home`."""
        if source.kind == "sqlite":
            raise UserError(f"{source.name} has SQLite files, which MySQL cannot read: use the database `sqlite`")
        try:
            return GivenHome(self.address, source, limits, progress)
        except LinkLost as error:
            raise DatabaseError(f"the database server at {self.address} is gone: {error}") from error

    def close(self) -> None:
        """Remove the container, where there is one."""
        if self.container is not None:
            self.container.close()


def station(named: str | None) -> Station:
    """The station at the URL *named*, else one of our own, else Docker. Raises DatabaseError and UserError."""
    if named is None:
        return _unnamed()
    if named.startswith("mysqld:"):
        return OwnStation(program.usable(program.examine(named.removeprefix("mysqld:"))))
    if named.startswith("docker:"):
        return _docked(named.removeprefix("docker:"))
    return GivenStation(url.read(named))


def _unnamed() -> Station:
    try:
        return OwnStation(program.find())
    except DatabaseError:
        if docker.available():
            return _docked("")
        raise


def _docked(image: str) -> Station:
    container = docker.Container(image)
    return GivenStation(container.address, container)
