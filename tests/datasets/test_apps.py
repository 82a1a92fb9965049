"""APPS, read from files in the published form that are made up here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from intercode import datasets
from intercode.datasets.apps import AppsDataset
from intercode.datasets.base import Dataset
from intercode.envs.python import PythonEnv
from intercode.errors import BadData, UnknownName
from intercode.testing.dataset import DatasetContract
from intercode.types import Action

ECHO = {"inputs": ["3\n", "4\n"], "outputs": ["6\n", "8\n"]}
CALL = {"fn_name": "add", "inputs": [[1, 2], [[1], [2]]], "outputs": [3, [[1, 2]]]}
LONG = {"fn_name": "same", "inputs": [[10**5000]], "outputs": [10**5000]}
CLASS = "class Solution:\n    def add(self, one: List[int], other: List[int]):\n        return one + other"


def problem(
    number: int, tests: dict[str, Any] | None, *solutions: str, level: str = "interview", starter: str = ""
) -> str:
    columns = {
        "id": number,
        "question": f"Problem {number}: double it.",
        "solutions": json.dumps(solutions) if solutions else "",
        "input_output": "" if tests is None else _text(tests),
        "difficulty": level,
        "url": "",
        "starter_code": starter,
    }
    return json.dumps(columns)


def _text(tests: dict[str, Any]) -> str:
    """JSON with numbers of any length, which `json` refuses to write."""
    short = json.dumps(tests, default=str) if tests is not LONG else None
    number = "1" + "0" * 5000
    return short or f'{{"fn_name": "same", "inputs": [[{number}]], "outputs": [{number}]}}'


LINES = [
    problem(0, ECHO, "print(2 * int(input()))", "another"),
    problem(1, None, "print()"),
    problem(2, ECHO),
    problem(3, CALL, CLASS, level="introductory", starter="class Solution:\n    def add(self, one, other):"),
    problem(4, LONG, "def same(n):\n    return n", level="competition"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("INTERCODE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("INTERCODE_DATA", str(tmp_path))
    (tmp_path / "apps").mkdir()
    (tmp_path / "apps" / "test.jsonl").write_text("\n".join(LINES) + "\n")
    (tmp_path / "apps" / "train.jsonl").write_text(LINES[0] + "\n")
    return tmp_path / "apps"


class TestContract(DatasetContract):
    @pytest.fixture
    def dataset(self, folder: Path) -> Dataset:
        return AppsDataset()


def test_problems_with_solutions_and_tests_are_tasks(folder: Path) -> None:
    apps = AppsDataset()
    assert [task.id for task in apps] == ["apps/interview/0", "apps/introductory/3", "apps/competition/4"]
    assert apps[0].gold == "print(2 * int(input()))"
    assert "whole program" in apps[0].query
    assert "def add(self, one, other):" in apps[1].query
    assert [task.id for task in AppsDataset(split="train")] == ["apps/interview/train-0"]
    assert len(datasets.load("apps/interview")) == 1


def test_tests_are_read_when_they_are_wanted(folder: Path) -> None:
    apps = AppsDataset()
    assert dict(apps[1].extra) == CALL
    assert apps[2].extra["outputs"] == [10**5000]
    assert "6\\n" not in (next((folder.parent / "cache" / "datasets").glob("*.json"))).read_text()


def test_what_was_read_is_remembered_until_the_file_changes(folder: Path) -> None:
    first = AppsDataset().checksum
    (folder / "test.jsonl").write_text(LINES[0] + "\n\n")
    assert [task.id for task in AppsDataset()] == ["apps/interview/0"]
    assert AppsDataset().checksum != first


def test_bad_files_are_named_with_their_line(folder: Path) -> None:
    for text in ("{", "[]", '{"id": 1}', problem(1, {"inputs": 5}, "x").replace("question", "q")):
        (folder / "test.jsonl").write_text(f"{LINES[0]}\n{text}\n")
        with pytest.raises(BadData, match=r"test.jsonl: line 2"):
            AppsDataset()
    (folder / "test.jsonl").write_text(LINES[1])
    with pytest.raises(BadData, match="no problem"):
        AppsDataset()
    (folder / "test.jsonl").unlink()
    with pytest.raises(BadData, match="intercode data get apps"):
        AppsDataset()
    with pytest.raises(UnknownName, match="no split"):
        AppsDataset(split="dev")  # type: ignore[arg-type]


@pytest.fixture
def env(folder: Path) -> Iterator[PythonEnv]:
    with PythonEnv(AppsDataset(folder=folder), image="host") as env:
        yield env


def test_every_kind_is_judged(env: PythonEnv, folder: Path) -> None:
    answers = {
        "apps/interview/0": {"print(2 * int(input()))": 1.0, "print(6)": 0.5},
        "apps/introductory/3": {
            CLASS: 1.0,
            "def add(one, other): return (one + other)": 1.0,
            "def add(*a): return 3": 0.5,
        },
        "apps/competition/4": {"same = abs": 1.0, "same = str": 0.0},
    }
    for task in env.dataset:
        for text, value in answers[task.id].items():
            env.begin(task)
            env.play(Action("execute", text))
            scores = env.play(Action("submit")).scores
            assert scores is not None
            assert scores["exact"].value == value, (task.id, text, scores)
            assert scores["paper"].notes == ("the published benchmark has no reward for such tasks",)
