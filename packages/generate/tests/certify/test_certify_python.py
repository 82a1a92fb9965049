"""Certificates of Python tasks by the real sandbox: good tasks pass, and each fault that a task can have is found."""

from __future__ import annotations

import json

import pytest

from intercode.datasets import load
from intercode.runs.settings import Settings
from intercode_generate.certify.run import certify
from intercode_generate.certify.verdict import Certificate, kind_of

GOOD: dict[str, object] = {
    "query": "Write a function `turned(values)` that returns a list in reverse.",
    "gold": "def turned(values):\n    return values[::-1]\n",
    "tests": ["assert turned([]) == []", "assert turned([1, 2]) == [2, 1]", "assert turned([3, 1, 2]) == [2, 1, 3]"],
}
SECOND = "def turned(values):\n    return list(reversed(values))\n"
NEAR = "def turned(values):\n    return sorted(values)[::-1]\n"
REMEMBERS = "def turned(values, kept=[]):\n    kept.extend(values[::-1])\n    return list(kept)\n"
COUNTS = (
    "import itertools\ncount = itertools.count()\ndef turned(values):\n    return 0 if next(count) else values[::-1]\n"
)
IN_TURN = "answers = iter([[], [2, 1], [2, 1, 3]])\ndef turned(values):\n    return next(answers)\n"
"""Code that remembers its calls: each test calls it for the first time."""

TASKS: dict[str, dict[str, object]] = {
    "good": {**GOOD, "second_gold": SECOND, "near_misses": [NEAR]},
    "wrong": {**GOOD, "query": "Turn with `turned(values)`.", "gold": "def turned(values):\n    return values\n"},
    "other": {**GOOD, "query": "Turn by `turned(values)`.", "second_gold": NEAR},
    "loose": {**GOOD, "query": "Turn it by `turned(values)`.", "near_misses": [SECOND]},
    "remembers": {**GOOD, "query": "Turn with care by `turned(values)`.", "near_misses": [REMEMBERS]},
    "counts": {**GOOD, "query": "Turn once by `turned(values)`.", "near_misses": [COUNTS]},
    "in turn": {**GOOD, "query": "Turn in turn by `turned(values)`.", "second_gold": IN_TURN},
    "paid": {
        "query": "Write a function `empty(values)` that is true for any list.",
        "gold": "def empty(values):\n    return True\n",
        "tests": ["assert empty([])", "assert empty([1])"],
    },
    "twice": {**GOOD},
}


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    path = tmp_path_factory.mktemp("certify") / "tasks.jsonl"
    path.write_text("".join(json.dumps({"id": name, **task}) + "\n" for name, task in TASKS.items()))
    return Settings(str(path), dataset_options={"world": "python"})


@pytest.fixture(scope="module")
def found(settings: Settings) -> Certificate:
    return certify(settings, parallel=2)


def test_what_is_as_it_should_be_is_certified(found: Certificate) -> None:
    assert [verdict.task for verdict in found.certified] == ["tasks/good"]


@pytest.mark.parametrize(
    ("task", "kind"),
    [
        ("wrong", "gold"),
        ("other", "second gold"),
        ("loose", "near miss"),
        ("remembers", "near miss"),
        ("counts", "near miss"),
        ("in turn", "second gold"),
        ("paid", "adversary"),
        ("twice", "repeated text"),
    ],
)
def test_each_fault_is_told_by_its_kind(found: Certificate, task: str, kind: str) -> None:
    (verdict,) = (each for each in found.verdicts if each.task == f"tasks/{task}")
    assert kind_of(verdict) == kind


def test_all_adversaries_played(found: Certificate) -> None:
    (verdict,) = (each for each in found.verdicts if each.task == "tasks/good")
    assert verdict.attempts > 50


def test_a_generated_function_and_a_generated_class_are_certified() -> None:
    """Classes are judged by what their objects answer, through a function that only the tests have."""
    options = {"count": 40, "seed": 2}
    tasks = list(load("generated-python", **options))
    chosen = [
        next(task.id for task in tasks if ("test_setup_code" in task.extra) == is_class) for is_class in (True, False)
    ]
    found = certify(Settings("generated-python", dataset_options=options, tasks=tuple(chosen)), parallel=2)
    assert len(found.verdicts) == 2
    assert found.certified == list(found.verdicts)
