"""The generated Python tasks: the contract of a data set, and that nothing but the recipe decides them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from intercode.datasets import load
from intercode.datasets.base import Dataset
from intercode.testing.dataset import DatasetContract
from intercode.worlds.python.hidden_tests import hidden_tests
from intercode_generate.python.dataset import GeneratedPythonDataset

SHOW = "from intercode.datasets import load; d = load('generated-python', count=60, seed=3); print(repr(list(d)))"


class TestGeneratedPython(DatasetContract):
    @pytest.fixture
    def dataset(self) -> Dataset:
        return load("generated-python", count=60, seed=3)


def test_other_processes_make_the_same_tasks_whatever_their_hashes() -> None:
    said = {
        subprocess.run(
            [sys.executable, "-c", SHOW], env={**os.environ, "PYTHONHASHSEED": seed}, check=True, capture_output=True
        ).stdout
        for seed in ("0", "12345")
    }
    assert len(said) == 1


def test_nothing_of_a_gold_or_a_test_is_in_what_an_agent_sees() -> None:
    for task in load("generated-python", count=40):
        seen = repr(task.view().as_dict())
        assert "assert " not in seen
        assert all(line not in seen for line in (task.gold or "").splitlines() if line.startswith("    "))


def test_every_task_has_hidden_tests_that_the_judge_can_read() -> None:
    for task in load("generated-python", count=60):
        tests = hidden_tests(task)
        assert len(tests.tests) >= 7
        assert tests.function in ("replay", *[line.split("(")[0][4:] for line in (task.gold or "").splitlines()])


def behaviour(gold: str) -> str:
    """A gold without the name that is asked for: it stands in the first line that defines something."""
    return "\n".join(line for line in gold.splitlines() if not line.startswith(("def ", "class ")))


def test_behaviours_and_texts_of_different_splits_never_meet() -> None:
    def of(split: str) -> tuple[set[str], set[str]]:
        tasks = list(GeneratedPythonDataset(count=200, split=split))
        return {behaviour(task.gold or "") for task in tasks}, {task.query for task in tasks}

    train, validation, test = of("train"), of("validation"), of("test-parameters")
    for one, other in ((train, validation), (train, test), (validation, test)):
        assert not one[0] & other[0]
        assert not one[1] & other[1]
