"""The embedded SQLite keeps the contract."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from intercode.testing.database import DatabaseContract
from intercode.types.databases import Database
from intercode.worlds.sql.databases.sqlite import SqliteDatabase


class TestSqliteDatabase(DatabaseContract):
    @pytest.fixture(scope="class")
    @classmethod
    def database(cls) -> Iterator[Database]:
        with SqliteDatabase() as database:
            yield database
