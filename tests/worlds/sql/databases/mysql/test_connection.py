"""Statements on a connection: values, limits on size and time, and what becomes of answers that nobody reads."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from threading import Timer

import pymysql
import pytest

from intercode.errors import DatabaseError
from intercode.types.databases import QueryLimits
from intercode.worlds.sql.databases.mysql import connection, results
from intercode.worlds.sql.databases.mysql.connection import Connection
from intercode.worlds.sql.databases.mysql.driver import ConnectionLostError, ServerAddress
from intercode.worlds.sql.databases.mysql.server_process import ServerProcess
from intercode.worlds.sql.databases.mysql.server_program import find
from intercode.worlds.sql.databases.mysql.template import empty

LARGE = QueryLimits(seconds=60.0, rows=10_000_000, bytes=1 << 30)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerAddress]:
    """A server without databases, as root."""
    archive = tmp_path_factory.mktemp("empty") / "data.tar"
    empty(find(), archive)
    server = ServerProcess(find(), template=archive)
    yield server.address
    server.close()


@pytest.fixture
def link(address: ServerAddress) -> Iterator[Connection]:
    link = Connection(address, seconds=60.0)
    yield link
    link.close()


VALUES = """
SELECT 1 AS a, -9223372036854775808, 18446744073709551615, 1.5e0, CAST(1 AS FLOAT), 12.50, '', 'ü€😀', NULL,
       X'00FF', b'1000000001', DATE '2024-02-29', TIMESTAMP '2024-01-02 03:04:05', TIMESTAMP '2024-01-02 03:04:05.120',
       TIME '-838:59:59', TIME '01:02:03.5', CAST('[1]' AS JSON), YEAR('2024-01-01'), TRUE
""".replace("CAST('[1]' AS JSON)", "JSON_ARRAY(1)")


def test_values_have_pythons_types(link: Connection) -> None:
    (row,) = link.rows(VALUES)
    assert row == (
        1, -(1 << 63), (1 << 64) - 1, 1.5, 1.0, Decimal("12.50"), "", "ü€😀", None,
        b"\x00\xff", b"\x02\x01", date(2024, 2, 29), datetime(2024, 1, 2, 3, 4, 5),
        datetime(2024, 1, 2, 3, 4, 5, 120000),
        -timedelta(hours=838, minutes=59, seconds=59), timedelta(hours=1, minutes=2, seconds=3, microseconds=500000),
        "[1]", 2024, 1,
    )  # fmt: skip
    assert [type(cell) for cell in row[:6]] == [int, int, int, float, float, Decimal]


COLUMNS = """
a TINYINT UNSIGNED, b SMALLINT, c MEDIUMINT, d INT ZEROFILL, e BIGINT, f FLOAT, g DOUBLE, h DECIMAL(30, 10), i BIT(1),
j CHAR(4), k VARCHAR(9) CHARACTER SET latin1, l TINYTEXT, m LONGTEXT, n BINARY(3), o VARBINARY(9), p TINYBLOB,
q LONGBLOB, r ENUM('x', 'y'), s SET('x', 'y'), t DATE, u DATETIME(6), v TIME(3), w YEAR, x JSON, y TIMESTAMP(6) NULL
"""

FILLED = (
    255, -3, 4, 5, -6, 0.1, 1e300, "-1.5", 1, "ü", "é", "l", "m", b"n\0\0", b"\xff", b"", b"q" * 300, "y", "x,y",
    "1999-12-31", "1000-01-01 00:00:00.000001", "-01:02:03.456", 1999, '{"a": 1}', "2001-02-03 04:05:06.7",
)  # fmt: skip


def test_columns_of_all_types_are_read_as_pymysql_reads_them(link: Connection, address: ServerAddress) -> None:
    """But for bits, which are numbers, as MySQL's own client has them."""
    link.rows("CREATE DATABASE types")
    link.rows(f"CREATE TABLE types.all_of_them ({COLUMNS})")
    places = ", ".join(["%s"] * len(FILLED))
    link.rows(f"INSERT INTO types.all_of_them VALUES ({places})", FILLED)
    link.rows("INSERT INTO types.all_of_them () VALUES ()")
    names, rows = link.columns("SELECT * FROM types.all_of_them")
    theirs = pymysql.connect(user=address.user, unix_socket=address.socket, ssl_disabled=True)
    with theirs, theirs.cursor() as cursor:
        cursor.execute("SELECT * FROM types.all_of_them")
        expected = [tuple(1 if cell == b"\1" else cell for cell in row) for row in cursor.fetchall()]
    assert rows == expected
    assert names == tuple("abcdefghijklmnopqrstuvwxy")


