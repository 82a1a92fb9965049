"""spider-verified: each line of changes holds, and each planted row is there for all databases."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.spider_rows.__main__ import World

from intercode.datasets.spider.dataset import SpiderDataset
from intercode.datasets.spider.verified import FOLDER, SpiderVerifiedDataset
from intercode.datasets.verified import changes_in
from intercode.types import Task
from intercode.worlds.sql import databases
from intercode.worlds.sql.scoring.question import is_void
from intercode.worlds.sql.scoring.syntax import syntax_tree

CHANGES = changes_in(FOLDER)
PLANTED = sorted((FOLDER / "planted").glob("*.sql"))


@pytest.mark.parametrize("id", CHANGES)
def test_every_change_gives_queries_and_two_golds_or_more(id: str) -> None:
    change = CHANGES[id]
    assert 0 <= int(id) < 1034
    texts = (*change.golds, *change.alternative_golds, *change.near_misses)
    assert all(syntax_tree(text) is not None for text in texts), texts
    assert change.left_out or len(change.golds) + 2 * len(change.alternative_golds) >= 2, "one gold alone"
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("path", PLANTED, ids=lambda path: path.name)
def test_a_file_of_rows_only_adds_rows_to_its_own_database(path: Path) -> None:
    first, *lines = path.read_text(encoding="utf-8").splitlines()
    assert first.lower() == f"use `{path.name.partition('.')[0]}`;"
    assert lines
    assert all(re.fullmatch(r"INSERT INTO `\w+` \(.*\) VALUES \(.*\);", line) for line in lines)


@pytest.fixture(scope="module")
def world(published_data: Path) -> Iterator[World]:
    with pytest.MonkeyPatch.context() as patch, databases.find("sqlite") as engine:
        patch.setenv("INTERCODE_DATA", str(published_data))
        yield World(SpiderVerifiedDataset(), engine)


def test_most_tasks_are_kept_and_none_is_void(world: World) -> None:
    tasks = list(world.dataset)
    assert len(tasks) >= 990
    shown = {task.id: world.gold(task, task.gold or "").result for task in tasks}
    assert [id for id, result in shown.items() if result is None or result.rows is None] == []
    assert [id for id, result in shown.items() if result is not None and is_void(result.rows or ())] == []


def test_accepted_golds_are_paid_and_near_misses_are_not(world: World) -> None:
    tasks = {task.id.partition("/")[2]: task for task in world.dataset}
    changed = [tasks[id] for id in CHANGES if id in tasks]
    wrong = [(task.id, text) for task in changed for text in task.golds if not world.is_paid(task, text)]
    assert wrong == []
    paid = [(task.id, text) for task in changed for text in _near(task) if world.is_paid(task, text)]
    assert paid == []


def _near(task: Task) -> list[str]:
    return list(task.extra.get("near_misses", ()))


def test_a_gold_that_is_known_to_be_wrong_is_no_longer_paid(world: World) -> None:
    """But for 413, of which both readings are accepted."""
    published = SpiderDataset()
    before = {task.id.partition("/")[2]: task for task in published}
    wrong = [id for id, task in before.items() if task.known_issue == "wrong" and id != "413"]
    assert len(wrong) >= 27
    assert [id for id in wrong if world.is_paid(world.dataset.find(id), before[id].gold or "")] == []


def test_friendships_go_both_ways(world: World) -> None:
    task = world.dataset.find("59")
    with world.engine.open(world.dataset.source(task), world.dataset.database(task)) as session:
        pairs = set(session.run("SELECT student_id, friend_id FROM friend").rows or ())
    assert len(pairs) > 40
    assert {(other, one) for one, other in pairs} == pairs
