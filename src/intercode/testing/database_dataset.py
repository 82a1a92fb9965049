"""The contract of a data set of the SQL world: on top of every data set's, its tasks have databases."""

from __future__ import annotations

from intercode.datasets.base import Dataset
from intercode.testing.dataset import DatasetContract
from intercode.types.databases import DatabaseSource


class SqlDatasetContract(DatasetContract):
    """What every data set of the SQL world keeps to. Give a fixture `dataset`."""

    def test_its_tasks_are_for_the_sql_world(self, dataset: Dataset) -> None:
        """A world refuses tasks of another."""
        assert dataset.world == "sql"

    def test_every_task_names_its_database(self, dataset: Dataset) -> None:
        """In small letters, as MySQL has it whatever the system that its dump came from."""
        for task in dataset:
            name = dataset.database(task)
            assert name.strip(), f"{task.id} names no database"
            assert name == name.lower()

    def test_every_task_has_a_source_that_is_there(self, dataset: Dataset) -> None:
        """The same object for equal ones: what is loaded for it is found again by it."""
        for task in dataset:
            source = dataset.source(task)
            assert isinstance(source, DatabaseSource)
            assert source.path.exists()
            assert dataset.source(task) is source
