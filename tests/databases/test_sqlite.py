"""The embedded SQLite keeps the contract."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from intercode.databases.base import Database
from intercode.databases.sqlite import SqliteDatabase
from intercode.testing.database import DatabaseContract


class TestSqliteDatabase(DatabaseContract):
    @pytest.fixture(scope="class")
    @classmethod
    def database(cls) -> Iterator[Database]:
        with SqliteDatabase() as database:
            yield database
