"""Servers of our own: none is left behind, however we end, and one that dies is replaced where nothing is lost."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from intercode.errors import DatabaseError, DatabaseGoneError, UserError
from intercode.testing.database_fixtures import contract_source, rows, run_successfully
from intercode.types.databases import DatabaseSession, DatabaseSource
from intercode.worlds.sql import databases
from intercode.worlds.sql.databases.mysql import MysqlDatabase, server_directory
from intercode.worlds.sql.databases.mysql.managed_server import ManagedLease, ManagedSessionPool
from intercode.worlds.sql.databases.mysql.server_directory import ServerDirectory
from intercode.worlds.sql.databases.mysql.server_process import ServerProcess
from intercode.worlds.sql.databases.mysql.session import MysqlSession
from intercode_sandbox.testing.fixtures import becomes_true
from intercode_sandbox.util.locks import lock

# The connection of a server that was killed is dropped, not closed: what Python says of that is said here, not later.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture(autouse=True)
def swept() -> Iterator[None]:
    yield
    gc.collect()


PROGRAM = """
import sys, time
from pathlib import Path
from intercode.worlds.sql.databases.mysql import MysqlDatabase
from intercode.testing.database_fixtures import contract_source
database = MysqlDatabase()
session = database.open(contract_source(Path(sys.argv[1])), "shop")
session.run("DELETE FROM orders")
servers = [server for home in database._loaded.values() for server in home._servers]
print(*(f"{server.process.pid}:{server.process.directory.folder}" for server in servers), flush=True)
{ending}
"""
"""A program with servers, which tells of them and then ends in some way."""

ENDINGS = {
    "it ends well": "",
    "it ends without closing": "import os; os._exit(0)",
    "it fails": "raise SystemExit(3)",
    "it is killed": "time.sleep(60)",
    "it is interrupted": "time.sleep(60)",
    "it is killed and has a fork that lives": "import os; os.fork() or time.sleep(5); time.sleep(60)",
}


@pytest.fixture
def database() -> Iterator[MysqlDatabase]:
    with MysqlDatabase() as database:
        yield database


@pytest.fixture
def source(tmp_path: Path) -> DatabaseSource:
    return contract_source(tmp_path)


@pytest.mark.parametrize("ending", ENDINGS)
def test_nothing_is_left_behind_when(ending: str, tmp_path: Path) -> None:
    """Neither a server nor its folder in memory."""
    program = [sys.executable, "-c", PROGRAM.replace("{ending}", ENDINGS[ending]), str(tmp_path)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout
        told = [entry.split(":", 1) for entry in process.stdout.readline().split()]
        assert len(told) >= 2
        if ending.startswith("it is"):
            process.send_signal(signal.SIGINT if "interrupted" in ending else signal.SIGKILL)
        process.wait()
        assert [entry for entry in told if not _gone(int(entry[0]), Path(entry[1]))] == []
        process.stdout.close()


def test_a_server_goes_when_its_guard_is_killed(database: MysqlDatabase, source: DatabaseSource) -> None:
    """The kernel sees to that; its folder goes with the next look."""
    with database.open(source, "shop") as session:
        server = _place(session).server
        assert isinstance(server, ServerProcess)
        os.kill(server.process._guard.pid, signal.SIGKILL)
        assert _ends(server.pid)


def test_folders_left_behind_are_swept(tmp_path: Path) -> None:
    """But not those whose owner lives."""
    mine = ServerDirectory()
    draft = mine.folder.with_name(f"left-{os.getpid()}")  # another process's look may come at any moment
    left = draft.with_name(f"{server_directory.PREFIX}{draft.name}")
    (draft / "data").mkdir(parents=True)
    (draft / server_directory.LOCK).touch()
    draft.rename(left)
    try:
        server_directory._swept.clear()
        server_directory.sweep()
        assert becomes_true(lambda: not left.exists())
        assert mine.folder.exists()
    finally:
        mine.remove()
    assert not mine.folder.exists()


def test_a_folder_is_nobodys_prey_while_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process may look just before its maker holds the lock."""

    def look_and_take(descriptor: int) -> None:
        server_directory._swept.clear()
        server_directory.sweep()
        lock(descriptor)

    monkeypatch.setattr(server_directory, "lock", look_and_take)
    made = ServerDirectory()
    assert (made.folder / server_directory.LOCK).exists()
    made.remove()


