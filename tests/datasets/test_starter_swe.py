"""The software engineering starter set keeps the contract; that its golds score is tested where it is played."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from intercode.agents.scripted import SCRIPTS
from intercode.datasets.base import Dataset
from intercode.datasets.repositories import TestSpec
from intercode.datasets.repositories.patch_text import changed_paths
from intercode.testing.repository_dataset import RepositoryDatasetContract
from intercode.types import Action
from intercode.worlds.swe import SweEnv
from intercode.worlds.swe.datasets.starter_swe import StarterSweDataset
from intercode_sandbox import images
from intercode_sandbox.embedded import EmbeddedSandbox

MOVES = json.loads((SCRIPTS / "starter_swe.json").read_text(encoding="utf-8"))["moves"]

ENDS_WRONG = {"starter-swe/deep-patterns", "starter-swe/leaking-loops", "starter-swe/quoted-fields"}
"""The tasks that the script fails on purpose, so that a table of results has something to show."""


FIXES: dict[str, str] = tomllib.loads(
    (Path(__file__).parent / "solutions" / "starter_swe.toml").read_text(encoding="utf-8")
)


class TestContract(RepositoryDatasetContract):
    @pytest.fixture
    def dataset(self) -> Dataset:
        return StarterSweDataset()


def test_there_are_tasks_for_both_runners_and_of_every_difficulty() -> None:
    tasks = list(StarterSweDataset())
    assert len(tasks) >= 6
    assert {task.extra["suite"].runner for task in tasks} == {"pytest", "unittest"}
    assert {task.difficulty for task in tasks} == {"easy", "medium", "hard"}


def test_golds_mend_and_hidden_tests_test() -> None:
    """A fix changes no file that the exam keeps, the tests change no other, and each task says what has to go on."""
    for task in StarterSweDataset():
        spec = TestSpec.of(task)
        assert changed_paths(spec.patch)
        assert not any(spec.keeps(path) for path in changed_paths(spec.patch)), task.id
        assert all(spec.keeps(path) for path in changed_paths(spec.test_patch)), task.id
        assert spec.fail_to_pass
        assert spec.pass_to_pass
        assert not set(spec.fail_to_pass) & set(spec.pass_to_pass)


def test_a_repository_is_the_same_wherever_it_is_made(
    tmp_path: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Down to the commit's name, and with nothing left to do for git."""
    dataset, heads = StarterSweDataset(), set()
    task = dataset.find("lost-cents")
    for number in range(2):
        monkeypatch.setenv("INTERCODE_CACHE", f"{tmp_path}/{number}")
        with EmbeddedSandbox() as sandbox, sandbox.start(dataset.image(task, images.find("host"))) as session:
            heads.add(session.run(["git", "-C", "/testbed", "rev-parse", "HEAD"]).text)
            before = session.changes()
            assert session.run(["git", "-C", "/testbed", "status", "--short"]).text == ""
            assert session.changes() == before, "the index holds as it is"
            assert session.run(
                ["git", "-C", "/testbed", "log", "--format=%an %ad", "--date=short"]
            ).text.splitlines() == [
                "intercode 2023-12-31",
                "intercode 2023-12-30",
            ]
    assert len(heads) == 1


def test_the_scripts_moves_end_as_meant() -> None:
    assert MOVES.keys() == {task.id for task in StarterSweDataset()}
    with SweEnv() as env:
        for task in env.dataset:
            env.start_episode(task)
            turns = [env.take_action(Action.parse(move)) for move in MOVES[task.id]]
            assert turns[-1].scores is not None
            assert turns[-1].scores["exact"].success == (task.id not in ENDS_WRONG), task.id


@pytest.mark.parametrize("name", FIXES)
def test_another_way_to_fix_it_scores_1(name: str) -> None:
    """None of the hidden tests asks for the gold's own way."""
    with SweEnv() as env:
        env.start_episode(env.dataset.find(name))
        shown = env.take_action(Action("execute", FIXES[name])).observation.text
        scores = env.take_action(Action("submit")).scores
        assert scores is not None
        assert scores["exact"].success, (shown, scores["exact"])


def test_every_task_has_another_way() -> None:
    assert {f"starter-swe/{name}" for name in FIXES} == {task.id for task in StarterSweDataset()}
