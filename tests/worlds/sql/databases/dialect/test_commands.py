"""Statements about the server, as values."""

from __future__ import annotations

import pytest

from intercode.worlds.sql.databases.dialect.commands import ServerCommand, server_command
from intercode.worlds.sql.databases.dialect.validation import unreadable, validation_error


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("show tables;", ServerCommand("tables")),
        ("SHOW FULL TABLES FROM `shop` LIKE 'a%'", ServerCommand("tables", database="shop", like="a%", full=True)),
        ("SHOW SCHEMAS", ServerCommand("databases")),
        ("DESC shop.orders", ServerCommand("columns", "orders", "shop")),
        ("describe `orders` price", ServerCommand("columns", "orders", like="price")),
        ("EXPLAIN orders", ServerCommand("columns", "orders")),
        ("SHOW COLUMNS IN orders IN shop", ServerCommand("columns", "orders", "shop")),
        ("SHOW FIELDS FROM orders", ServerCommand("columns", "orders")),
        ("SHOW CREATE TABLE shop.orders", ServerCommand("create", "orders", "shop")),
        ("SHOW INDEX FROM orders", ServerCommand("index", "orders")),
        ("USE `shop`", ServerCommand("use", database="shop")),
        ("SET sql_mode = ''", ServerCommand("set")),
        ("SET @@global.x = 1", ServerCommand("global")),
        ("START TRANSACTION", ServerCommand("transaction", word="start")),
        ("UNLOCK TABLES", ServerCommand("ignored")),
        ("SHOW WARNINGS", ServerCommand("empty")),
        ("SHOW TABLES WHERE x = 1", None),
        ("SHOW TABLES FROM", None),
        ("SHOW DATABASES FROM shop", None),
        ("SHOW something", None),
        ("DESC orders and more", None),
        ("EXPLAIN SELECT 1", None),
        ("SELECT 'show tables'", None),
        ("ROLLBACK TO SAVEPOINT a", None),
    ],
)
def test_commands_are_read(statement: str, expected: ServerCommand | None) -> None:
    assert server_command(statement) == expected


@pytest.mark.parametrize(
    ("statement", "near"),
    [
        ("It's a pity", "It's a pity"),
        ("SHOW TABLES` now", "TABLES` now"),
        ("DESC <table name> please", "<table name> please"),
        ("DESC orders; please", None),
        ("SELECT 'open", "'open"),
        ("SELECT 1", None),
        ("(SELECT 1)", None),
        ("EXPLAIN SELECT 1", None),
    ],
)
def test_what_is_no_statement_is_told_from_where_it_stops_being_one(statement: str, near: str | None) -> None:
    error = unreadable(statement)
    if near is None:
        assert error is None or "near ';" in error
    else:
        assert f"near '{near}' at line 1" in str(error)


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("", 1065),
        (" ;; # x", 1065),
        ("SELECT 1; SELECT 2", 1064),
        ("SELECT '\udc80'", 1300),
        ("\0", 1064),
        ("x" * 101, 1153),
    ],
)
def test_some_statements_are_refused_whatever_they_say(statement: str, code: int) -> None:
    assert str(validation_error(statement, 100)).startswith(str(code))


def test_a_bad_byte_is_shown() -> None:
    """Where it came by `surrogateescape` it is that byte."""
    assert validation_error("SELECT 'ü\udcff'", 100) == r"1300 (HY000): Invalid utf8mb4 character string: '\xFF\x27'"