def test_a_server_runs_without_privileges(database: MysqlDatabase, source: DatabaseSource) -> None:
    with database.open(source, "shop") as session:
        status = Path(f"/proc/{_place(session).server.pid}/status").read_text()
    lines = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert "0" not in lines["Uid"].split()
    assert lines["CapEff"] == "0000000000000000"
    assert lines["NoNewPrivs"] == "1"


def test_a_server_listens_to_nobody_else(database: MysqlDatabase, source: DatabaseSource) -> None:
    """Its socket is in a folder that is closed to all others, and there is no port."""
    with database.open(source, "shop") as session:
        server = _place(session).server
        assert isinstance(server, ServerProcess)
        folder = server.process.directory.folder
        assert folder.stat().st_mode & 0o077 == 0
        assert rows(session, "SELECT @@skip_networking, @@port") in ([(1, 0)], [(1, 3306)])


def test_a_reader_does_not_notice_that_its_server_died(database: MysqlDatabase, source: DatabaseSource) -> None:
    with database.open(source, "shop") as session:
        os.kill(_place(session).server.pid, signal.SIGKILL)
        assert rows(session, "SELECT COUNT(*) FROM orders") == [(3,)]
        assert not session.changed()
        os.kill(_place(session).server.pid, signal.SIGKILL)
        assert sorted(session.state()) == ["customers", "orders"]


def test_a_reader_stays_in_the_database_it_chose(database: MysqlDatabase, source: DatabaseSource) -> None:
    with database.open(source, "shop") as session:
        run_successfully(session, "USE bank")
        os.kill(_place(session).server.pid, signal.SIGKILL)
        assert rows(session, "SELECT COUNT(*) FROM accounts") == [(2,)]


@pytest.mark.parametrize("deed", ["DELETE FROM orders", "SET @x = 1"])
def test_what_was_done_is_not_done_again(database: MysqlDatabase, source: DatabaseSource, deed: str) -> None:
    """The machine is to blame, and says so; other sessions go on."""
    with database.open(source, "shop") as session:
        run_successfully(session, deed)
        os.kill(_place(session).server.pid, signal.SIGKILL)
        with pytest.raises(DatabaseGoneError, match="died"):
            session.run("SELECT 1")
    with database.open(source, "shop") as later:
        run_successfully(later, deed)
        assert rows(later, "SELECT 1") == [(1,)]


def test_a_writer_does_not_notice_that_the_server_made_ready_for_it_died(
    database: MysqlDatabase, source: DatabaseSource
) -> None:
    with database.open(source, "shop") as session:
        assert isinstance(session, MysqlSession)
        home = session.home
        assert isinstance(home, ManagedSessionPool)
        (spare,) = home._spares
        os.kill(spare.place().server.pid, signal.SIGKILL)
        run_successfully(session, "DELETE FROM orders")
        assert rows(session, "SELECT COUNT(*) FROM orders") == [(0,)]


def test_a_connection_that_is_killed_by_its_owner_is_made_anew(database: MysqlDatabase, source: DatabaseSource) -> None:
    """What was committed stays."""
    with database.open(source, "shop") as session:
        run_successfully(session, "DELETE FROM orders WHERE number = 100")
        assert session.run("KILL CONNECTION_ID()").error is not None
        assert rows(session, "SELECT COUNT(*) FROM orders") == [(2,)]


