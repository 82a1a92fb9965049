"""What MariaDB says otherwise than MySQL 8, and how MySQL says it."""

from __future__ import annotations

import re
from dataclasses import replace

from intercode.types.databases import QueryResult, Row
from intercode.worlds.sql.databases.dialect.commands import server_command

CLAUSES = {
    "SELECT": "field list",
    "WHERE": "where clause",
    "ON": "on clause",
    "FROM": "from clause",
    "GROUP BY": "group statement",
    "HAVING": "having clause",
    "ORDER BY": "order clause",
    "SET": "field list",
    "VALUES": "field list",
    "INSERT INTO": "field list",
    "PARTITION BY": "window partition by",
    "IN/ALL/ANY": "IN/ALL/ANY subquery",
}
"""Parts of a statement, as MariaDB from 10.11.9 on and as MySQL calls them."""

UNKNOWN = re.compile(r"(Unknown column '.*' in |Reference '.*' not supported )'([A-Z/ ]+)'$", re.DOTALL)
AMBIGUOUS = re.compile(r"(Column '.*' in )([A-Z ]+)( is ambiguous)$", re.DOTALL)


NEAR = re.compile(r"(.* use near ')(.*)\.\.\.(' at line \d+)$", re.DOTALL)


def error_as_mysql(number: int, message: str, statement: str = "") -> tuple[int, str]:
    """Return an error of MariaDB about *statement* in MySQL's words; one of MySQL stays as it is."""
    if number == 1969:
        return 3024, "Query execution was interrupted, maximum statement execution time exceeded"
    if number in (1064, 1235, 1115):
        message = message.replace("your MariaDB server version", "your MySQL server version")
        message = message.replace("This version of MariaDB", "This version of MySQL")
        return number, NEAR.sub(lambda found: found[1] + _excerpt(found[2], statement) + found[3], message)
    if found := UNKNOWN.match(message):
        return number, f"{found[1]}'{CLAUSES.get(found[2], found[2])}'"
    if found := AMBIGUOUS.match(message):
        return number, f"{found[1]}{CLAUSES.get(found[2], found[2])}{found[3]}"
    return number, message


def _excerpt(start: str, statement: str) -> str:
    """MariaDB quotes 77 signs and three dots, MySQL 80."""
    at = statement.find(start)
    return f"{start}..." if at < 0 else statement[at : at + 80]


WIDTH = re.compile(
    r"\b(int|bigint|smallint|mediumint|year|tinyint)\((?!1\))\d+\)|\b(int|bigint|smallint|mediumint|year)\(1\)"
)


def type_as_mysql(kind: str) -> str:
    """Return a type as MySQL shows it: whole numbers without a width."""
    return WIDTH.sub(lambda found: found[1] or found[2], kind)


def result_as_mysql(statement: str, result: QueryResult) -> QueryResult:
    """Return what DESC, SHOW COLUMNS, SHOW CREATE TABLE and information_schema say, as MySQL says it."""
    if not result.rows:
        return result
    asked = server_command(statement)
    if asked and asked.kind == "columns":
        return _mark_generated(_each(result, {"Type": type_as_mysql, "Default": _default}))
    if asked and asked.kind == "create":
        return _each(result, {"Create Table": _create})
    if "COLUMN_TYPE" in result.columns or "column_type" in result.columns:
        return _each(result, {"COLUMN_TYPE": type_as_mysql, "column_type": type_as_mysql, "COLUMN_DEFAULT": _default})
    return result


def _each(result: QueryResult, changes: dict[str, object]) -> QueryResult:
    """Change the texts in the columns named."""
    functions = [changes.get(column) for column in result.columns]

    def change_row(row: Row) -> Row:
        cells = zip(functions, row, strict=True)
        return tuple(change(value) if callable(change) and isinstance(value, str) else value for change, value in cells)

    return replace(result, rows=tuple(change_row(row) for row in result.rows or ()))


def _mark_generated(result: QueryResult) -> QueryResult:
    """MySQL says of a default that is the time that it is generated."""
    default, extra = result.columns.index("Default"), result.columns.index("Extra")

    def change_row(row: Row) -> Row:
        if row[default] != "CURRENT_TIMESTAMP":
            return row
        said = f"DEFAULT_GENERATED {row[extra].replace('current_timestamp()', 'CURRENT_TIMESTAMP')}".strip()
        return (*row[:extra], said, *row[extra + 1 :])

    return replace(result, rows=tuple(change_row(row) for row in result.rows or ()))


def _default(text: str) -> str | None:
    if text == "NULL":
        return None
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    return "CURRENT_TIMESTAMP" if text == "current_timestamp()" else text


def _create(text: str) -> str:
    lines = (type_as_mysql(line) if line.startswith("  `") else line for line in text.split("\n"))
    return "\n".join(lines).replace("current_timestamp()", "CURRENT_TIMESTAMP")
