"""The Python starter set: every gold scores 1, nothing scores 0, and there is enough of everything."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from intercode.datasets.base import Dataset
from intercode.testing.dataset import DatasetContract
from intercode.types import Action, Task
from intercode.worlds.python import PythonEnv
from intercode.worlds.python.datasets.starter_python import StarterPythonDataset
from intercode.worlds.python.hidden_tests import hidden_tests

STARTER = StarterPythonDataset()

ALTERNATIVES: dict[str, list[str]] = tomllib.loads(
    (Path(__file__).parent / "solutions" / "python_alternatives.toml").read_text(encoding="utf-8")
)


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


def test_other_ways_to_do_a_task_are_right(env: PythonEnv) -> None:
    """Three for each task: at least 99 % of them score 1."""
    wrong = []
    for task in STARTER:
        for way in ALTERNATIVES[task.id.rpartition("/")[2]]:
            env.start_episode(task)
            is_program = hidden_tests(task).wants_program
            if not is_program:
                env.take_action(Action("execute", way))
            scores = env.take_action(Action("submit", way if is_program else "")).scores
            assert scores is not None
            wrong += [] if scores["exact"].success else [f"{task.id}: {scores['exact'].notes}, {way}"]
    assert len(wrong) <= 0.01 * 3 * len(STARTER), "\n".join(wrong)


def test_there_are_three_other_ways_for_every_task() -> None:
    assert {f"starter-python/{name}" for name in ALTERNATIVES} == {task.id for task in STARTER}
    for task in STARTER:
        assert len({*ALTERNATIVES[task.id.rpartition("/")[2]], task.gold}) == 4, task.id


@pytest.mark.parametrize(
    ("replaced", "is_right"),
    [("bool(steps) if steps < 2 else steps", True), ("float(steps)", True), ("str(steps)", False)],
)
def test_values_are_right_that_python_holds_for_equal(env: PythonEnv, replaced: str, is_right: bool) -> None:
    """`False` for 0, `True` for 1: a test's `==` is Python's."""
    task = STARTER.find("collatz")
    env.start_episode(task)
    env.take_action(Action("execute", (task.gold or "").replace("return steps", f"return {replaced}")))
    assert judged(env) == is_right


def test_a_test_that_asks_for_true_itself_takes_no_1(env: PythonEnv) -> None:
    task = STARTER.find("happy-number")
    env.start_episode(task)
    env.take_action(Action("execute", (task.gold or "").replace("return number == 1", "return int(number == 1)")))
    assert not judged(env)


def judged(env: PythonEnv) -> bool:
    scores = env.judge()
    assert scores is not None
    return scores["exact"].success


def test_a_query_names_the_function_that_its_tests_call() -> None:
    for task in STARTER:
        tests = hidden_tests(task)
        assert len(tests.tests) >= 2, task.id
        assert f"`{tests.function}(" in task.query if tests.function else "standard input" in task.query, task.id


def test_there_is_enough_of_everything() -> None:
    assert len(STARTER) >= 40
    assert min(Counter(task.difficulty for task in STARTER).values()) >= 6
    assert sum(hidden_tests(task).wants_program for task in STARTER) >= 4
