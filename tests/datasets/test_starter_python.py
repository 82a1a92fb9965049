"""The Python starter set: every gold scores 1, nothing scores 0, and there is enough of everything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from intercode.datasets.base import Dataset
from intercode.datasets.starter_python import StarterPythonDataset
from intercode.envs.python import PythonEnv
from intercode.rewards.python.hidden_tests import hidden_tests
from intercode.testing.dataset import DatasetContract
from intercode.types import Action, Task

STARTER = StarterPythonDataset()


class TestContract(DatasetContract):
    @pytest.fixture
    def dataset(self) -> Dataset:
        return StarterPythonDataset()


@pytest.fixture(scope="module")
def env() -> Iterator[PythonEnv]:
    with PythonEnv(STARTER) as env:
        yield env


@pytest.mark.parametrize("task", list(STARTER), ids=[task.id for task in STARTER])
def test_the_gold_scores_one_and_nothing_scores_zero(env: PythonEnv, task: Task) -> None:
    env.start_episode(task)
    before = env.judge()
    assert before is not None
    assert before["exact"].value == 0
    env.take_action(Action("execute", task.gold or ""))
    scores = env.take_action(Action("submit")).scores
    assert scores is not None
    assert scores["exact"].success, scores["exact"].notes


def test_a_query_names_the_function_that_its_tests_call() -> None:
    for task in STARTER:
        tests = hidden_tests(task)
        assert len(tests.tests) >= 2, task.id
        assert f"`{tests.function}(" in task.query if tests.function else "standard input" in task.query, task.id


def test_there_is_enough_of_everything() -> None:
    assert len(STARTER) >= 40
    assert min(Counter(task.difficulty for task in STARTER).values()) >= 6
    assert sum(hidden_tests(task).wants_program for task in STARTER) >= 4
