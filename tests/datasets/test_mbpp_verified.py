"""The verified MBPP: what its change list says, and that its tests hold for its golds."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from intercode.datasets.base import Dataset
from intercode.datasets.mbpp.dataset import MbppDataset
from intercode.datasets.mbpp.verified import FOLDER, MbppVerifiedDataset
from intercode.datasets.verified import changes_in
from intercode.testing.dataset import DatasetContract
from intercode.types import Action, Task
from intercode.worlds.python import PythonEnv
from intercode.worlds.python.hidden_tests import hidden_tests
from intercode_generate.draw import Draw
from intercode_sandbox import images
from intercode_sandbox.sandbox import Sandbox

PUBLISHED, LEFT_OUT_AT_MOST, LONGEST_REASON = 974, 24, 300

CHANGES = changes_in(FOLDER)

KEPT = [change for change in CHANGES.values() if not change.left_out]

SAMPLE = Draw("sample").sample([change.id for change in KEPT], 12)


def call_and_value(test: str) -> tuple[ast.Call, ast.expr]:
    """The parts of `assert call == value`."""
    statement = ast.parse(test).body[0]
    assert isinstance(statement, ast.Assert)
    assert isinstance(statement.test, ast.Compare)
    assert isinstance(statement.test.left, ast.Call)
    return statement.test.left, statement.test.comparators[0]


def test_every_task_has_a_line_and_few_are_left_out() -> None:
    assert sorted(CHANGES, key=int) == list(CHANGES) == [str(number) for number in range(PUBLISHED)]
    assert PUBLISHED - len(KEPT) <= LEFT_OUT_AT_MOST
    assert all(0 < len(change.reason) <= LONGEST_REASON for change in CHANGES.values())


def test_what_we_say_of_a_request_is_in_sentences() -> None:
    said = [text for change in KEPT for text in (change.note, change.query) if text]
    assert len(said) >= 250
    assert all(text.endswith(".") for text in said)


def test_a_gold_of_ours_has_a_reason_and_defines_the_function_that_the_tests_call() -> None:
    mended = [change for change in KEPT if change.golds]
    assert len(mended) >= 20
    for change in mended:
        assert "gold" in change.reason
        (name,) = {call_and_value(test)[0].func.id for test in change.tests}  # type: ignore[attr-defined]
        assert f"def {name}(" in change.golds[0]


def test_tests_of_ours_compare_a_call_with_a_plain_value() -> None:
    for change in KEPT:
        assert len(set(change.tests)) == len(change.tests) <= 10
        for test in change.tests:
            call, value = call_and_value(test)
            assert isinstance(call.func, ast.Name)
            assert ast.unparse(value) == "set()" or repr(ast.literal_eval(value)), change.id


def test_nearly_all_tasks_have_tests_of_ours() -> None:
    assert sum(len(change.tests) >= 3 for change in KEPT) >= 940


class TestVerifiedMbpp(DatasetContract):
    """It is a data set like others."""

    @pytest.fixture
    def dataset(self, published: Path) -> Dataset:
        return MbppVerifiedDataset()


def test_requests_show_examples_and_the_published_words_stay_beside_them(published: Path) -> None:
    whole, verified = MbppDataset(), MbppVerifiedDataset()
    assert len(verified) >= PUBLISHED - LEFT_OUT_AT_MOST
    for task in verified:
        before = whole.find(task.id.partition("/")[2])
        assert task.extra["published_query"] == before.query
        name = hidden_tests(task).function
        assert f"{name}(" in task.query.partition("\n\nFor example:\n")[2]


def test_hidden_tests_are_none_of_the_examples_and_expect_more_than_one_value(published: Path) -> None:
    for task in MbppVerifiedDataset():
        ours = CHANGES[task.id.partition("/")[2]].tests
        tests = hidden_tests(task).tests
        shown = {test.calls for test in tests[: len(tests) - len(ours)]}
        assert not shown & {test.calls for test in tests[len(tests) - len(ours) :]}, task.id
        assert len({test.check for test in tests}) > 1, task.id


@pytest.mark.parametrize("id", SAMPLE)
def test_golds_are_paid_in_fresh_sessions_and_nothing_is_not(id: str, sandbox: Sandbox, published: Path) -> None:
    dataset = MbppVerifiedDataset()
    task = dataset.find(id)
    with PythonEnv(dataset, sandbox=sandbox, image=images.find("host"), scoring="exact") as env:
        assert [score(env, task, text) for text in (task.gold or "", task.gold or "", "pass")] == [1.0, 1.0, 0.0]


def score(env: PythonEnv, task: Task, text: str) -> float:
    """What *text* earns in an episode of its own."""
    env.start_episode(task)
    env.take_action(Action("execute", text))
    scores = env.judge()
    assert scores is not None
    return scores["exact"].value
