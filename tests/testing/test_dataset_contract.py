"""The contract notices data sets that are broken on purpose: each fails the test that is about its fault."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping

import pytest

from intercode.datasets.base import Dataset
from intercode.testing.dataset import DatasetContract
from intercode.types import Task
from intercode_sandbox.images import Image


class Sound(Dataset):
    name = "sound"

    def __init__(self) -> None:
        self.tasks = [Task(f"{self.name}/{index}", f"Print {index}.", f"echo {index}") for index in range(3)]

    def __len__(self) -> int:
        return len(self.tasks)

    def __getitem__(self, index: int) -> Task:
        return self.tasks[index]


class Empty(Sound):
    def __len__(self) -> int:
        return 0


class Repeating(Sound):
    def __getitem__(self, index: int) -> Task:
        self.tasks[index]
        return self.tasks[0]


class Foreign(Sound):
    name = "foreign"

    def __getitem__(self, index: int) -> Task:
        return Task(f"elsewhere/{index}", "Say hi.")


class Backwards(Sound):
    def __iter__(self) -> Iterator[Task]:
        return reversed(self.tasks)


class Endless(Sound):
    def __getitem__(self, index: int) -> Task:
        return self.tasks[index % 3]


class CountsFromOne(Sound):
    def find(self, name: int | str) -> Task:
        return self.tasks[name - 1] if isinstance(name, int) else super().find(name)


class KnowsEverything(Sound):
    def find(self, name: int | str) -> Task:
        return self.tasks[0] if name == "" else super().find(name)


class Silent(Sound):
    def __getitem__(self, index: int) -> Task:
        return Task(self.tasks[index].id, " \n", "true")


class Blank(Sound):
    def __getitem__(self, index: int) -> Task:
        return Task(self.tasks[index].id, "Say hi.", "")


class Unstorable(Sound):
    def __getitem__(self, index: int) -> Task:
        return Task(self.tasks[index].id, "Say \ud800.")


class Talkative(Sound):
    def __getitem__(self, index: int) -> Task:
        task = self.tasks[index]
        return Task(task.id, task.query, task.gold, category=str(task.gold))


class Drifting(Sound):
    draws = itertools.count()

    @property
    def checksum(self) -> str:
        return f"{next(self.draws):016x}"


class Unsummed(Sound):
    @property
    def checksum(self) -> str:
        return ""


class Worldless(Sound):
    world = "sql"


class Overlapping(Sound):
    @property
    def splits(self) -> Mapping[str, Dataset]:
        return {"train": Sound(), "test": Sound()}


class Wasteful(Sound):
    def image(self, task: Task, base: Image) -> Image:
        return base.with_layers(name=task.id)


CONTRACT = DatasetContract()

FAULTS: list[tuple[type[Sound], Callable[[Dataset], None]]] = [
    (Empty, CONTRACT.test_it_has_tasks),
    (Repeating, CONTRACT.test_ids_are_unique_and_begin_with_its_name),
    (Foreign, CONTRACT.test_ids_are_unique_and_begin_with_its_name),
    (Backwards, CONTRACT.test_iterating_is_indexing),
    (CountsFromOne, CONTRACT.test_a_task_is_found_by_id_short_id_and_index),
    (Endless, CONTRACT.test_there_is_nothing_beyond_the_end),
    (KnowsEverything, CONTRACT.test_there_is_nothing_beyond_the_end),
    (Silent, CONTRACT.test_queries_say_something),
    (Blank, CONTRACT.test_queries_say_something),
    (Unstorable, CONTRACT.test_queries_say_something),
    (Talkative, CONTRACT.test_a_view_holds_no_gold),
    (Drifting, CONTRACT.test_the_checksum_is_stable),
    (Unsummed, CONTRACT.test_the_checksum_is_stable),
    (Worldless, CONTRACT.test_its_defaults_exist),
    (Overlapping, CONTRACT.test_splits_are_parts_of_the_same_world),
    (Wasteful, CONTRACT.test_the_image_of_a_task_is_the_same_object_every_time),
]


@pytest.mark.parametrize(("broken", "test"), FAULTS, ids=[broken.__name__ for broken, _ in FAULTS])
def test_a_broken_data_set_fails_the_test_that_is_about_it(
    broken: type[Sound], test: Callable[[Dataset], None]
) -> None:
    with pytest.raises((AssertionError, UnicodeError, pytest.fail.Exception)):
        test(broken())


def test_every_test_of_the_contract_has_a_data_set_that_fails_it() -> None:
    proven = {test.__name__ for _, test in FAULTS}
    assert proven == {name for name in vars(DatasetContract) if name.startswith("test_")}


class TestSound(DatasetContract):
    """A data set without faults passes."""

    @pytest.fixture
    def dataset(self) -> Dataset:
        return Sound()
