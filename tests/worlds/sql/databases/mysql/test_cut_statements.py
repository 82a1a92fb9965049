"""Statements that go on in the server after they were cut, and what else a session may leave open, spoil no judging."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from intercode.errors import DatabaseError, DatabaseLostError
from intercode.testing.database_fixtures import contract_source
from intercode.types.databases import Database, DatabaseSource
from intercode.worlds.sql.databases.mysql import MysqlDatabase, session_pool
from intercode.worlds.sql.databases.mysql.managed_server import ManagedLease
from intercode.worlds.sql.databases.mysql.server_process import ServerProcess
from intercode.worlds.sql.databases.mysql.server_program import find
from intercode.worlds.sql.databases.mysql.session import MysqlSession
from intercode.worlds.sql.databases.mysql.template import empty

ROWS = 300
"""Of a table that is joined with itself."""

CROSS = "numbers a, numbers b, numbers c"

SLOW = "LENGTH(SHA2(REPEAT('a', 10000000 + n), 512))"
"""An expression that takes hundredths of a second for each row, and that no limit of the server's ends."""

CUT = {
    "create as select": f"CREATE TABLE big AS SELECT REPEAT('x', 200) AS x FROM {CROSS}",
    "replace a table": f"CREATE OR REPLACE TABLE orders AS SELECT REPEAT('x', 200) AS x FROM {CROSS}",
    "insert": f"INSERT INTO numbers SELECT a.n + b.n FROM {CROSS}",
    "insert and sleep": "INSERT INTO numbers SELECT SLEEP(30) FROM numbers",
    "update": "UPDATE numbers SET n = n + SLEEP(0.05)",
    "delete": "DELETE FROM numbers WHERE SLEEP(0.05) = 0",
    "alter": f"ALTER TABLE numbers ADD COLUMN m INT AS ({SLOW}) STORED",
    "script": "BEGIN NOT ATOMIC WHILE 1 DO CREATE TABLE a (x INT); DROP TABLE a; END WHILE; END",
    "transaction": f"BEGIN NOT ATOMIC START TRANSACTION; DELETE FROM numbers; SELECT SLEEP(30) FROM {CROSS}; END",
    "sleep": "DO SLEEP(30)",
    "benchmark": "DO BENCHMARK(1000000000000, 1)",
    "own name": "SELECT GET_LOCK('x', 0), SLEEP(30)",
}
"""Each is cut: by the server, or by whoever waits for it."""

OF_MARIADB = ("replace a table", "script", "transaction")
"""Those that MySQL does not understand."""

