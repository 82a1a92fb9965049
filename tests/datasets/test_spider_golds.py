"""Spider's 1034 golds on real databases: each that runs is right under both scorings, and so is what means the same."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from intercode import registry
from intercode.datasets.spider.dataset import SpiderDataset
from intercode.errors import DatabaseError
from intercode.types.databases import DatabaseSession, QueryResult
from intercode.worlds.sql.scoring.exact import exact, question
from intercode.worlds.sql.scoring.final_state import SqlEnding, SqlFinalState
from intercode.worlds.sql.scoring.gold_order import order_of
from intercode.worlds.sql.scoring.paper import paper, paper_iou

RUN = {"sqlite": 1034, "mariadb": 1028, "mysql": 1015}
"""How many golds run, by dialect: 6 are no SQL for a server, and MySQL's ONLY_FULL_GROUP_BY refuses 13 more."""


@pytest.fixture(scope="module", params=["sqlite", "mysql"])
def cache(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of a database, which keeps what it makes in a place of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INTERCODE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield request.param


def test_every_gold_that_runs_is_right_and_so_is_what_means_the_same(published: Path, cache: str) -> None:
    dataset = SpiderDataset()
    try:
        database = registry.find("databases", cache)()
    except DatabaseError as error:
        pytest.skip(str(error))
    run = 0
    with database:
        for task in dataset:
            with database.open(dataset.source(task), dataset.database(task)) as session:
                gold = SqlFinalState(task.gold, session.run(task.gold or ""))
                ending = SqlEnding(task, gold, gold)
                if gold.result is not None and gold.result.rows is not None:
                    run += 1
                    check_the_gold(ending)
                    check_rearranged(ending, gold.result, session)
                    check_probe(ending, gold.result, session)
    assert run == RUN[database.dialect]


def test_golds_come_out_the_same_after_a_restart_and_in_any_order(published: Path, cache: str) -> None:
    """Row for row, also where no order is asked for."""
    dataset = SpiderDataset()
    tasks = list(dataset)
    outcomes = []
    for _ in range(2):
        try:
            database = registry.find("databases", cache)()
        except DatabaseError as error:
            pytest.skip(str(error))
        found = {}
        with database:
            for task in tasks:
                with database.open(dataset.source(task), dataset.database(task)) as session:
                    result = session.run(task.gold or "")
                    found[task.id] = (result.rows, result.error)
        outcomes.append(found)
        random.Random(1).shuffle(tasks)
    assert outcomes[0] == outcomes[1]


def test_numbers_that_are_kept_as_text_are_compared_alike_everywhere(published: Path, cache: str) -> None:
    """Horsepower is text in `car_1`: compared as such, '95' is more than 150."""
    dataset = SpiderDataset()
    try:
        database = registry.find("databases", cache)()
    except DatabaseError as error:
        pytest.skip(str(error))
    with database:
        for task in (dataset.find(105), dataset.find(990)):
            with database.open(dataset.source(task), dataset.database(task)) as session:
                assert session.run(task.gold or "").rows == ((10,),)


def check_the_gold(ending: SqlEnding) -> None:
    for judge in (paper, paper_iou, exact):
        assert judge(ending).success, (ending.task.id, judge)


def check_rearranged(ending: SqlEnding, gold: QueryResult, session: DatabaseSession) -> None:
    """Columns the other way round, whole numbers as text; rows in any order where the gold has none."""
    order = order_of(ending.task.gold or "")
    rows = [tuple(str(value) if type(value) is int else value for value in row[::-1]) for row in gold.rows or ()]
    if not order.ordered and order.limit is None:
        random.Random(ending.task.id).shuffle(rows)
    mine = replace(ending.agent, result=replace(gold, rows=tuple(rows)))
    probe = question(changed := replace(ending, agent=mine))
    score = exact(replace(changed, probe=session.run(probe) if probe else None))
    assert score.success, (ending.task.id, score)


def check_probe(ending: SqlEnding, gold: QueryResult, session: DatabaseSession) -> None:
    """What is asked beside a gold can be asked, and is as long as the gold where the gold's LIMIT cuts it."""
    order = order_of(ending.task.gold or "")
    if order.probe:
        probe = session.run(order.probe)
        assert probe.error is None, (ending.task.id, order.probe)
        end = None if order.limit is None else order.offset + order.limit
        assert len((probe.rows or ())[order.offset : end]) == len(gold.rows or ()), ending.task.id
