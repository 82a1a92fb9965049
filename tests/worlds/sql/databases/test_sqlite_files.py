"""Files of SQLite's own as other programs leave them can be read, and changed in a copy."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from intercode.errors import BadDataError
from intercode.testing.database_fixtures import rows, run_successfully
from intercode.types.databases import Database, DatabaseSource
from intercode.worlds.sql.databases.sqlite import SqliteDatabase


@pytest.fixture
def database() -> Iterator[Database]:
    with SqliteDatabase() as database:
        yield database


def test_a_database_with_a_write_ahead_log_can_be_changed(database: Database, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "shop.sqlite")) as made:
        made.executescript("PRAGMA journal_mode = WAL; CREATE TABLE t (a int); INSERT INTO t VALUES (1);")
    assert changed(database, tmp_path) == [(1,), (2,)]


def test_what_is_only_in_the_log_is_there_after_a_change_too(database: Database, tmp_path: Path) -> None:
    """As where the file is copied while its program runs."""
    (tmp_path / "copied").mkdir()
    with closing(sqlite3.connect(tmp_path / "shop.sqlite")) as made:
        made.executescript("PRAGMA journal_mode = WAL; CREATE TABLE t (a int); INSERT INTO t VALUES (1);")
        for name in ("shop.sqlite", "shop.sqlite-wal"):
            shutil.copy(tmp_path / name, tmp_path / "copied" / name)
    assert changed(database, tmp_path / "copied") == [(1,), (2,)]


def test_a_source_is_known_by_its_log_too(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "shop.sqlite")) as connection:
        connection.executescript("PRAGMA journal_mode = WAL; CREATE TABLE items (name)")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        folder, file = (
            DatabaseSource("shop", tmp_path, "sqlite"),
            DatabaseSource("shop", tmp_path / "shop.sqlite", "sqlite"),
        )
        before = folder.checksum, file.checksum
        connection.executescript("INSERT INTO items VALUES ('tea')")
        assert folder.checksum != before[0]
        assert file.checksum != before[1]


def test_an_empty_file_is_an_empty_database_to_begin_with(database: Database, tmp_path: Path) -> None:
    (tmp_path / "shop.sqlite").touch()
    with database.open(DatabaseSource("shop", tmp_path, "sqlite"), "shop") as session:
        run_successfully(session, "CREATE TABLE t (a int)")
        assert sorted(session.state()) == ["t"]


def test_texts_that_are_not_utf_8_are_shown_with_their_bytes_written_out(database: Database, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "shop.sqlite")) as made:
        made.executescript("CREATE TABLE t (a text); INSERT INTO t VALUES ('ok'), (CAST(X'636166e9' AS text));")
    with database.open(DatabaseSource("shop", tmp_path, "sqlite"), "shop") as session:
        assert rows(session, "SELECT a FROM t") == [("ok",), ("caf\\xe9",)]
        run_successfully(session, "DELETE FROM t WHERE a = 'ok'")
        assert session.state()["t"].rows == (("caf\\xe9",),)


def test_what_a_column_is_declared_as_does_not_keep_it_from_being_read(database: Database, tmp_path: Path) -> None:
    """SQLite stores anything anywhere; Python would read DATE and TIMESTAMP as such, or fail."""
    kept = ("January 9, 2009", 1577836800, "2020-01-01", "3")
    with closing(sqlite3.connect(tmp_path / "shop.sqlite")) as made, made:
        made.execute("CREATE TABLE t (a date, b timestamp, c date, d decimal_2)")
        made.execute("INSERT INTO t VALUES (?, ?, ?, ?)", kept)
    with database.open(DatabaseSource("shop", tmp_path, "sqlite"), "shop") as session:
        assert rows(session, "SELECT a, b, c, CAST(d AS text) FROM t") == [kept]
        run_successfully(session, "UPDATE t SET a = 'x'")
        assert [row[0] for row in session.state()["t"].rows] == ["x"]


def test_rows_may_be_longer_than_a_session_can_write_them(database: Database, tmp_path: Path) -> None:
    """The state of such a database is read as of any other; what shows the long value is told that it is too long."""
    with closing(sqlite3.connect(tmp_path / "shop.sqlite")) as made, made:
        made.execute("CREATE TABLE t (a int, picture blob)")
        made.execute("INSERT INTO t VALUES (1, ?)", (b"x" * 3_000_000,))
    with database.open(DatabaseSource("shop", tmp_path, "sqlite"), "shop") as session:
        assert rows(session, "SELECT a FROM t") == [(1,)]
        assert [len(row[1]) for row in session.state()["t"].rows] == [3_000_000]
        assert "max_allowed_packet" in (session.run("SELECT picture FROM t").message or "")
        assert session.run("INSERT INTO t SELECT a, CONCAT(picture, picture) FROM t").error is not None
        run_successfully(session, "DELETE FROM t")


def test_two_files_of_one_name_are_told(database: Database, tmp_path: Path) -> None:
    """What stands behind the first dot is no part of a database's name."""
    for name in ("shop.2023.sqlite", "Shop.2024.sqlite", "._a.sqlite", "._b.sqlite"):
        (tmp_path / name).touch()
    with pytest.raises(BadDataError, match=r"shop\.2023\.sqlite: .*2024\.sqlite is called 'Shop', too: rename"):
        database.load(DatabaseSource("shop", tmp_path, "sqlite"))


def test_a_fraction_stays_one_when_it_is_rounded_up_or_down(database: Database, tmp_path: Path) -> None:
    """SQLite divides whole numbers without a rest, and CEIL and FLOOR give none unless they were given one."""
    with closing(sqlite3.connect(tmp_path / "shop.sqlite")) as made:
        made.executescript("CREATE TABLE t (a real, b int); INSERT INTO t VALUES (2.5, 3);")
    with database.open(DatabaseSource("shop", tmp_path, "sqlite"), "shop") as session:
        assert rows(session, "SELECT CEIL(a) / 2, FLOOR(a) / 4, FLOOR(b) / 2 FROM t") == [(1.5, 0.5, 1)]


def changed(database: Database, folder: Path) -> list[tuple[object, ...]]:
    """What the table holds once 2 was added, and only then read."""
    with database.open(DatabaseSource("shop", folder, "sqlite"), "shop") as session:
        run_successfully(session, "INSERT INTO t VALUES (2)")
        assert [table.rows for table in session.state().values()] == [((1,), (2,))]
        return rows(session, "SELECT a FROM t ORDER BY a")


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("CREATE VIRTUAL TABLE t USING fts5(a)", "it is a virtual table of fts5"),
        ("CREATE VIRTUAL TABLE t USING rtree(id, x0, x1)", "it is a virtual table of rtree"),
        ("CREATE TABLE t (a TEXT COLLATE OWN)", "no such collation sequence: OWN"),
        ("CREATE TABLE t (a TEXT); CREATE INDEX i ON t (a COLLATE OWN)", "no such collation sequence: OWN"),
        ("CREATE TABLE u (a TEXT); CREATE VIEW t AS SELECT own(a) FROM u", "no such function: own"),
    ],
)
def test_what_only_its_own_program_can_use_is_refused_when_it_is_loaded(
    database: Database, script: str, reason: str, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(tmp_path / "shop.sqlite")) as made:
        made.create_collation("OWN", lambda a, b: (a > b) - (a < b))
        made.create_function("own", 1, str, deterministic=True)
        made.executescript(script)
    with pytest.raises(BadDataError, match=rf"shop\.sqlite: nobody could use 't': {reason}"):
        database.load(DatabaseSource("shop", tmp_path, "sqlite"))
