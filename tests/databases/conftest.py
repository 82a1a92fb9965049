"""What databases keep is kept for one test run only; both databases, for tests that want the same of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from intercode.databases.base import Database, Source
from intercode.databases.mysql import MysqlDatabase
from intercode.databases.server import program
from intercode.databases.sqlite import SqliteDatabase
from intercode.errors import DatabaseError
from intercode.testing.database_world import contract_source


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache of our own, shared by all workers of the run."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if base.name.startswith("popen-") else base
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INTERCODE_CACHE", str(shared / "databases-cache"))
        yield


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Source:
    return contract_source(tmp_path_factory.mktemp("source"))


@pytest.fixture(scope="module", params=["sqlite", "mysql"])
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    """Both, so that what is expected is what a server does."""
    if request.param == "mysql":
        try:
            program.find()
        except DatabaseError as error:
            pytest.skip(str(error))
    with SqliteDatabase() if request.param == "sqlite" else MysqlDatabase() as database:
        yield database
