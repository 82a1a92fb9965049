"""A server of our own keeps the contract, and so does one that is given by its URL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from intercode.errors import BadDataError, DatabaseError, UserError
from intercode.testing.database import DatabaseContract
from intercode.types.databases import Database, DatabaseSource
from intercode.worlds.sql.databases.mysql import MysqlDatabase
from intercode.worlds.sql.databases.mysql.server_process import ServerProcess
from intercode.worlds.sql.databases.mysql.server_program import find
from intercode.worlds.sql.databases.mysql.template import empty
from intercode_sandbox.testing.fixtures import becomes_true


class TestOwnServer(DatabaseContract):
    @pytest.fixture(scope="class")
    @classmethod
    def database(cls) -> Iterator[Database]:
        with MysqlDatabase() as database:
            yield database


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server that runs already, as if somebody else had started it."""
    program, archive = find(), tmp_path_factory.mktemp("empty") / "data.tar"
    empty(program, archive)
    server = ServerProcess(program, template=archive)
    yield server
    server.close()


def test_a_dump_of_the_servers_own_database_is_refused(tmp_path: Path) -> None:
    """It would give an agent the rights to do anything to the server."""
    (tmp_path / "mysql.sql").write_text("CREATE TABLE t (a int);")
    with MysqlDatabase() as database, pytest.raises(BadDataError, match=r"mysql\.sql, line 1: 'mysql' is a database"):
        database.load(DatabaseSource("mine", tmp_path, "sql"))


class TestGivenServer(DatabaseContract):
    no_own_locks = "GET_LOCK is for a server as a whole, and all sessions share this one"

    @pytest.fixture(scope="class")
    @classmethod
    def database(cls, server: ServerProcess) -> Iterator[Database]:
        with MysqlDatabase(url=f"mysql://root@/?socket={server.address.socket}") as database:
            yield database


def test_a_wrong_password_is_told_and_not_repeated(server: ServerProcess) -> None:
    url = f"mysql://root:secret@/?socket={server.address.socket}"
    with MysqlDatabase(url=url) as database, pytest.raises(DatabaseError, match="Access denied for user") as told:
        database.version()
    assert "secret" not in str(told.value)


def test_a_database_of_somebody_elses_is_left_alone(server: ServerProcess, tmp_path: Path) -> None:
    """Even where it is called as one of ours."""
    server.admin.rows("CREATE DATABASE theirs")
    (tmp_path / "theirs.sql").write_text("CREATE TABLE a (b int)")
    source = DatabaseSource("theirs", tmp_path / "theirs.sql", "sql")
    url = f"mysql://root@/?socket={server.address.socket}"

    def connections() -> set[object]:
        return {number for (number,) in server.admin.rows("SELECT id FROM information_schema.processlist")}

    before = connections()  # of which some may be ending, from tests before
    with (
        MysqlDatabase(url=url) as database,
        pytest.raises(UserError, match="'theirs' that was not loaded by InterCode") as refused,
    ):
        database.load(source)
    assert refused.value.__traceback__ is not None, "it still holds all that was at work then"
    assert becomes_true(lambda: connections() <= before), "no connection is left"
    assert server.admin.rows("SHOW TABLES FROM theirs") == []
