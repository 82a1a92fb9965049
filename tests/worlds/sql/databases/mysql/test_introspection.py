"""A database is looked at whole, with as few questions as can be."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from intercode.worlds.sql.databases.mysql import introspection
from intercode.worlds.sql.databases.mysql.connection import Connection
from intercode.worlds.sql.databases.mysql.server_process import ServerProcess
from intercode.worlds.sql.databases.mysql.server_program import find
from intercode.worlds.sql.databases.mysql.template import empty

MANY = 64
"""Tables."""

WAITED = 30.0
"""Seconds; to wait for each of the tables would take twice as long."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """One with a database of many tables."""
    archive = tmp_path_factory.mktemp("empty") / "data.tar"
    empty(find(), archive)
    server = ServerProcess(find(), template=archive)
    server.admin.rows("CREATE DATABASE shelf")
    for number in range(MANY):
        server.admin.rows(f"CREATE TABLE shelf.`box {number}` (`what is in it` INT)")
        server.admin.rows(f"INSERT INTO shelf.`box {number}` VALUES ({number}), (NULL)")
    yield server
    server.close()


def test_all_tables_are_seen_however_many_there_are(server: ServerProcess) -> None:
    state = server.state("shelf", server.address)
    assert {name: (table.columns, table.rows) for name, table in state.items()} == {
        f"box {number}": (("what is in it",), tuple(sorted([(number,), (None,)], key=repr))) for number in range(MANY)
    }
    assert all(table.create.startswith(f"CREATE TABLE `{name}` (") for name, table in state.items())


def test_of_a_database_that_is_gone_nothing_is_seen(server: ServerProcess) -> None:
    assert server.state("attic", server.address) == {}
    server.warm("attic")
    server.warm("")
    assert server.state("shelf", server.address) != {}


def test_locks_are_waited_for_once_and_not_for_each_table(server: ServerProcess) -> None:
    link = Connection(server.address)
    names = ", ".join(f"shelf.`box {number}` WRITE" for number in range(MANY))
    link.rows(f"LOCK TABLES {names}")
    began = time.monotonic()
    with pytest.raises(introspection.TableLockedError):
        server.state("shelf", server.address)
    assert time.monotonic() - began < WAITED
    link.rows("UNLOCK TABLES")
    assert len(server.state("shelf", server.address)) == MANY
    link.close()
