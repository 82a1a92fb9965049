"""Rows that are drawn fit their tables: keys are new, and what is referred to is there."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from benchmarks.spider_rows import drawing, schema

from intercode.types import Task
from intercode.types.databases import DatabaseSession
from intercode.worlds.sql.databases.sqlite import SqliteDatabase
from intercode.worlds.sql.datasets.starter_sql import StarterSqlDataset


@pytest.fixture(scope="module")
def task() -> Task:
    return next(task for task in StarterSqlDataset() if " join " in (task.gold or "").lower())


@pytest.fixture
def session(task: Task) -> Iterator[DatabaseSession]:
    dataset = StarterSqlDataset()
    with SqliteDatabase() as engine, engine.open(dataset.source(task), dataset.database(task)) as session:
        yield session


def test_rows_can_be_inserted_and_keep_references(task: Task, session: DatabaseSession) -> None:
    state = schema.read("starter", session.state())
    assert any(table.references for table in state.values())
    gold, dice = task.gold or "", random.Random(5)
    drawn = 0
    for _ in range(30):
        for name, row in drawing.draw(state, gold, [gold], dice):
            result = session.run(drawing.insert(state[name], row))
            assert result.error is None or "1062" in result.error, result.error  # a key that was drawn before
            drawn += result.error is None
    assert drawn > 10


def test_rows_are_the_same_for_the_same_seed(task: Task, session: DatabaseSession) -> None:
    state, gold = schema.read("starter", session.state()), task.gold or ""
    found = [drawing.draw(state, gold, [gold], random.Random(3)) for _ in range(2)]
    assert found[0] == found[1]


def test_what_golds_compare_with_is_found_and_what_is_next_to_it() -> None:
    found = drawing.literals(["SELECT name FROM staff WHERE age > 30 AND name LIKE '%Ann%'"])
    assert set(found["age"]) == {"30", "29", "31"}
    assert {"Ann", "New Ann"} <= set(found["name"])
