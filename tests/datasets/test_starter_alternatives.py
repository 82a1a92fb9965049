"""Other right ways to solve the starter Bash tasks, by other tools than the golds': a right answer must score 1."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from intercode.types import Action, Score, Task
from intercode.worlds.bash import BashEnv
from intercode.worlds.bash.datasets.starter import StarterDataset

STARTER = StarterDataset()
WAYS: dict[str, dict[str, str]] = tomllib.loads(
    (Path(__file__).parent / "solutions" / "starter_bash.toml").read_text(encoding="utf-8")
)


@pytest.fixture(scope="module")
def env() -> Iterator[BashEnv]:
    with BashEnv(STARTER) as env:
        yield env


def exact(env: BashEnv, task: Task, command: str) -> tuple[Score, str]:
    """The exact score of *command*, handed in, and what it showed."""
    env.start_episode(task)
    shown = env.take_action(Action("execute", command)).observation.text
    scores = env.take_action(Action("submit")).scores
    assert scores is not None
    return scores["exact"], shown


def test_every_task_has_three_ways_besides_its_gold() -> None:
    assert {f"starter/bash/{name}" for name in WAYS} == {task.id for task in STARTER}
    for task in STARTER:
        ways = WAYS[task.id.rpartition("/")[2]].values()
        assert len({*ways, task.gold}) == 4


@pytest.mark.parametrize("task", list(STARTER), ids=[task.id for task in STARTER])
def test_another_right_way_scores_1(env: BashEnv, task: Task) -> None:
    for tool, command in WAYS[task.id.rpartition("/")[2]].items():
        score, shown = exact(env, task, command)
        assert score.success, (tool, score, shown)
