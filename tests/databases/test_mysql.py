"""A server of our own keeps the contract, and so does one that is given by its URL."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from intercode.databases.base import Database
from intercode.databases.mysql import MysqlDatabase
from intercode.databases.server.program import find
from intercode.databases.server.server import Server
from intercode.databases.server.template import empty
from intercode.testing.database import DatabaseContract


class TestOwnServer(DatabaseContract):
    @pytest.fixture(scope="class")
    @classmethod
    def database(cls) -> Iterator[Database]:
        with MysqlDatabase() as database:
            yield database


class TestGivenServer(DatabaseContract):
    no_own_locks = "GET_LOCK is for a server as a whole, and all sessions share this one"

    @pytest.fixture(scope="class")
    @classmethod
    def database(cls, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
        program, archive = find(), tmp_path_factory.mktemp("empty") / "data.tar"
        empty(program, archive)
        server = Server(program, template=archive)
        try:
            with MysqlDatabase(url=f"mysql://root@/?socket={server.address.socket}") as database:
                yield database
        finally:
            server.close()
