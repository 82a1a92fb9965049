"""The contract of repositories notices data sets that are broken on purpose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from intercode.datasets.base import Dataset
from intercode.datasets.repositories import TestSuite, gold_command
from intercode.testing.repository_dataset import RepositoryDatasetContract
from intercode.types import Task
from intercode_sandbox.images import Image
from intercode_sandbox.images.files_layer import FilesLayer

FIX = "--- a/core.py\n+++ b/core.py\n@@ -1 +1 @@\n-a\n+b\n"
TESTS = FIX.replace("core.py", "tests/test_core.py")


class Sound(Dataset):
    name = "sound"
    world = "swe"
    extra: dict[str, Any] = {}
    query = "It is a, and should be b."

    def __init__(self) -> None:
        usual = {
            "patch": FIX,
            "test_patch": TESTS,
            "FAIL_TO_PASS": ("tests/test_core.py::test_b",),
            "PASS_TO_PASS": ("tests/test_core.py::test_a",),
            "suite": TestSuite(),
        }
        extra = {**usual, **self.extra}
        self.tasks = [Task("sound/0", self.query, gold_command(extra["patch"]), self.world, extra=extra)]
        self.images: dict[str, Image] = {}

    def __len__(self) -> int:
        return len(self.tasks)

    def __getitem__(self, index: int) -> Task:
        return self.tasks[index]

    def image(self, task: Task, base: Image) -> Image:
        return self.images.setdefault(base.digest, base.with_layers(FilesLayer({"testbed/core.py": "a\n"})))


class Elsewhere(Sound):
    world = "bash"


class NothingToMend(Sound):
    extra = {"FAIL_TO_PASS": ()}


class OnBothSides(Sound):
    extra = {"PASS_TO_PASS": ("tests/test_core.py::test_b",)}


class NowhereTested(Sound):
    extra = {"FAIL_TO_PASS": ("test_b",), "PASS_TO_PASS": (), "test_patch": ""}


class MendsTests(Sound):
    extra = {"patch": TESTS}


class Unhidden(Sound):
    def __getitem__(self, index: int) -> Task:
        task = self.tasks[index]
        return Task(task.id, f"{task.query}\n{TESTS}", task.gold, task.world, extra=task.extra)


class Bare(Sound):
    def image(self, task: Task, base: Image) -> Image:
        return base


CONTRACT = RepositoryDatasetContract()

FAULTS: list[tuple[type[Sound], Callable[[Dataset], None]]] = [
    (Elsewhere, CONTRACT.test_its_tasks_are_for_the_software_engineering_world),
    (NothingToMend, CONTRACT.test_every_task_that_is_scored_names_tests_once),
    (OnBothSides, CONTRACT.test_every_task_that_is_scored_names_tests_once),
    (NowhereTested, CONTRACT.test_every_task_that_is_scored_names_tests_once),
    (MendsTests, CONTRACT.test_golds_change_what_is_the_agents),
    (Unhidden, CONTRACT.test_nothing_hidden_is_in_the_query),
    (Bare, CONTRACT.test_every_task_has_a_repository_on_top_of_the_image),
]


@pytest.mark.parametrize(("broken", "test"), FAULTS, ids=[broken.__name__ for broken, _ in FAULTS])
def test_a_broken_data_set_fails_the_test_that_is_about_it(
    broken: type[Sound], test: Callable[[Dataset], None]
) -> None:
    with pytest.raises(AssertionError):
        test(broken())


def test_every_test_of_the_contract_has_a_data_set_that_fails_it() -> None:
    proven = {test.__name__ for _, test in FAULTS}
    assert proven == {name for name in vars(RepositoryDatasetContract) if name.startswith("test_")}


class TestSound(RepositoryDatasetContract):
    """A data set without faults passes."""

    @pytest.fixture
    def dataset(self) -> Dataset:
        return Sound()
