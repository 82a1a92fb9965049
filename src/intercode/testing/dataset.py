"""The contract of a data set: subclass it, give one fixture, inherit the tests."""

from __future__ import annotations

import pytest

from intercode.datasets.base import Dataset
from intercode.errors import UnknownNameError
from intercode.types import SCORINGS, TaskView
from intercode_sandbox.images import Image


class DatasetContract:
    """What every data set keeps to. Give a fixture `dataset`."""

    @pytest.fixture
    def dataset(self) -> Dataset:
        """Provide the data set to examine."""
        raise NotImplementedError("give a fixture called `dataset`")

    def test_it_has_tasks(self, dataset: Dataset) -> None:
        """An empty data set is refused when it is made."""
        assert len(dataset) >= 1

    def test_ids_are_unique_and_begin_with_its_name(self, dataset: Dataset) -> None:
        """So ids of several data sets never meet."""
        ids = [task.id for task in dataset]
        assert len(set(ids)) == len(ids)
        assert all(id.startswith(f"{dataset.name}/") and len(id) > len(dataset.name) + 1 for id in ids)

    def test_iterating_is_indexing(self, dataset: Dataset) -> None:
        """Both give the same tasks, every time."""
        indexed = [dataset[index] for index in range(len(dataset))]
        assert list(dataset) == indexed
        assert list(dataset) == indexed

    def test_a_task_is_found_by_id_short_id_and_index(self, dataset: Dataset) -> None:
        """All three lead to the same task; an index counts from 0."""
        for index, task in enumerate(dataset):
            assert dataset.find(task.id) == task
            assert dataset.find(task.id.removeprefix(f"{dataset.name}/")) == task
            assert dataset.find(index) == task

    def test_there_is_nothing_beyond_the_end(self, dataset: Dataset) -> None:
        """An index too far is an IndexError; asked for by name it is an UnknownNameError, and so is a negative one."""
        with pytest.raises(IndexError):
            dataset[len(dataset)]
        for name in (len(dataset), -1, "no such task", ""):
            with pytest.raises(UnknownNameError):
                dataset.find(name)

    def test_queries_say_something(self, dataset: Dataset) -> None:
        """A request is text that is not blank and can be stored; a gold, where there is one, and each other too."""
        for task in dataset:
            assert task.gold is not None or not task.alternative_golds, f"{task.id} has alternatives to no gold"
            for text in (task.query, *task.golds):
                assert text.strip(), f"{task.id} has a blank query or gold"
                assert "\0" not in text
                text.encode()

    def test_a_view_holds_no_gold(self, dataset: Dataset) -> None:
        """What reaches an agent is a TaskView, and the gold stands in none of its fields."""
        for task in dataset:
            view = task.view()
            assert type(view) is TaskView
            shown = (view.id, view.query, view.world, view.category, view.difficulty)
            assert not set(task.golds) & set(shown), f"{task.id} shows a gold"

    def test_the_checksum_is_stable(self, dataset: Dataset) -> None:
        """A run's manifest tells by it whether two runs were asked the same."""
        first = dataset.checksum
        list(dataset)
        assert first == dataset.checksum
        assert len(bytes.fromhex(first)) >= 8

    def test_its_defaults_exist(self, dataset: Dataset) -> None:
        """World, scoring and image are what tasks are played with unless somebody says otherwise."""
        assert all(task.world == dataset.world for task in dataset)
        assert dataset.default_scoring in SCORINGS
        assert dataset.default_image

    def test_the_image_of_a_task_is_the_same_object_every_time(self, dataset: Dataset) -> None:
        """What is built for an image is found again by it; making one builds nothing."""
        base = Image("base", ())
        for task in dataset:
            assert dataset.image(task, base) is dataset.image(task, base)

    def test_splits_are_parts_of_the_same_world(self, dataset: Dataset) -> None:
        """Each has tasks, and none is in two of them."""
        seen: set[str] = set()
        for part in dataset.splits.values():
            ids = {task.id for task in part}
            assert part.world == dataset.world
            assert ids
            assert not ids & seen
            seen |= ids
