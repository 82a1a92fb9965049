"""Databases, and sessions of them, that lack limits or walls on purpose, each with the test that must notice."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, ClassVar

from broken_answers import MISTAKE

from intercode.errors import DatabaseError
from intercode.types.databases import DatabaseSession, DatabaseSource, QueryLimits, QueryResult, TableState
from intercode.worlds.sql.databases.sqlite import SqliteDatabase
from intercode.worlds.sql.databases.sqlite.database_files import DatabaseFiles
from intercode.worlds.sql.databases.sqlite.session import SqliteSession


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
    """Always allows sixteen seconds."""

    def run(self, statement: str, *, timeout: float | None = None) -> QueryResult:
        return super().run(statement, timeout=16)


class Sleepy(SqliteSession):
    """Sleeps as long as it is told."""

    def run(self, statement: str, *, timeout: float | None = None) -> QueryResult:
        if "SLEEP" in statement:
            time.sleep(16)
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


BROKEN: list[tuple[type[SqliteSession] | type[BrokenDatabase], str, dict[str, Any]]] = [
    (Raising, "test_mistakes_are_told_in_mysqls_words", MISTAKE),
    (Boundless, "test_a_longer_statement_than_allowed_is_not_run", {}),
    (Patient, "test_time_is_limited", {}),
    (Patient, "test_the_sessions_limit_holds_where_no_time_is_given", {}),
    (Sleepy, "test_nobody_sleeps_longer_than_allowed", {"statement": "SELECT SLEEP(60)"}),
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
    (Trusting, "test_what_is_not_the_sessions_is_refused", {"attack": "the engine's own tables"}),
]
