"""The contract of a database: subclass it, give one fixture, inherit the tests.

    class TestMyDatabase(DatabaseContract):
        @pytest.fixture(scope="class")
        @classmethod
        def database(cls) -> Iterator[Database]: ...

What a database cannot keep is said in an attribute, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from intercode.testing.database_fixtures import contract_source
from intercode.testing.database_isolation import DatabaseIsolationTests
from intercode.testing.database_lifecycle import DatabaseLifecycleTests
from intercode.testing.database_statements import StatementTests
from intercode.types.databases import Database, DatabaseSession, DatabaseSource


class DatabaseContract(StatementTests, DatabaseLifecycleTests, DatabaseIsolationTests):
    """What every database keeps to. Give `database`."""

    @pytest.fixture(scope="class")
    @classmethod
    def database(cls) -> Iterator[Database]:
        """Provide the database to examine."""
        raise NotImplementedError("give a fixture called `database`")

    @pytest.fixture(scope="class")
    @classmethod
    def source(cls, tmp_path_factory: pytest.TempPathFactory) -> DatabaseSource:
        """Two small databases, `shop` and `bank`."""
        return contract_source(tmp_path_factory.mktemp("source"))

    @pytest.fixture
    def session(self, database: Database, source: DatabaseSource) -> Iterator[DatabaseSession]:
        """Provide a fresh session on `shop`."""
        with database.open(source, "shop") as session:
            yield session
