"""All processes of a run read on one server, which the run's own has started; whoever writes has a server alone."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from intercode.testing.database_fixtures import contract_source, rows, run_successfully
from intercode.types.databases import DatabaseSession, DatabaseSource
from intercode.worlds.sql.databases.mysql import MysqlDatabase
from intercode.worlds.sql.databases.mysql.driver import ServerAddress
from intercode.worlds.sql.databases.mysql.managed_server import ManagedSessionPool
from intercode.worlds.sql.databases.mysql.shared_server import share_address, shared_address
from intercode_sandbox.util import paths


@pytest.fixture
def source(tmp_path: Path) -> DatabaseSource:
    return contract_source(tmp_path)


@pytest.fixture
def parent(source: DatabaseSource, tmp_path: Path) -> Iterator[MysqlDatabase]:
    """The database of a run's own process, which has told others of its server."""
    with MysqlDatabase() as database:
        database.share([source], tmp_path)
        yield database


@pytest.fixture
def worker(parent: MysqlDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MysqlDatabase]:
    """That of a worker process."""
    monkeypatch.setenv(paths.SHARED, str(tmp_path))
    with MysqlDatabase() as database:
        yield database


def socket_of(session: DatabaseSession) -> object:
    """By which every server here can be told from others."""
    [(socket,)] = rows(session, "SELECT @@socket")
    return socket


def test_readers_of_all_processes_are_on_one_server(
    parent: MysqlDatabase, worker: MysqlDatabase, source: DatabaseSource
) -> None:
    with parent.open(source, "shop") as ours, worker.open(source, "shop") as one, worker.open(source, "shop") as other:
        assert socket_of(one) == socket_of(other) == socket_of(ours)
        assert rows(one, "SELECT COUNT(*) FROM orders") == rows(ours, "SELECT COUNT(*) FROM orders") == [(3,)]
        assert one.state() == ours.state()


def test_whoever_writes_has_a_server_of_its_own(
    parent: MysqlDatabase, worker: MysqlDatabase, source: DatabaseSource
) -> None:
    with worker.open(source, "shop") as writer, worker.open(source, "shop") as reader:
        run_successfully(writer, "DELETE FROM orders")
        assert socket_of(writer) != socket_of(reader)
        assert rows(writer, "SELECT COUNT(*) FROM orders") == [(0,)]
        assert rows(reader, "SELECT COUNT(*) FROM orders") == [(3,)]


def test_a_statement_that_takes_too_long_is_ended_there_too(worker: MysqlDatabase, source: DatabaseSource) -> None:
    with worker.open(source, "shop") as session:
        assert session.run("SELECT SLEEP(60)", timeout=0.3).timed_out
        assert rows(session, "SELECT 1") == [(1,)]


def test_the_server_stays_when_a_worker_is_done(
    parent: MysqlDatabase, worker: MysqlDatabase, source: DatabaseSource
) -> None:
    with worker.open(source, "shop") as session:
        there = socket_of(session)
    worker.close()
    with parent.open(source, "shop") as session:
        assert socket_of(session) == there


def test_a_worker_whose_server_has_died_goes_on_with_one_of_its_own(
    parent: MysqlDatabase, worker: MysqlDatabase, source: DatabaseSource
) -> None:
    with worker.open(source, "shop") as session:
        there = socket_of(session)
        (pool,) = parent._loaded.values()
        assert isinstance(pool, ManagedSessionPool)
        assert pool._reading is not None
        os.kill(pool._reading.pid, signal.SIGKILL)
        assert rows(session, "SELECT COUNT(*) FROM orders") == [(3,)]
        assert socket_of(session) != there


def test_what_the_run_has_not_told_of_has_a_server_of_the_worker(
    worker: MysqlDatabase, source: DatabaseSource, tmp_path: Path
) -> None:
    path = tmp_path / "attic.sql"
    path.write_text("CREATE DATABASE attic; USE attic; CREATE TABLE boxes (id INT); INSERT INTO boxes VALUES (7);")
    with (
        worker.open(DatabaseSource("attic", path, "mysql_dump"), "attic") as session,
        worker.open(source, "shop") as shop,
    ):
        assert rows(session, "SELECT id FROM boxes") == [(7,)]
        assert socket_of(session) != socket_of(shop)


def test_the_address_of_a_server_in_a_container_is_for_this_user_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = ServerAddress("root", "secret", socket="/run/s")
    assert shared_address("docker") is None
    monkeypatch.setenv(paths.SHARED, str(tmp_path))
    assert shared_address("docker") is None
    share_address(tmp_path, "docker", address)
    assert shared_address("docker") == address
    assert [file.stat().st_mode & 0o777 for file in tmp_path.iterdir()] == [0o600]
