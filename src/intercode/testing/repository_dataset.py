"""The contract of a data set of the software engineering world: its tasks have a repository, and an exam for fixes."""

from __future__ import annotations

from intercode.datasets.base import Dataset
from intercode.datasets.repositories import TestSpec
from intercode.datasets.repositories.patch_text import changed_paths
from intercode.testing.dataset import DatasetContract
from intercode_sandbox.images import Image


class RepositoryDatasetContract(DatasetContract):
    """What every data set of the software engineering world keeps to. Give a fixture `dataset`."""

    def test_its_tasks_are_for_the_software_engineering_world(self, dataset: Dataset) -> None:
        """A world refuses tasks of another."""
        assert dataset.world == "swe"

    def test_every_task_that_is_scored_names_tests_once(self, dataset: Dataset) -> None:
        """Some to mend, perhaps some to keep, and none on both sides."""
        for task in dataset:
            spec = TestSpec.of(task)
            assert task.gold is None or spec.fail_to_pass, f"{task.id} has nothing to mend"
            assert len(set(spec.names)) == len(spec.names), f"{task.id} names a test twice"
            assert task.gold is None or spec.targets, f"{task.id} does not say where its tests are"

    def test_golds_change_what_is_the_agents(self, dataset: Dataset) -> None:
        """A gold of which nothing is left, once the exam's own files are restored, could not score."""
        for task in dataset:
            spec = TestSpec.of(task)
            paths = changed_paths(spec.patch)
            assert task.gold is None or any(not spec.keeps(path) for path in paths), f"{task.id} mends nothing"

    def test_every_task_has_a_repository_on_top_of_the_image(self, dataset: Dataset) -> None:
        """Making the image builds nothing; an image that is not the base alone has layers above it."""
        base = Image("base", ())
        for task in dataset:
            assert dataset.image(task, base).layers, f"{task.id} stands on the bare image"

    def test_nothing_hidden_is_in_the_query(self, dataset: Dataset) -> None:
        """Neither the hidden tests nor the fix."""
        for task in dataset:
            spec = TestSpec.of(task)
            hidden = [patch for patch in (spec.patch, spec.test_patch) if patch]
            assert not any(patch in task.query for patch in hidden), f"{task.id} tells what it should hide"