def test_a_procedure_shows_its_result(database: MysqlDatabase, source: DatabaseSource) -> None:
    """The server says once more afterwards that it went well: that is gone past."""
    with database.open(source, "shop") as session:
        run_successfully(session, "CREATE PROCEDURE first() SELECT MIN(id) FROM customers")
        for _ in range(2):
            assert rows(session, "CALL first()") == [(1,)]
            assert rows(session, "SELECT COUNT(*) FROM customers") == [(4,)]


def test_readers_share_a_server_and_writers_have_their_own(database: MysqlDatabase, source: DatabaseSource) -> None:
    with database.open(source, "shop") as one, database.open(source, "shop") as other:
        assert _place(one).server is _place(other).server
        run_successfully(one, "DELETE FROM orders")
        run_successfully(other, "DELETE FROM orders")
        assert _place(one).server is not _place(other).server


def test_a_clean_server_serves_again_and_a_dirty_one_does_not(database: MysqlDatabase, source: DatabaseSource) -> None:
    with database.open(source, "shop") as session:
        run_successfully(session, "SET @x = 1")
        first = _place(session).server
    with database.open(source, "shop") as session:
        assert rows(session, "SELECT @x") == [(None,)]
        assert _place(session).server is first
        run_successfully(session, "UPDATE orders SET weight = 1")
    with database.open(source, "shop") as session:
        run_successfully(session, "SET @x = 1")
        assert _place(session).server is not first
    assert _ends(first.pid)


def test_the_template_is_made_once(source: DatabaseSource) -> None:
    told: list[str] = []
    for _ in range(2):
        with MysqlDatabase(progress=told.append) as database:
            database.load(source)
    assert len(told) <= 1


@pytest.mark.parametrize(
    ("url", "error", "message"),
    [
        (
            "mysql://nobody:wrong@/?socket=/tmp/no-such-socket",
            DatabaseError,
            "no database server at nobody@/tmp/no-such",
        ),
        ("mysql://root@127.0.0.1:1", DatabaseError, "no database server at root@127.0.0.1:1"),
        ("postgres://root@localhost", UserError, "begins with 'postgres': write mysql://user"),
        ("mysql://", UserError, "neither a host nor a socket"),
        ("mysql://root@localhost:port", UserError, "write mysql://"),
        ("mysqld:/bin/true", DatabaseError, "/bin/true is not a MySQL or MariaDB server"),
        ("mysqld:/no/such/program", DatabaseError, "/no/such/program cannot be run"),
    ],
)
def test_a_server_that_is_not_there_is_told(
    url: str, error: type[Exception], message: str, source: DatabaseSource
) -> None:
    with MysqlDatabase(url=url) as database, pytest.raises(error) as caught:
        database.load(source)
    assert message in str(caught.value)
    assert "wrong" not in str(caught.value)


def test_without_any_server_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, source: DatabaseSource) -> None:
    monkeypatch.setenv("INTERCODE_MYSQLD", "/no/such/program")
    with MysqlDatabase() as database, pytest.raises(DatabaseError, match="/no/such/program cannot be run"):
        database.load(source)


def _place(session: DatabaseSession) -> ManagedLease:
    assert isinstance(session, MysqlSession)
    place = session._place
    assert isinstance(place, ManagedLease)
    return place


def _ends(pid: int) -> bool:
    """Whether that process is gone, or will be within some seconds."""
    deadline = time.monotonic() + 25
    while time.monotonic() < deadline:
        try:
            if " Z " in Path(f"/proc/{pid}/stat").read_text():
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.02)
    return False


def _gone(pid: int, folder: Path) -> bool:
    deadline = time.monotonic() + 25
    while folder.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    return not folder.exists() and _ends(pid)


@pytest.mark.parametrize("name", ["mysql:/foo", "mysql:foo", "sqlite:/a.db", "http://host/a", "mysql:/root:wrong@a"])
def test_what_is_nearly_the_url_of_a_server_is_refused_with_the_forms_that_are_right(name: str) -> None:
    with pytest.raises(UserError, match=r"no server: write mysql://user:password@host:port, .*or mysql, ") as caught:
        databases.find(name)
    assert "wrong" not in str(caught.value)
