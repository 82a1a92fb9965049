"""Sessions of databases that answer statements wrongly on purpose, each with the test that must notice."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from intercode.types.databases import QueryResult
from intercode.worlds.sql.databases.sqlite.session import SqliteSession


class Altered(SqliteSession):
    """Alters the result of every statement."""

    def run(self, statement: str, *, timeout: float | None = None) -> QueryResult:
        return self.altered(super().run(statement, timeout=timeout))

    def altered(self, result: QueryResult) -> QueryResult:
        raise NotImplementedError


class Headless(Altered):
    def altered(self, result: QueryResult) -> QueryResult:
        return replace(result, columns=())


class Textual(Altered):
    def altered(self, result: QueryResult) -> QueryResult:
        return replace(result, rows=result.rows and tuple(tuple(map(str, row)) for row in result.rows))


class Emptyhanded(Altered):
    def altered(self, result: QueryResult) -> QueryResult:
        return replace(result, rows=result.rows or None)


class Talkative(Altered):
    def altered(self, result: QueryResult) -> QueryResult:
        return replace(result, rows=result.rows or ())


class Uncounting(Altered):
    def altered(self, result: QueryResult) -> QueryResult:
        return replace(result, affected=0)


class Numberless(Altered):
    def altered(self, result: QueryResult) -> QueryResult:
        return replace(result, error=result.message or None)


class Wordless(Altered):
    def altered(self, result: QueryResult) -> QueryResult:
        return replace(result, error=result.error and f"{result.code} (HY000): an error")


class Silent(Altered):
    """Says of no result that it was cut, and of no statement that it took too long."""

    def altered(self, result: QueryResult) -> QueryResult:
        return replace(result, truncated=False, timed_out=False)


class Rewritten(SqliteSession):
    """Alters every statement."""

    def run(self, statement: str, *, timeout: float | None = None) -> QueryResult:
        return super().run(self.rewritten(statement), timeout=timeout)

    def rewritten(self, statement: str) -> str:
        raise NotImplementedError


class Hasty(Rewritten):
    """Runs the first of several statements."""

    def rewritten(self, statement: str) -> str:
        return statement.split(";")[0] or " "


class Sensitive(Rewritten):
    """Compares with case."""

    def rewritten(self, statement: str) -> str:
        return statement.replace("'ANNA'", "'ANNA' COLLATE BINARY").replace('"anna"', "'anna' COLLATE BINARY")


class Literal(Rewritten):
    """Takes a comment for a part of the statement."""

    def rewritten(self, statement: str) -> str:
        return statement.replace("--", "- -")


class Shortsighted(Rewritten):
    """Reads the beginning of a statement only."""

    def rewritten(self, statement: str) -> str:
        return statement[:1000]


class Careless(Rewritten):
    """Throws away what is not text."""

    def rewritten(self, statement: str) -> str:
        return statement.encode("utf-8", "ignore").decode().replace("\0", "")


class Ignorant(Rewritten):
    """Knows no SHOW."""

    def rewritten(self, statement: str) -> str:
        return statement.replace("SHOW", "SHOW_").replace("show", "show_").replace("DESC", "DESC_")


MISTAKE = {"statement": "USE nowhere", "code": 1049, "message": "Unknown database 'nowhere'"}

BROKEN: list[tuple[type[SqliteSession], str, dict[str, Any]]] = [
    (Headless, "test_rows_come_with_their_columns", {}),
    (Emptyhanded, "test_no_rows_are_a_result_set_too", {}),
    (Textual, "test_values_have_pythons_types", {}),
    (Talkative, "test_a_change_has_no_result_set_and_counts_rows", {}),
    (Uncounting, "test_a_change_has_no_result_set_and_counts_rows", {}),
    (Sensitive, "test_texts_are_compared_without_case", {}),
    (Ignorant, "test_tables_are_shown", {}),
    (Ignorant, "test_columns_are_described", {"statement": "DESC orders"}),
    (Ignorant, "test_a_create_statement_is_shown", {}),
    (Ignorant, "test_databases_are_shown", {}),
    (Wordless, "test_mistakes_are_told_in_mysqls_words", MISTAKE),
    (Numberless, "test_an_error_has_its_numbers_in_front", {}),
    (Wordless, "test_what_is_no_sql_is_quoted", {"statement": "SELEC 1", "near": "SELEC 1' at line 1"}),
    (Hasty, "test_of_two_statements_none_is_run", {}),
    (Hasty, "test_a_semicolon_at_the_end_is_no_second_statement", {}),
    (Careless, "test_text_that_is_none_is_told", {}),
    (Shortsighted, "test_a_megabyte_is_no_problem", {}),
    (Silent, "test_time_is_limited", {}),
    (Silent, "test_rows_are_cut", {}),
    (Literal, "test_comments_may_come_first", {}),
]
