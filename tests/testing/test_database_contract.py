"""The contract notices databases that are broken on purpose: each of them fails, in the test that is about it."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from intercode.databases.base import DatabaseSession, DatabaseSource, QueryLimits, QueryResult, TableState
from intercode.databases.sqlite import SqliteDatabase
from intercode.databases.sqlite.database_files import DatabaseFiles
from intercode.databases.sqlite.session import SqliteSession
from intercode.errors import DatabaseError, IntercodeError
from intercode.testing.database import DatabaseContract
from intercode.testing.database_fixtures import contract_source


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


class Boundless(SqliteSession):
    """Knows no limits of results."""

    def run(self, statement: str, *, timeout: float | None = None) -> QueryResult:
        limits = self.limits
        self.limits = QueryLimits(limits.seconds)
        try:
            return super().run(statement, timeout=timeout)
        finally:
            self.limits = limits


class Patient(SqliteSession):
    """Always allows six seconds."""

    def run(self, statement: str, *, timeout: float | None = None) -> QueryResult:
        return super().run(statement, timeout=6)


class Sleepy(SqliteSession):
    """Sleeps as long as it is told."""

    def run(self, statement: str, *, timeout: float | None = None) -> QueryResult:
        if "SLEEP" in statement:
            time.sleep(6)
        return super().run(statement, timeout=timeout)


class Raising(SqliteSession):
    """Takes mistakes for its own."""

    def run(self, statement: str, *, timeout: float | None = None) -> QueryResult:
        result = super().run(statement, timeout=timeout)
        if result.error:
            raise DatabaseError(result.error)
        return result


class Unchanged(SqliteSession):
    def changed(self) -> bool:
        return False


class Suspicious(SqliteSession):
    """Takes every statement for a change."""

    def run(self, statement: str, *, timeout: float | None = None) -> QueryResult:
        self.used = True
        return super().run(statement, timeout=timeout)

    def changed(self) -> bool:
        return hasattr(self, "used")


class Stale(SqliteSession):
    """Its state is what it was at first."""

    def state(self) -> Mapping[str, TableState]:
        with fresh_one_like(self) as fresh:
            return fresh.state()


class Impatient(SqliteSession):
    """Commits before it looks at its state."""

    def state(self) -> Mapping[str, TableState]:
        self.run("COMMIT")
        return super().state()


class Rowless(SqliteSession):
    def state(self) -> Mapping[str, TableState]:
        return {name: replace(table, rows=()) for name, table in super().state().items()}


class Dated(SqliteSession):
    """No two states are the same."""

    def state(self) -> Mapping[str, TableState]:
        now = str(time.perf_counter_ns())
        return {name: replace(table, create=table.create + now) for name, table in super().state().items()}


class Undead(SqliteSession):
    """Goes on after its end."""

    def close(self) -> None:
        self._forget(self)


class Fragile(SqliteSession):
    """Cannot be closed twice."""

    def close(self) -> None:
        self._check_open()
        super().close()


class Trusting(SqliteSession):
    """Guards nothing."""

    def run(self, statement: str, *, timeout: float | None = None) -> QueryResult:
        engine = self._runner.engine(self._runner.current)
        with engine.guard.trust():
            return super().run(statement, timeout=timeout)


@contextmanager
def fresh_one_like(session: SqliteSession) -> Iterator[SqliteSession]:
    fresh = SqliteSession(session._runner.library, session.name, session.limits, lambda _: None)
    yield fresh
    fresh.close()


class BrokenDatabase(SqliteDatabase):
    """Its sessions are of the class given."""

    def __init__(self, kind: type[SqliteSession]) -> None:
        super().__init__()
        self.kind = kind

    def _session(self, loaded: DatabaseFiles, name: str, forget: Callable[[DatabaseSession], None]) -> SqliteSession:
        return self.kind(loaded, name, self.limits, forget)


class Sharing(BrokenDatabase):
    """All sessions are one."""

    one: DatabaseSession | None = None

    def open(self, source: DatabaseSource, name: str) -> DatabaseSession:
        self.one = self.one or super().open(source, name)
        return self.one


class Ending(SqliteSession):
    """Is over when its connection is ended."""

    def run(self, statement: str, *, timeout: float | None = None) -> QueryResult:
        if statement.startswith("KILL"):
            self.close()
        return super().run(statement, timeout=timeout)


class Contagious(SqliteSession):
    """Has the rows of all that came before."""

    others: ClassVar[list[str]] = []

    def run(self, statement: str, *, timeout: float | None = None) -> QueryResult:
        if statement.startswith("INSERT"):
            for other in self.others[-3:]:
                super().run(other, timeout=timeout)
            self.others.append(statement)
        return super().run(statement, timeout=timeout)


class Nameless(BrokenDatabase):
    """Opens what there is where it is asked for what there is not."""

    def open(self, source: DatabaseSource, name: str) -> DatabaseSession:
        return super().open(source, name if name in self.names(source) else "shop")


MISTAKE = {"statement": "USE nowhere", "code": 1049, "message": "Unknown database 'nowhere'"}

BROKEN: list[tuple[type[SqliteSession] | type[BrokenDatabase], str, dict[str, Any]]] = [
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
    (Raising, "test_mistakes_are_told_in_mysqls_words", MISTAKE),
    (Numberless, "test_an_error_has_its_numbers_in_front", {}),
    (Wordless, "test_what_is_no_sql_is_quoted", {"statement": "SELEC 1", "near": "SELEC 1' at line 1"}),
    (Hasty, "test_of_two_statements_none_is_run", {}),
    (Hasty, "test_a_semicolon_at_the_end_is_no_second_statement", {}),
    (Careless, "test_text_that_is_none_is_told", {}),
    (Shortsighted, "test_a_megabyte_is_no_problem", {}),
    (Boundless, "test_a_longer_statement_than_allowed_is_not_run", {}),
    (Silent, "test_time_is_limited", {}),
    (Patient, "test_time_is_limited", {}),
    (Patient, "test_the_sessions_limit_holds_where_no_time_is_given", {}),
    (Sleepy, "test_nobody_sleeps_longer_than_allowed", {"statement": "SELECT SLEEP(60)"}),
    (Silent, "test_rows_are_cut", {}),
    (Boundless, "test_bytes_are_cut", {}),
    (Suspicious, "test_a_session_that_reads_changes_nothing", {}),
    (Suspicious, "test_settings_are_no_change", {}),
    (Unchanged, "test_a_change_is_seen", {"deed": "insert"}),
    (Unchanged, "test_what_was_rolled_back_counts_as_tried", {}),
    (Sharing, "test_no_other_session_sees_a_change", {"deed": "delete"}),
    (Sharing, "test_settings_end_with_the_session", {}),
    (Sharing, "test_locks_and_transactions_end_with_the_session", {"lock": "BEGIN"}),
    (Sharing, "test_numbers_are_given_out_anew", {}),
    (Contagious, "test_many_that_write_at_once_do_not_meet", {}),
    (Rowless, "test_the_state_is_every_table", {}),
    (Dated, "test_the_state_is_the_same_each_time", {}),
    (Stale, "test_the_state_shows_a_change", {"deed": "update"}),
    (Dated, "test_the_same_change_makes_the_same_state", {}),
    (Impatient, "test_the_state_is_what_is_committed", {}),
    (Fragile, "test_closing_twice_is_harmless", {}),
    (Undead, "test_nothing_can_be_done_after_close", {}),
    (Nameless, "test_an_unknown_database_is_told_with_the_known", {}),
    (Ending, "test_nothing_that_a_session_does_to_itself_is_our_failure", {"deed": "SET PASSWORD = 'x'"}),
    (Literal, "test_comments_may_come_first", {}),
    (Trusting, "test_what_is_not_the_sessions_is_refused", {"attack": "the engine's own tables"}),
]


@pytest.mark.parametrize(("kind", "test", "given"), BROKEN, ids=[f"{kind.__name__}-{test}" for kind, test, _ in BROKEN])
def test_the_contract_notices(
    kind: type[SqliteSession] | type[BrokenDatabase],
    test: str,
    given: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same tests pass on SQLite as it is: `tests/databases/test_sqlite.py`."""
    monkeypatch.setenv("INTERCODE_CACHE", str(tmp_path / "cache"))
    database = kind(SqliteSession) if issubclass(kind, BrokenDatabase) else BrokenDatabase(kind)
    with pytest.raises((AssertionError, IntercodeError, pytest.fail.Exception)), database:
        _prepared(database, test, given, tmp_path)()


def _prepared(database: BrokenDatabase, test: str, given: dict[str, Any], tmp_path: Path) -> Callable[[], object]:
    """The contract's *test* with what it asks for."""
    source = contract_source(tmp_path)
    method = getattr(DatabaseContract(), test)
    small = QueryLimits(seconds=0.4, rows=100, bytes=10_000, statement=4000)
    makers: dict[str, Callable[[], object]] = {
        "database": lambda: database,
        "source": lambda: source,
        "tmp_path": lambda: tmp_path,
        "session": lambda: database.open(source, "shop"),
        "small": lambda: _limited(database.open(source, "shop"), small),
    }
    parameters = [name for name in inspect.signature(method).parameters if name not in given]
    return lambda: method(**given, **{name: makers[name]() for name in parameters})


def _limited(session: DatabaseSession, limits: QueryLimits) -> DatabaseSession:
    session.limits = limits
    return session
