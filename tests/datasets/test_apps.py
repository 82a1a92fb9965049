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
from intercode.errors import BadDataError, UnknownNameError
from intercode.testing.dataset import DatasetContract
from intercode.types import Action
from intercode.worlds.python import PythonEnv

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


KEYS = {"fn_name": "most", "inputs": [[{"1": 5, "-2": 7}]], "outputs": [{"-2": 7}]}
LISTS = {"inputs": [["2", "1 2", ""], ["1", "5"]], "outputs": [["3"], ["5", ""]]}

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


def test_its_splits_are_the_files_that_are_there(folder: Path) -> None:
    for apps in (AppsDataset(), AppsDataset(split="train")):
        assert {name: len(part) for name, part in apps.splits.items()} == {"train": 1, "test": 3}
        assert apps.splits[apps.split] is apps
    (folder / "train.jsonl").unlink()
    assert list(AppsDataset().splits) == ["test"]
    with pytest.raises(KeyError):
        AppsDataset().splits["validation"]


def test_problems_with_solutions_and_tests_are_tasks(folder: Path) -> None:
    apps = AppsDataset()
    assert [task.id for task in apps] == ["apps/interview/0", "apps/introductory/3", "apps/competition/4"]
    assert apps[0].gold == "print(2 * int(input()))"
    assert "whole program" in apps[0].query
    assert "def add(self, one, other):" in apps[1].query
    assert [task.id for task in AppsDataset(split="train")] == ["apps/interview/train-0"]
    assert len(datasets.load("apps/interview")) == 1


def test_what_cannot_be_judged_is_left_out(folder: Path) -> None:
    """No tests, tests that are empty, null or cut short; the same of solutions. None of them spoils the rest."""
    odd: list[dict[str, object]] = [
        {"input_output": None},
        {"input_output": "{}"},
        {"input_output": '{"inputs": [], "outputs": []}'},
        {"input_output": '{"inputs": ["1", "2"], "outputs": ["1"]}'},
        {"solutions": None},
        {"solutions": "[]"},
    ]
    whole: dict[str, object] = json.loads(LINES[0])
    lines = [whole, *({**whole, **columns} for columns in odd)]
    lines += [{name: value for name, value in whole.items() if name != left} for left in ("input_output", "solutions")]
    (folder / "test.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert [task.id for task in AppsDataset()] == ["apps/interview/0"]


def test_the_number_has_two_names(folder: Path) -> None:
    """`id` in the file, `problem_id` where a library has read it and written it again; and starter code may be null."""
    line = json.loads(LINES[3])
    line = {"problem_id": line.pop("id"), **line, "starter_code": None}
    (folder / "test.jsonl").write_text(json.dumps(line))
    (task,) = AppsDataset()
    assert task.id == "apps/introductory/3"
    assert task.query.endswith("Hand in a function called add.")


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
        with pytest.raises(BadDataError, match=r"test.jsonl: line 2"):
            AppsDataset()
    (folder / "test.jsonl").write_text(LINES[1])
    with pytest.raises(BadDataError, match="no problem"):
        AppsDataset()
    (folder / "test.jsonl").unlink()
    with pytest.raises(BadDataError, match="intercode data get apps"):
        AppsDataset()
    with pytest.raises(UnknownNameError, match="no split"):
        AppsDataset(split="dev")  # type: ignore[arg-type]


FILES = {"question": "question.txt", "solutions": "solutions.json", "input_output": "input_output.json"}


@pytest.fixture
def unpacked(folder: Path) -> Path:
    """The same problems as `APPS.tar.gz` has them: in folders, without the files that would be empty."""
    for line in (folder / "test.jsonl").read_text().splitlines():
        columns = json.loads(line)
        problem = folder / "APPS" / "test" / f"{columns['id']:04}"
        problem.mkdir(parents=True)
        for name, file in {**FILES, "starter_code": "starter_code.py"}.items():
            if columns[name]:
                (problem / file).write_text(columns[name])
        (problem / "metadata.json").write_text(json.dumps({"difficulty": columns["difficulty"], "url": ""}))
    return folder / "APPS"


def test_problems_in_folders_of_their_own_are_the_same_tasks(unpacked: Path) -> None:
    apart, together = AppsDataset(folder=unpacked), AppsDataset()
    for one, other in zip(apart, together, strict=True):
        assert (one.id, one.query, one.gold, one.difficulty) == (other.id, other.query, other.gold, other.difficulty)
        assert dict(one.extra) == dict(other.extra)
    assert apart.checksum == AppsDataset(folder=unpacked).checksum


def test_what_was_read_in_folders_is_remembered_until_one_changes(unpacked: Path) -> None:
    before = AppsDataset(folder=unpacked)
    (unpacked / "test" / "0003" / "question.txt").write_text("Add, and more.")
    after = AppsDataset(folder=unpacked)
    assert after[1].query.startswith("Add, and more.")
    assert after.checksum != before.checksum


def test_bad_problems_in_folders_are_named(unpacked: Path) -> None:
    place = unpacked / "test" / "0004"
    for name, text in (("solutions.json", "["), ("metadata.json", "{}"), ("question.txt", b"\xff")):
        good = (place / name).read_bytes()
        (place / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises(BadDataError, match=r"test/0004 is not a problem in the published format"):
            AppsDataset(folder=unpacked)
        (place / name).write_bytes(good)


@pytest.fixture
def env(folder: Path) -> Iterator[PythonEnv]:
    with PythonEnv(AppsDataset(folder=folder), image="host") as env:
        yield env


@pytest.mark.parametrize(
    ("tests", "answers"),
    [
        (KEYS, {"def most(d): return {k: d[k] for k in d if k < 0}": 1.0, "def most(d): return {'-2': 7}": 1.0}),
        (LISTS, {"input(); print(sum(map(int, input().split())))": 1.0, "print(3)": 0.5}),
        (
            {"fn_name": "f", "inputs": [["a"], [""]], "outputs": [["a"], [""]]},
            {"f = str": 1.0, "def f(s): return [s]": 1.0},
        ),
        ({"fn_name": "f", "inputs": [[]], "outputs": [[[1, 2]]]}, {"def f(): return (1, 2)": 1.0}),
        ({"fn_name": "f", "inputs": [[[3, 1]]], "outputs": [[[1]]]}, {"def f(n): return nsmallest(1, n)": 1.0}),
        ({"inputs": [""], "outputs": ["0.333333333\n"]}, {"print(1 / 3)": 1.0, "print('0.3')": 0.0}),
    ],
)
def test_odd_tests_are_judged_as_they_are_meant(folder: Path, tests: dict[str, Any], answers: dict[str, float]) -> None:
    """Keys that JSON made texts of, inputs in lines, outputs in one more list, texts, nothing at all, rounding."""
    (folder / "test.jsonl").write_text(problem(7, tests, "gold"))
    with PythonEnv(AppsDataset(folder=folder), image="host") as env:
        for text, value in answers.items():
            env.start_episode(env.dataset[0])
            env.take_action(Action("execute", text))
            scores = env.take_action(Action("submit")).scores
            assert scores is not None
            assert scores["exact"].value == value, (text, scores)


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
            env.start_episode(task)
            env.take_action(Action("execute", text))
            scores = env.take_action(Action("submit")).scores
            assert scores is not None
            assert scores["exact"].value == value, (task.id, text, scores)
            assert scores["paper"].notes == ("the published benchmark has no reward for such tasks",)
