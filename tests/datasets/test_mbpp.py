"""MBPP as it is published: 974 tasks, each with tests that can be asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from intercode import datasets
from intercode.datasets.base import Dataset
from intercode.datasets.mbpp.dataset import MbppDataset
from intercode.errors import BadDataError, UnknownNameError
from intercode.testing.dataset import DatasetContract
from intercode.types import Action
from intercode.worlds.python import PythonEnv
from intercode.worlds.python.hidden_tests import hidden_tests

CRASHING = (31, 133, 159, 317, 391, 574)
"""Golds written `def name (`, in which the published benchmark finds no name."""


class TestContract(DatasetContract):
    @pytest.fixture
    def dataset(self, published_data: Path) -> Dataset:
        return MbppDataset()


def test_all_of_it_is_there(published_data: Path) -> None:
    mbpp = MbppDataset()
    assert len(mbpp) == 974
    assert mbpp[0].id == "mbpp/0"
    assert mbpp[0].extra["task_id"] == 1
    assert sum(len(hidden_tests(task).tests) for task in mbpp) == 2938


PARTS = {
    1: "prompt",
    10: "prompt",
    11: "test",
    510: "test",
    511: "validation",
    600: "validation",
    601: "train",
    974: "train",
}


def test_its_splits_are_mbpps_own(tmp_path: Path) -> None:
    """By the numbers that its authors give; tasks keep their ids, and a part is found by its name."""
    columns = {"gold": "def f(): pass", "tests": ["assert f() is None"], "test_setup_code": ""}
    records = [{"query": f"Write function {number}.", "task_id": number, **columns} for number in PARTS]
    (tmp_path / "ic_mbpp.json").write_text(json.dumps(records))
    mbpp = MbppDataset(folder=tmp_path)
    assert list(mbpp.splits) == ["prompt", "test", "validation", "train"]
    for name, part in mbpp.splits.items():
        assert [PARTS[task.extra["task_id"]] for task in part] == [name, name]
        assert (part.name, part.world, part.default_scoring) == (f"mbpp/{name}", "python", "paper")
    assert mbpp.splits["test"][0].id == "mbpp/2"
    assert datasets.load("mbpp/test", folder=tmp_path)[0].id == "mbpp/2"
    with pytest.raises(UnknownNameError, match="there are: mbpp/prompt, mbpp/test, mbpp/train, mbpp/validation"):
        datasets.load("mbpp/tset", folder=tmp_path)


def test_all_of_its_splits_are_there(published_data: Path) -> None:
    parts = MbppDataset().splits
    assert {name: len(part) for name, part in parts.items()} == {
        "prompt": 10, "test": 500, "validation": 90, "train": 374,
    }  # fmt: skip


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadDataError, match="intercode data get mbpp"):
        MbppDataset(folder=tmp_path)


@pytest.fixture(scope="module")
def env(published_data: Path) -> Iterator[PythonEnv]:
    with PythonEnv(MbppDataset(), image="host") as env:
        yield env


@pytest.mark.parametrize("number", [0, 366, 595, 600, 911, 926, *CRASHING, *range(10, 974, 41)])
def test_golds_pass_their_tests(env: PythonEnv, number: int) -> None:
    """Those with set-up code, classes and odd tests among them; all of them do, on Debian 11 and 12."""
    env.start_episode(env.dataset[number])
    env.take_action(Action("execute", env.task.gold or ""))
    scores = env.take_action(Action("submit")).scores
    assert scores is not None
    assert scores["exact"].success, scores["exact"].notes
    if number in CRASHING:
        assert "crashes" in scores["paper"].notes[0]


@pytest.mark.parametrize(("number", "name"), [(366, "is_tree_balanced"), (926, "max_height")])
def test_failing_as_the_gold_does_is_right_for_the_paper_only(env: PythonEnv, number: int, name: str) -> None:
    """The tests' set-up needs a class of the gold's, which runs after it: both fail alike."""
    env.start_episode(env.dataset[number])
    env.take_action(Action("execute", f"def {name}(x): pass"))
    scores = env.take_action(Action("submit", name)).scores
    assert scores is not None
    assert (scores["paper"].value, scores["exact"].value) == (1.0, 0.0)
