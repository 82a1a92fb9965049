"""The generated SQL tasks: the contract of a data set, that only the recipe decides, and that splits share nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from intercode.datasets import load
from intercode.datasets.base import Dataset
from intercode.testing.dataset import DatasetContract
from intercode.worlds.sql.databases.sqlite import SqliteDatabase
from intercode_generate.certify.overlap import text_hash
from intercode_generate.sql.dataset import GeneratedSqlDataset

SHOW = "from intercode.datasets import load; d = load('generated-sql', count=60, seed=3); print(repr(list(d)))"

APART = ("train", "validation", "test-parameters")
"""Splits that have no parameter in common; the other test sets have those of `test-parameters`."""


class TestGeneratedSql(DatasetContract):
    @pytest.fixture
    def dataset(self) -> Dataset:
        return load("generated-sql", count=60, seed=3)


def test_other_processes_make_the_same_tasks_whatever_their_hashes() -> None:
    said = {
        subprocess.run(
            [sys.executable, "-c", SHOW], env={**os.environ, "PYTHONHASHSEED": seed}, check=True, capture_output=True
        ).stdout
        for seed in ("0", "12345")
    }
    assert len(said) == 1


def test_tasks_of_a_batch_share_a_database_that_opens() -> None:
    dataset = GeneratedSqlDataset(count=80)
    assert len({dataset.source(task) for task in dataset}) == 2
    task = dataset[0]
    with SqliteDatabase() as database, database.open(dataset.source(task), dataset.database(task)) as session:
        assert set(session.state()) == {table.name for table in dataset.batch(0).world.tables}


def test_no_text_and_no_ending_is_shared_between_splits() -> None:
    """The ending of a question is its rows and the database that they are from, which no other split has."""
    seen: dict[str, str] = {}
    for split in APART:
        for value in {*texts(split), *endings(split)}:
            assert seen.setdefault(value, split) == split
    held_out = {*texts("test-phrasings"), *texts("test-families")}
    assert not held_out & {value for value, split in seen.items() if split != "test-parameters"}
    assert not set(texts("test-phrasings")) & set(texts("test-families"))


def texts(split: str) -> Iterator[str]:
    return (text_hash(task) for task in GeneratedSqlDataset(count=200, split=split))


def endings(split: str) -> Iterator[str]:
    """Of changes the whole state; of questions the rows, where they are more than a number that could be any."""
    dataset = GeneratedSqlDataset(count=200, split=split)
    for task in dataset:
        engine = dataset.batch_of(task).world.engine
        if not (task.gold or "").startswith("SELECT"):
            yield repr(
                sorted((name, sorted(map(repr, rows))) for name, rows in engine.state_after(task.gold or "").items())
            )
        elif len(rows := engine.rows(task.gold or "")) > 3:
            yield repr(sorted(map(repr, rows)))


def test_columns_of_one_role_differ_between_worlds() -> None:
    dataset = GeneratedSqlDataset(count=400)
    scripts = {dataset.batch(number).world.script for number in range(10)}
    assert len(scripts) == 10
