"""Many episodes that all write to one database, twenty at a time: none sees another's rows."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from intercode.types.databases import Database
from intercode.worlds.sql import SqlEnv, databases

AT_ONCE = 20

MARKED = "SELECT id FROM suppliers WHERE minimum = 77"


def play(env: SqlEnv, number: int) -> tuple[str, ...]:
    """One episode: what it saw of marked suppliers before, after and in the end, and how it was judged."""
    env.reset(options={"task": "starter-sql/bicycles"})
    seen = [env.step(MARKED)[0]]
    env.step(f"INSERT INTO suppliers VALUES ({number}, 'Supplier {number}', 4, 77)")
    seen.append(env.step(MARKED)[0])
    env.step(f"UPDATE suppliers SET days = {number}")
    seen.append(env.step("SELECT DISTINCT days FROM suppliers")[0])
    env.step("DROP TABLE order_items")
    env.step(env.task.gold or "")
    return (*seen, str(env.step("submit")[1]))


def expected(number: int) -> tuple[str, ...]:
    return "[]", f"[({number},)]", f"[({number},)]", "0.5"


@pytest.mark.parametrize("kind", ["sqlite", "mysql"])
def test_twenty_that_write_at_once_do_not_meet(kind: str, pytestconfig: pytest.Config) -> None:
    """A thousand in all with `--conformance=whole`."""
    if kind == "mysql" and databases.default() != "mysql":
        pytest.skip("no MySQL or MariaDB server is installed")
    in_all = 1000 if pytestconfig.getoption("--conformance") == "whole" else {"sqlite": 200, "mysql": 30}[kind]
    numbers = range(1000, 1000 + in_all)
    with databases.find(kind) as database, ThreadPoolExecutor(AT_ONCE) as crowd:
        found = list(crowd.map(lambda place: works(database, numbers[place::AT_ONCE]), range(AT_ONCE)))
    assert found == [[expected(number) for number in numbers[place::AT_ONCE]] for place in range(AT_ONCE)]


def works(database: Database, numbers: Sequence[int]) -> list[tuple[str, ...]]:
    """One worker's episodes, one after the other."""
    seen: list[tuple[str, ...]] = []
    with SqlEnv(database=database) as env:
        seen += [play(env, number) for number in numbers]
    return seen
