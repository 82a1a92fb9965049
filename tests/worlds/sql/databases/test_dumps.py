"""Dumps as the usual programs write them: marks of their encoding, and blobs as bytes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from intercode.errors import BadDataError
from intercode.testing.database_fixtures import rows
from intercode.types.databases import Database, DatabaseSource
from intercode.worlds.sql import databases

BYTES = b"a\xff\0\xe9'"
BLOB = rb"a" + b"\xff" + rb"\0" + b"\xe9" + rb"\'"
"""The same as mysqldump writes it without --hex-blob."""


@pytest.fixture(scope="module", params=["sqlite", "mysql"])
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    with databases.find(request.param) as database:
        yield database


def dumped(folder: Path, dump: bytes) -> DatabaseSource:
    (folder / "shop.sql").write_bytes(dump)
    return DatabaseSource("shop", folder, "sql")


def test_blobs_of_a_dump_are_kept_byte_by_byte(database: Database, tmp_path: Path) -> None:
    dump = b"CREATE TABLE t (a blob, b text);\nINSERT INTO t VALUES (_binary '" + BLOB + b"',_utf8mb4 'b');\n"
    with database.open(dumped(tmp_path, dump), "shop") as session:
        assert rows(session, "SELECT a, b FROM t") == [(BYTES, "b")]


def test_tables_may_be_named_with_their_database(database: Database, tmp_path: Path) -> None:
    dump = b"""
        CREATE TABLE IF NOT EXISTS `shop`.`t` (a int, b text);
        INSERT INTO `Shop`.`t` VALUES (1, 'shop.t'), (1, NULL); INSERT IGNORE INTO shop . t VALUES (2, 'x');
        ALTER TABLE `shop`.`t` ADD KEY (a);
        CREATE INDEX letters ON `shop`.`t` (b(3), a);
    """
    with database.open(dumped(tmp_path, dump), "shop") as session:
        assert rows(session, "SELECT a, b FROM t ORDER BY a, b") == [(1, None), (1, "shop.t"), (2, "x")]
        ((_, create),) = rows(session, "SHOW CREATE TABLE t")
    assert str(create).startswith("CREATE TABLE `t` (")


def test_a_byte_order_mark_is_no_part_of_a_dump(database: Database, tmp_path: Path) -> None:
    with database.open(dumped(tmp_path, "\ufeffCREATE TABLE t (a int);".encode()), "shop") as session:
        assert rows(session, "SHOW TABLES") == [("t",)]


def test_a_dump_in_utf_16_is_told_how_to_be_written(database: Database, tmp_path: Path) -> None:
    with pytest.raises(BadDataError, match=r"shop\.sql: it is UTF-16; save it as UTF-8"):
        database.load(dumped(tmp_path, "CREATE TABLE t (a int);".encode("utf-16")))


def test_a_text_that_is_not_utf_8_is_told_with_its_line(database: Database, tmp_path: Path) -> None:
    dump = "CREATE TABLE t (a text);\nINSERT INTO t VALUES ('café');\n".encode("latin-1")
    with pytest.raises(BadDataError, match=r"shop\.sql, line 2: (a text that is not UTF-8: |.*Incorrect string value)"):
        database.load(dumped(tmp_path, dump))


def test_what_cannot_be_read_is_told_without_colours(tmp_path: Path) -> None:
    with databases.find("sqlite") as sqlite, pytest.raises(BadDataError, match=r"shop\.sql, line 1: .*") as caught:
        sqlite.load(dumped(tmp_path, b"UPDATE t SET a = = 1;"))
    assert "\x1b" not in str(caught.value)
