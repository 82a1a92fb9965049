"""The contract notices databases that are broken on purpose: each of them fails, in the test that is about it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import broken_answers
import pytest
from broken_databases import BROKEN as BROKEN_DATABASES
from broken_databases import BrokenDatabase

from intercode.errors import IntercodeError
from intercode.testing.database import DatabaseContract
from intercode.testing.database_fixtures import contract_source
from intercode.types.databases import DatabaseSession, QueryLimits
from intercode.worlds.sql.databases.sqlite.session import SqliteSession

BROKEN = [*broken_answers.BROKEN, *BROKEN_DATABASES]


@pytest.mark.parametrize(("kind", "test", "given"), BROKEN, ids=[f"{kind.__name__}-{test}" for kind, test, _ in BROKEN])
def test_the_contract_notices(
    kind: type[SqliteSession] | type[BrokenDatabase],
    test: str,
    given: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same tests pass on SQLite as it is: `tests/worlds/sql/databases/test_sqlite.py`."""
    monkeypatch.setenv("INTERCODE_CACHE", str(tmp_path / "cache"))
    database = kind(SqliteSession) if issubclass(kind, BrokenDatabase) else BrokenDatabase(kind)
    with pytest.raises((AssertionError, IntercodeError, pytest.fail.Exception)), database:
        _prepared(database, test, given, tmp_path)()


def _prepared(database: BrokenDatabase, test: str, given: dict[str, Any], tmp_path: Path) -> Callable[[], object]:
    """The contract's *test* with what it asks for."""
    source = contract_source(tmp_path)
    method = getattr(DatabaseContract(), test)
    small = QueryLimits(seconds=3.0, rows=100, bytes=10_000, statement=4000)
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
