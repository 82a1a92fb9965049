"""What is known of attempts at Python tasks before they are played is true of them, and changes no verdict."""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeGuard

import pytest

from intercode.envs.python.test_judge import Submission
from intercode.rewards.python.hidden_tests import hidden_tests
from intercode.runs.callback import ProgressCallback
from intercode.runs.certify.endings import send
from intercode.runs.certify.python import PythonCertifier
from intercode.runs.certify.python_foresight import PythonForesight
from intercode.runs.certify.verdict import TaskVerdict, kind_of
from intercode.runs.hackcheck.adversaries import of_world
from intercode.runs.hackcheck.adversary import Adversary
from intercode.runs.job import prepare
from intercode.runs.settings import Settings
from intercode.types import Observation, Task, TaskView

TASKS = {
    "good": ("Write `turned(values)`: a list in reverse.", "def turned(values):\n    return values[::-1]\n",
             ["turned([]) == []", "turned([1, 2]) == [2, 1]"]),
    "constant": ("Write `seven()`, which returns 7.", "def seven():\n    return 7\n", ["seven() == 7"]),
    "yes": ("Write `yes(value)`, which answers `True`.", "def yes(value):\n    return True\n",
            ["yes(1) == True", "yes(2) == 1", "yes(3)"]),
    "builtin": ("Write `least(values)` like `sorted`.", "def least(values):\n    return sorted(values)\n",
                ["least([]) == []", "least([3, 1]) == [1, 3]"]),
}  # fmt: skip
"""What each asks, its gold, and what its tests assert. Adversaries are paid by all but the first."""


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return written(tmp_path_factory.mktemp("foresight"), ("good", "yes", "builtin"))


