"""CREATE TABLE, as values."""

from __future__ import annotations

import pytest

from intercode.worlds.sql.databases.dialect.definition import (
    ColumnDefinition,
    ForeignKey,
    TableDefinition,
    literal,
    parse,
)


def test_a_table_is_read_as_mysqldump_writes_it() -> None:
    found = parse(
        "CREATE TABLE `t` (\n  `id` int(11) NOT NULL AUTO_INCREMENT,\n  `a b` varchar(5) CHARACTER SET utf8mb4"
        " COLLATE utf8mb4_bin DEFAULT 'x,(''y' COMMENT 'c, d',\n  `n` decimal(10, 2) unsigned DEFAULT -1.5,\n"
        "  `at` timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,\n  PRIMARY KEY (`id`),\n"
        "  UNIQUE KEY `u` (`a b`(10),`n`),\n  KEY `k` (`n`) USING BTREE,\n  CONSTRAINT `f` FOREIGN KEY (`n`)"
        " REFERENCES `o` (`m`) ON DELETE CASCADE,\n  CHECK (`n` > 0)\n) ENGINE=InnoDB AUTO_INCREMENT=9"
    )
    assert found == TableDefinition(
        "t",
        columns=[
            ColumnDefinition("id", "int", nullable=False, counts=True),
            ColumnDefinition("a b", "varchar(5)", default="'x,(''y'", collation="utf8mb4_bin", comment="c, d"),
            ColumnDefinition("n", "decimal(10,2) unsigned", default="-1.5"),
            ColumnDefinition("at", "timestamp", nullable=False, default="CURRENT_TIMESTAMP", on_update=True),
        ],
        primary=("id",),
        unique=[("u", ("a b", "n"))],
        indexes=[("k", ("n",))],
        foreign=[ForeignKey("f", ("n",), "o", ("m",), "ON DELETE CASCADE")],
        checks=["`n` > 0"],
    )
    assert [found.key_of(name) for name in ("id", "a b", "n", "at")] == ["PRI", "MUL", "MUL", ""]


@pytest.mark.parametrize(
    ("column", "kind", "nullable"),
    [
        ("a INTEGER PRIMARY KEY", "int", False),
        ("a BIGINT(20) UNSIGNED", "bigint unsigned", True),
        ("a BOOLEAN", "tinyint(1)", True),
        ("a tinyint(4)", "tinyint", True),
        ("a DECIMAL", "decimal(10,0)", True),
        ("a NUMERIC(5)", "decimal(5,0)", True),
        ("a double precision not null", "double", False),
        ("a CHARACTER VARYING(9)", "varchar(9)", True),
        ("a char", "char(1)", True),
        ("a enum('x','y z')", "enum('x','y z')", True),
        ("a int NULL UNIQUE REFERENCES b (c)", "int", True),
    ],
)
def test_types_are_as_mysql_shows_them(column: str, kind: str, nullable: bool) -> None:
    found = parse(f"create table if not exists shop.t ({column})")
    assert found is not None
    assert (found.name, found.database, found.if_missing) == ("t", "shop", True)
    assert (found.columns[0].type, found.columns[0].nullable) == (kind, nullable)


@pytest.mark.parametrize(
    "statement",
    ["CREATE TABLE a AS SELECT 1", "CREATE TABLE a LIKE b", "CREATE TABLE a (SELECT 1)", "CREATE VIEW a AS SELECT 1",
     "CREATE TABLE a", "DROP TABLE a", "CREATE TABLE a (b int) SELECT 1"],
)  # fmt: skip
def test_other_statements_are_none(statement: str) -> None:
    assert parse(statement) is None


@pytest.mark.parametrize(
    ("default", "shown"),
    [(None, None), ("NULL", None), ("'it''s'", "it's"), ("5", "5"), ("current_timestamp", "CURRENT_TIMESTAMP")],
)
def test_defaults_are_shown_without_quotes(default: str | None, shown: str | None) -> None:
    assert literal(default) == shown