LEFT_OPEN = {
    "write lock": ["LOCK TABLES numbers WRITE"],
    "read lock": ["LOCK TABLES numbers READ"],
    "global lock": ["FLUSH TABLES WITH READ LOCK"],
    "lock for export": ["FLUSH TABLES numbers FOR EXPORT"],
    "backup": ["BACKUP STAGE START", "BACKUP STAGE BLOCK_COMMIT"],
    "backup lock": ["BACKUP LOCK numbers"],
    "name": ["SELECT GET_LOCK('intercode_loading', 0)"],
    "transaction": ["START TRANSACTION", "DELETE FROM numbers"],
    "rows for update": ["SET autocommit = 0", "SELECT * FROM numbers FOR UPDATE"],
    "handler": ["HANDLER numbers OPEN"],
    "prepared": ["XA START 'x'", "DELETE FROM numbers", "XA END 'x'", "XA PREPARE 'x'"],
    "idle xa": ["LOCK TABLES numbers WRITE", "XA START 'x'", "XA END 'x'"],
    "ended by itself": ["LOCK TABLES numbers WRITE", "KILL CONNECTION_ID()"],
    "event": ["CREATE EVENT e ON SCHEDULE EVERY 1 SECOND DO DROP TABLE IF EXISTS numbers"],
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> DatabaseSource:
    return contract_source(tmp_path_factory.mktemp("source"))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server that runs already."""
    archive = tmp_path_factory.mktemp("empty") / "data.tar"
    empty(find(), archive)
    server = ServerProcess(find(), template=archive)
    yield server
    server.close()


@pytest.fixture(scope="module", params=["own server", "given server"])
def database(request: pytest.FixtureRequest, server: ServerProcess) -> Iterator[Database]:
    url = f"mysql://root@/?socket={server.address.socket}" if request.param == "given server" else None
    with MysqlDatabase(url=url) as database:
        yield database


@pytest.fixture
def session(database: Database, source: DatabaseSource) -> Iterator[MysqlSession]:
    """With a table of many rows."""
    with database.open(source, "shop") as session:
        assert isinstance(session, MysqlSession)
        rows = ", ".join(f"({number})" for number in range(ROWS))
        for statement in ("CREATE TABLE numbers (n DOUBLE)", f"INSERT INTO numbers VALUES {rows}"):
            assert session.run(statement).error is None
        yield session


@pytest.mark.parametrize("name", CUT)
def test_nothing_goes_on_after_a_cut(session: MysqlSession, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection is gone from the server before anything is read, whoever cut it."""
    monkeypatch.setattr("intercode.worlds.sql.databases.mysql.connection.GRACE", -0.05)  # we are the first
    before = session._place.link.id
    result = session.run(CUT[name], timeout=0.3)
    assert result.timed_out or (result.code == 1064 and name in OF_MARIADB), result
    assert result.timed_out is (before not in _connections(session))
    first = session.state()
    time.sleep(0.3)
    assert session.state() == first
    assert len(first["numbers"].rows) == ROWS
    assert session.run("SELECT COUNT(*) FROM customers").error is None


def _connections(session: MysqlSession) -> set[object]:
    return {row[0] for row in session._place.ask("SHOW PROCESSLIST")}


@pytest.mark.parametrize("name", LEFT_OPEN)
def test_what_is_left_open_stops_nobody_from_reading(session: MysqlSession, name: str) -> None:
    """And not for long: a lock is waited for a second or two."""
    for statement in LEFT_OPEN[name]:
        session.run(statement)
    began = time.monotonic()
    assert len(session.state()["numbers"].rows) == ROWS
    assert time.monotonic() - began < 20


UNREADABLE = {
    "nothing below": [
        "CREATE TABLE low (n INT) ENGINE=MyISAM", "CREATE TABLE high (n INT) ENGINE=MERGE UNION=(low)", "DROP TABLE low"
    ],
    "endless column": [f"ALTER TABLE numbers ADD COLUMN m INT AS ({SLOW}) VIRTUAL"],
    "endless views": [f"CREATE VIEW v{i} AS SELECT SLEEP(30) FROM numbers" for i in range(5)],
}  # fmt: skip


@pytest.mark.parametrize("name", UNREADABLE)
def test_who_leaves_what_cannot_be_read_has_failed(
    session: MysqlSession, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no error of the machine: a fresh session can be read."""
    for module in ("introspection", "managed_server"):
        monkeypatch.setattr(f"intercode.worlds.sql.databases.mysql.{module}.READING_SECONDS", 2.0)
    for statement in UNREADABLE[name]:
        assert session.run(statement).error is None
    with pytest.raises(DatabaseLostError, match="a fresh session works, so this one was broken by what it ran"):
        session.state()


def test_a_server_on_which_nobody_can_read_is_the_machines_failure(
    session: MysqlSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "intercode.worlds.sql.databases.mysql.introspection.PATIENCE", "SET SESSION no_such_setting = 1"
    )
    with pytest.raises(DatabaseError, match="no_such_setting") as told:
        session.state()
    assert not isinstance(told.value, DatabaseLostError)


def test_a_statement_that_does_not_end_ends_the_session(session: MysqlSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for it for ever, and the session has failed."""
    monkeypatch.setattr(session_pool, "ENDING", 0.2)
    monkeypatch.setattr(ManagedLease, "kill", lambda *_: None)
    monkeypatch.setattr("intercode.worlds.sql.databases.mysql.external_server.ExternalLease.kill", lambda *_: None)
    monkeypatch.setattr("intercode.worlds.sql.databases.mysql.connection.GRACE", -0.05)
    with pytest.raises(DatabaseLostError, match="goes on 0 s after it was killed"):
        session.run("SET STATEMENT max_statement_time = 0 FOR SELECT SLEEP(3)", timeout=0.3)