@pytest.mark.parametrize("buffer", [16, 300, 8192, 1 << 20])
def test_many_rows_are_read_as_pymysql_reads_them(link: Connection, address: ServerAddress, buffer: int) -> None:
    """Those that its buffer holds in bulk, and all others by itself."""
    topics = (
        "SELECT t.*, IF(help_topic_id % 3, NULL, REPEAT('é', help_topic_id * 4)),"
        " IF(help_topic_id = 7, REPEAT('x', 70000), 1) FROM mysql.help_topic t WHERE help_topic_id < 300"
    )
    link._connection._rfile.close()
    link._connection._rfile = link._connection._sock.makefile("rb", buffer)
    theirs = pymysql.connect(user=address.user, unix_socket=address.socket, ssl_disabled=True)
    with theirs, theirs.cursor() as cursor:
        cursor.execute(topics)
        expected = list(cursor.fetchall())
    assert len(expected) > 200
    assert [link.rows(topics), link.rows(topics)] == [expected, expected]
    with pytest.raises(DatabaseError, match=r"1054 .* Unknown column 'é'"):
        link.rows("SELECT é")
    assert link.rows("SELECT 5") == [(5,)]


def test_who_does_not_wait_for_a_reset_gets_its_answers_with_the_next(link: Connection) -> None:
    link.rows("SET @x = 1")
    link.reset("mysql", wait=False)
    assert link.rows("SELECT @x, DATABASE()") == [(None, "mysql")]
    link.reset("no_such_database", wait=False)
    for _ in range(2):
        with pytest.raises(ConnectionLostError):
            link.run("SELECT 1", 10.0, LARGE)


def test_dates_that_are_none_are_no_values(link: Connection) -> None:
    link.rows("SET sql_mode = ''")
    assert link.rows("SELECT CAST('0000-00-00' AS DATE), CAST('2024-00-05 00:00:00' AS DATETIME)") == [(None, None)]


def test_text_in_another_encoding_is_read_as_well_as_can_be(link: Connection) -> None:
    """The session asked for it: that is its own affair, and no failure of ours."""
    link.run("SET NAMES latin1", 10.0, LARGE)
    result = link.run("SELECT _utf8mb4 0xC3A9 AS x", 10.0, LARGE)
    assert (result.rows, result.columns) == ((("\N{REPLACEMENT CHARACTER}",),), ("x",))


@pytest.mark.parametrize("length", [250, 251, 65_535, 65_536, (16 << 20) - 10, (16 << 20) + 10])
def test_cells_of_all_lengths_come_whole(link: Connection, length: int) -> None:
    """Those longer than 16 MB are sent in parts."""
    half = length // 2
    result = link.run(f"SELECT REPEAT('x', {half}), 'between', REPEAT('y', {length - half}), NULL", 60.0, LARGE)
    assert result.rows == (("x" * half, "between", "y" * (length - half), None),)


def test_what_a_procedure_shows_after_its_first_result_is_passed(link: Connection) -> None:
    link.rows("CREATE DATABASE procedures")
    link.rows("CREATE PROCEDURE procedures.p() BEGIN SELECT 1; SELECT 2 UNION SELECT 3; DO 1; SELECT 4; END")
    assert link.rows("CALL procedures.p()") == [(1,)]
    assert link.rows("SELECT 5") == [(5,)]


def test_a_result_that_was_cut_is_drained_once_it_was_ended(link: Connection, address: ServerAddress) -> None:
    few = QueryLimits(seconds=60.0, rows=3)
    result = link.run("SELECT seq FROM mysql.help_topic, (SELECT 1 AS seq) s", 60.0, few)
    assert (result.rows, result.truncated) == (((1,),) * 3, True)
    admin = Connection(address)
    admin.rows(f"KILL QUERY {link.id}")
    admin.close()
    link.drain()
    assert link.rows("SELECT 5") == [(5,)]


