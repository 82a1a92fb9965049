"""Small worlds on databases, for tests."""

from __future__ import annotations

from collections.abc import Mapping

from intercode.errors import MachineError
from intercode.types.databases import DatabaseSession, DatabaseSource, QueryResult, TableState
from intercode.worlds.sql.databases.sqlite import SqliteDatabase
from intercode.worlds.sql.datasets.starter_sql import StarterSqlDataset


class FewTasks(StarterSqlDataset):
    """Some of our tasks, reading and changing, on all three databases."""

    def __init__(self) -> None:
        super().__init__()
        self._tasks = self._tasks[::9]


class FrailDatabase(SqliteDatabase):
    """Fails at the first statement that it is given, and never again."""

    def __init__(self, failure: MachineError) -> None:
        super().__init__()
        self.failure: MachineError | None = failure

    def open(self, source: DatabaseSource, name: str) -> DatabaseSession:
        return FrailSession(super().open(source, name), self)


class FrailSession(DatabaseSession):
    """A session of such a database."""

    def __init__(self, inner: DatabaseSession, database: FrailDatabase) -> None:
        self.inner, self.database, self.limits = inner, database, inner.limits

    def run(self, statement: str, *, timeout: float | None = None) -> QueryResult:
        failure, self.database.failure = self.database.failure, None
        if failure is not None:
            raise failure
        return self.inner.run(statement, timeout=timeout)

    def state(self) -> Mapping[str, TableState]:
        return self.inner.state()

    def changed(self) -> bool:
        return self.inner.changed()

    def close(self) -> None:
        self.inner.close()
