"""MariaDB in MySQL's words."""

from __future__ import annotations

import pytest

from intercode.types.databases import QueryResult
from intercode.worlds.sql.databases.dialect.mariadb import error_as_mysql, result_as_mysql, type_as_mysql

SYNTAX = (
    "You have an error in your SQL syntax; check the manual that corresponds to your {} server version for the right"
)


@pytest.mark.parametrize(
    ("number", "theirs", "ours"),
    [
        (1054, "Unknown column 'a' in 'SELECT'", (1054, "Unknown column 'a' in 'field list'")),
        (1054, "Unknown column 'it'SELECT' in 'GROUP BY'", (1054, "Unknown column 'it'SELECT' in 'group statement'")),
        (1054, "Unknown column 'a' in 'field list'", (1054, "Unknown column 'a' in 'field list'")),
        (1052, "Column 'a' in WHERE is ambiguous", (1052, "Column 'a' in where clause is ambiguous")),
        (1064, SYNTAX.format("MariaDB"), (1064, SYNTAX.format("MySQL"))),
        (1969, "Query execution was interrupted (max_statement_time exceeded)",
         (3024, "Query execution was interrupted, maximum statement execution time exceeded")),
        (1146, "Table 'a.MariaDB server version'", (1146, "Table 'a.MariaDB server version'")),
    ],
)  # fmt: skip
def test_errors(number: int, theirs: str, ours: tuple[int, str]) -> None:
    assert error_as_mysql(number, theirs) == ours


def test_an_error_quotes_eighty_signs() -> None:
    """MariaDB quotes 77, and dots."""
    statement = "SELEC " + "x" * 100
    message = f"{SYNTAX.format('MariaDB')} syntax to use near '{statement[:77]}...' at line 1"
    assert error_as_mysql(1064, message, statement)[1].endswith(f"near '{statement[:80]}' at line 1")


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [("int(11)", "int"), ("bigint(20) unsigned", "bigint unsigned"), ("tinyint(1)", "tinyint(1)"),
     ("tinyint(4)", "tinyint"), ("year(4)", "year"), ("varchar(11)", "varchar(11)"), ("point(1)", "point(1)")],
)  # fmt: skip
def test_types(theirs: str, ours: str) -> None:
    assert type_as_mysql(theirs) == ours


def test_descriptions() -> None:
    columns = ("Field", "Type", "Null", "Key", "Default", "Extra")
    found = QueryResult(
        (
            ("a", "int(11)", "NO", "", "5", ""),
            ("b", "timestamp", "NO", "", "current_timestamp()", "on update current_timestamp()"),
        ),
        columns,
    )
    assert result_as_mysql("DESC t", found).rows == (
        ("a", "int", "NO", "", "5", ""),
        ("b", "timestamp", "NO", "", "CURRENT_TIMESTAMP", "DEFAULT_GENERATED on update CURRENT_TIMESTAMP"),
    )
    assert result_as_mysql("SELECT 1", found) is found