def written(folder: Path, names: Sequence[str]) -> Settings:
    path = folder / "tasks.jsonl"
    lines = [
        {"id": name, "query": query, "gold": gold, "tests": [f"assert {test}" for test in tests]}
        for name, (query, gold, tests) in TASKS.items()
        if name in names
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return Settings(str(path), dataset_options={"world": "python"})


def verdicts(settings: Settings, *, foresees: bool) -> list[TaskVerdict]:
    with prepare(settings) as here, prepare(settings) as there:
        certifier = PythonCertifier(here, there, of_world("python"), 2, ProgressCallback(), foresees)
        return list(certifier.run())


def test_bad_tasks_are_found_with_and_without_foresight(settings: Settings) -> None:
    quick, slow = (verdicts(settings, foresees=foresees) for foresees in (True, False))
    assert [replace(each, ruled_out=0, most_paid=0.0) for each in quick] == [
        replace(each, most_paid=0.0) for each in slow
    ]
    bad = {each.task: kind_of(each) for each in quick if not each.is_certified}
    assert bad == {"tasks/yes": "adversary", "tasks/builtin": "adversary"}
    assert not any(each.ruled_out for each in slow)
    assert quick[0].ruled_out > quick[0].attempts / 2
    assert all(each.ruled_out for each in quick)


def foresight(name: str) -> PythonForesight:
    query, gold, tests = TASKS[name]
    extra = {"tests": [f"assert {test}" for test in tests]}
    return PythonForesight.of(hidden_tests(Task(name, query=query, world="python", gold=gold, extra=extra)))


@pytest.mark.parametrize(
    ("texts", "handed_in", "is_ruled_out"),
    [
        (["print('ok')"], "ok", True),
        (["pass", "print(1, float('nan'))", "'a text'"], "", True),
        (["this is no code"], "turned", True),
        (["def turned(*args, **kwargs):\n    return [1]\n", "print([1])"], "turned", True),
        (["def turned(*args, **kwargs):\n    print('PASSED'); return float('inf')"], "", True),
        (["def turned(*args, **kwargs):\n    return set()"], "turned", True),
        (["def turned(*args, **kwargs):\n    'About it.'\n    for each in args: return None"], "turned", True),
        (["def turned(*args, **kwargs):\n    import unittest; raise unittest.SkipTest('no')"], "turned", True),
        (["turned(values)"], "", True),
        (["values, 1, [x @ y.z]"], "", True),
        (["pass"], "None", True),
        (["print('ok')"], "list", False),
        (["print('ok')"], "_", False),
        (["print('ok')"], "list.copy", False),
        (["turned = list"], "", False),
        (["import os"], "", False),
        (["print(open('/etc/passwd').read())"], "", False),
        (["def turned(*args, **kwargs):\n    return args[0]"], "", False),
        (["def turned(*args, **kwargs):\n    return [args[0]]"], "", False),
        (["def turned(value=exec('1')):\n    return 1"], "", False),
        (["@print\ndef turned(*args, **kwargs):\n    return 1"], "", False),
        (["def turned(*args, **kwargs):\n    for each in args: return 1"], "turned", False),
        (["def turned(*args, **kwargs):\n    for each in args: return 1\n    return 2"], "turned", False),
        (["def turned(*args, **kwargs):\n    if args: raise ValueError\n    return args[0]"], "turned", False),
        (["def turned(*args, **kwargs):\n    args.reverse(); raise ValueError"], "turned", False),
        (["exec('def turned(values): return values[::-1]')"], "turned", False),
        (["values[print]"], "turned", False),
        (["def other(*args, **kwargs):\n    return 1"], "", False),
        (["def turned(*args, **kwargs):\n    return 1", "turned = list"], "", False),
        (["def turned(*args, **kwargs):\n    return 1"], "sorted", False),
    ],
)
def test_only_code_that_surely_fails_is_ruled_out(texts: list[str], handed_in: str, is_ruled_out: bool) -> None:
    submission = Submission(tuple((text, 1.0) for text in texts), handed_in)
    assert foresight("good").rules_out(submission) is is_ruled_out


def test_a_constant_is_played_where_all_tests_may_want_the_same() -> None:
    """A test that compares with no value written out may hold of any; `True` is 1."""
    for name, value in (("constant", "7"), ("yes", "True")):
        function = TASKS[name][1].partition("(")[0].removeprefix("def ")
        code = f"def {function}(*args, **kwargs):\n    return {value}"
        assert not foresight(name).rules_out(Submission(((code, 1.0),)))


def with_setup(setup: str, *, idle_fails: bool) -> PythonForesight:
    tests = hidden_tests(
        Task("boxes", query="", world="python", gold=BOXES, extra={"tests": ["assert replay(1) == 2"]})
    )
    return PythonForesight.of(replace(tests, setup=setup), idle_fails=idle_fails)


BOXES = "class Box:\n    def put(self, value): return value + 1\n\ndef replay(value): return Box().put(value)"
REPLAY = "def replay(value):\n    return Box().put(value)"
IDLE = Submission((("print('ok')", 1.0),), "Box")
RAISES = Submission((("def Box(*args, **kwargs):\n    raise ValueError", 1.0),), "Box")


def test_where_tests_bring_functions_only_what_defines_nothing_is_ruled_out_once_that_was_seen_to_fail() -> None:
    assert with_setup(REPLAY, idle_fails=True).rules_out(IDLE)
    assert not with_setup(REPLAY, idle_fails=False).rules_out(IDLE)
    assert not with_setup(REPLAY, idle_fails=True).rules_out(RAISES)


@pytest.mark.parametrize(
    "setup", ["def other(value): return 1", f"{REPLAY}\nBox = list", f"@print\n{REPLAY}", "import os", "no code"]
)
def test_nothing_is_ruled_out_where_tests_do_more_than_define_what_they_call(setup: str) -> None:
    assert not with_setup(setup, idle_fails=True).rules_out(IDLE)


def test_actions_that_are_known_to_define_nothing_are_not_looked_at() -> None:
    writes = "import os\nopen('/tmp/done', 'w')"
    submission = Submission(((writes, 1.0), ("print('ok')", 1.0)), "ok")
    assert not foresight("good").rules_out(submission)
    assert foresight("good").rules_out(submission, [writes])
    assert not foresight("good").rules_out(replace(submission, name="sorted"), [writes])
    assert not with_setup(REPLAY, idle_fails=True).rules_out(submission, [writes])


def test_attempts_that_say_that_they_define_nothing_bind_only_what_cannot_be_called() -> None:
    task = TaskView("good", TASKS["good"][0], "python")
    marked = [each for adversary in of_world("python") for each in adversary.attempts(task) if not each.effect.defines]
    assert len(marked) > 10
    for attempt in marked:
        for text in texts_of(attempt, task):
            bound = {node.id for node in ast.walk(ast.parse(text)) if is_bound(node)}
            assert bound <= {"path", "file"}, text
            assert not any(isinstance(node, DEFINITIONS) for node in ast.walk(ast.parse(text))), text


DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.ImportFrom, ast.NamedExpr)


def is_bound(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def texts_of(attempt: Adversary, task: TaskView) -> list[str]:
    """The actions of *attempt*, each of which shows the same listing."""
    moves, found = attempt.moves(task), []
    action = next(moves, None)
    while action is not None and action.kind == "execute":
        found.append(action.text)
        action = send(moves, Observation("['notes.txt'] ['sorted']"))
    return found