def test_a_reset_leaves_nothing(link: Connection) -> None:
    link.rows("SET @x = 1")
    link.reset("mysql")
    link.reset("information_schema")
    assert link.rows("SELECT @x, DATABASE()") == [(None, "information_schema")]


def test_a_reset_takes_one_round_trip(link: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    sent, write = list[bytes](), link._connection._write_bytes

    def noting(data: bytes) -> None:
        sent.append(data)
        write(data)

    monkeypatch.setattr(link._connection, "_write_bytes", noting)
    link.reset("mysql")
    assert len(sent) == 1
    assert link.rows("SELECT DATABASE(), @@collation_connection") == [("mysql", "utf8mb4_general_ci")]


def test_a_reset_may_begin_ahead(link: Connection) -> None:
    """Nothing else comes between, since its answers would be taken for others."""
    link.rows("SET @x = 1")
    link.begin_reset()
    with pytest.raises(ConnectionLostError):
        link.rows("SELECT 1")
    link.reset("mysql")
    assert link.rows("SELECT @x, DATABASE(), @@collation_connection") == [(None, "mysql", "utf8mb4_general_ci")]


def test_a_connection_that_is_lost_during_a_reset_is_noticed(link: Connection, address: ServerAddress) -> None:
    link.begin_reset()
    admin = Connection(address)
    admin.rows(f"KILL CONNECTION {link.id}")
    admin.close()
    for _ in range(2):
        with pytest.raises(ConnectionLostError):
            link.reset("mysql")


def test_no_answer_of_a_reset_that_failed_is_taken_for_another(
    link: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "NAMES", "SET NAMES no_such_thing")
    for again in (lambda: link.reset("mysql"), lambda: link.rows("SELECT 1")):
        with pytest.raises(ConnectionLostError):
            again()


def test_our_own_statements_tell_what_failed(link: Connection) -> None:
    with pytest.raises(DatabaseError, match=r"1193 .* at: SET nowhere = 2"):
        link.rows("SET nowhere = 2")
    assert link.rows("SELECT 1") == [(1,)]


def test_a_lost_connection_shows_with_the_next_answer(link: Connection, address: ServerAddress) -> None:
    admin = Connection(address)
    admin.rows(f"KILL CONNECTION {link.id}")
    admin.close()
    with pytest.raises(ConnectionLostError):
        link.rows("SELECT 1")


class Interrupted(BaseException):
    """What a signal raises here."""


def test_an_answer_is_not_taken_for_the_next_after_an_interruption(link: Connection) -> None:
    """Ctrl-C comes at any time, and an environment may go on afterwards."""

    def interrupt(*_: object) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(Interrupted):
            link.run("SELECT 'first', SLEEP(2)", 60.0, LARGE)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    for again in (lambda: link.rows("SELECT 'second'"), lambda: link.reset("mysql")):
        with pytest.raises(ConnectionLostError, match="broken off"):
            again()


@pytest.fixture
def encrypted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerAddress]:
    """A server with a certificate."""
    if (openssl := shutil.which("openssl")) is None:
        pytest.skip("needs openssl, which makes certificates")
    archive = tmp_path_factory.mktemp("encrypted") / "data.tar"
    empty(find(), archive)
    with tempfile.TemporaryDirectory() as folder:
        key, certificate = f"{folder}/key", f"{folder}/certificate"
        wanted = ("-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=test", "-keyout", key, "-out", certificate)
        subprocess.run([openssl, "req", *wanted], check=True, capture_output=True)
        for path, mode in ((folder, 0o755), (key, 0o644)):  # the server is nobody
            Path(path).chmod(mode)
        server = ServerProcess(find(), template=archive, extra=(f"--ssl-cert={certificate}", f"--ssl-key={key}"))
        yield server.address
        server.close()


def test_answers_come_over_an_encrypted_connection(encrypted: ServerAddress, monkeypatch: pytest.MonkeyPatch) -> None:
    """As from servers that are given by URL; and whoever waits for one is not kept longer than is said."""
    connect = results.BulkConnection
    monkeypatch.setattr(results, "BulkConnection", lambda **options: connect(**{**options, "ssl_disabled": False}))
    link = Connection(encrypted)
    assert link.rows("SHOW STATUS LIKE 'Ssl_cipher'") != [("Ssl_cipher", "")]
    result = link.run("SELECT REPEAT('x', 200000), 'between' UNION ALL SELECT 1, 2", 10.0, LARGE)
    assert result.rows == (("x" * 200_000, "between"), ("1", "2"))
    with pytest.raises(TimeoutError):
        link.run("SELECT SLEEP(60)", 0.1, LARGE)


def test_a_server_that_says_nothing_is_given_up(address: ServerAddress) -> None:
    """Also one that does not limit the time itself."""
    link = Connection(address)
    with pytest.raises(TimeoutError):
        link.run("SELECT SLEEP(60)", 0.1, LARGE)
    with pytest.raises(ConnectionLostError):
        link.rows("SELECT 1")


def test_rows_do_not_come_for_ever(address: ServerAddress) -> None:
    link = Connection(address)
    with pytest.raises(TimeoutError, match="rows kept coming"):
        link.run("SELECT a.help_topic_id FROM mysql.help_topic a, mysql.help_topic b, mysql.help_topic c", 2.0, LARGE)
    link.close()


@pytest.mark.parametrize("limits", [QueryLimits(rows=10), QueryLimits(bytes=5000)])
def test_a_result_is_cut_at_its_limits(link: Connection, limits: QueryLimits) -> None:
    result = link.run("SELECT REPEAT('x', 500) FROM mysql.help_topic", 60.0, limits)
    assert (result.rows, result.truncated) == ((("x" * 500,),) * 10, True)
    link.drain()
    assert link.rows("SELECT 5") == [(5,)]


def test_a_server_that_hangs_up_is_noticed(address: ServerAddress) -> None:
    link, admin = Connection(address), Connection(address)
    ender = Timer(0.3, lambda: admin.rows(f"KILL CONNECTION {link.id}"))
    ender.start()
    with pytest.raises(ConnectionLostError):
        link.run("SELECT SLEEP(60)", 60.0, LARGE)
    ender.join()
    admin.close()


def test_a_server_gets_no_file_of_ours(link: Connection) -> None:
    link.rows("CREATE TABLE mysql.files (line TEXT)")
    assert link.run("LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE mysql.files", 10.0, LARGE).error is not None
    assert link.rows("SELECT COUNT(*) FROM mysql.files") == [(0,)]


def test_a_long_statement_is_sent_whole(link: Connection) -> None:
    """Longer than a packet can be."""
    link.rows("SET GLOBAL max_allowed_packet = 100 << 20")
    again = Connection(link.address)
    assert again.rows(f"SELECT LENGTH('{'x' * (17 << 20)}')") == [(17 << 20,)]
    again.close()


CUT = """
import sys
from intercode.types.databases import QueryLimits
from intercode.worlds.sql.databases.mysql.connection import Connection
from intercode.worlds.sql.databases.mysql.driver import ServerAddress

few, endless = QueryLimits(rows=3), "SELECT a.help_topic_id FROM mysql.help_topic a, mysql.help_topic b"
for ending in ("close", "kill", "drain", "late", "forget"):
    link, admin = Connection(ServerAddress("root", socket=sys.argv[1]), seconds=60.0), None
    assert link.run(endless, 60.0, few).truncated
    if ending == "close":
        link.close()
    elif ending in ("kill", "drain"):
        admin = Connection(link.address)
        admin.rows(f"KILL CONNECTION {link.id}")
        admin.close()
    if ending in ("drain", "late"):
        link._connection._sock.shutdown(2)
        try:
            link.drain()
        except Exception:
            pass
    del link, admin
"""


def test_a_connection_that_is_cut_prints_nothing(address: ServerAddress) -> None:
    """However it ends: rows that nobody read are not read when the result is collected."""
    done = subprocess.run([sys.executable, "-c", CUT, address.socket], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
