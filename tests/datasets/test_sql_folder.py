"""Databases and tasks of one's own, in one folder."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from intercode import datasets
from intercode.datasets.base import Dataset, Subset
from intercode.datasets.database_folder import DatabaseFolderDataset
from intercode.errors import BadDataError
from intercode.testing.database_dataset import SqlDatasetContract
from intercode.types import Task

TASKS: list[dict[str, object]] = [
    {"query": "How many bikes?", "gold": "SELECT count(*) FROM bikes", "db": "Shop", "difficulty": "easy"},
    {"query": "Sell one.", "gold": "DELETE FROM bikes;SELECT 1", "db": "shop", "id": "sell", "seen": 3},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "tasks.json").write_text(json.dumps(TASKS))
    (folder / "Shop.sql").write_text("CREATE TABLE bikes (id INT);")
    return folder


class TestSqlFolder(SqlDatasetContract):
    @pytest.fixture
    def dataset(self, folder: Path) -> Dataset:
        return DatabaseFolderDataset(folder)


class TestPartOfAFolder(SqlDatasetContract):
    @pytest.fixture
    def dataset(self, folder: Path) -> Dataset:
        (folder / "tasks.json").write_text(json.dumps([{**TASKS[0], "id": "easy/0"}, TASKS[1]]))
        return Subset(DatabaseFolderDataset(folder), "mine/easy")


def test_a_folder_is_a_data_set(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    for spec in (str(folder), "../mine", "."):
        loaded = datasets.load(spec)
        assert isinstance(loaded, DatabaseFolderDataset)
        assert loaded.name == "mine"
    assert datasets.load(str(folder), name="other")[0].id == "other/0"


def test_tasks_are_what_the_file_says(folder: Path) -> None:
    dataset = DatabaseFolderDataset(folder)
    assert list(dataset) == [
        Task("mine/0", "How many bikes?", "SELECT count(*) FROM bikes", "sql", "Shop", "easy", {"db": "Shop"}),
        Task("mine/sell", "Sell one.", "DELETE FROM bikes;SELECT 1", "sql", "shop", "", {"db": "shop", "seen": 3}),
    ]
    assert [dataset.database(task) for task in dataset] == ["shop", "shop"]
    assert dataset.default_scoring == "exact"
    assert dataset.checksum == sha256((folder / "tasks.json").read_bytes()).hexdigest()


def test_columns_may_have_other_names(folder: Path) -> None:
    (folder / "tasks.json").unlink()
    (folder / "tasks.csv").write_text("question,answer,category\nHow many?,SELECT 1,count\n")
    (task,) = DatabaseFolderDataset(folder, query="question", gold="answer")
    assert (task.query, task.gold, task.category) == ("How many?", "SELECT 1", "count")


@pytest.mark.parametrize("ending", ["sqlite", "sqlite3", "db"])
def test_sqlite_files_may_lie_in_folders_of_their_own(folder: Path, ending: str) -> None:
    (folder / "Shop.sql").unlink()
    (folder / "shop").mkdir()
    (folder / "shop" / f"shop.{ending}").touch()
    dataset = DatabaseFolderDataset(folder)
    assert (dataset.source(dataset[0]).path, dataset.source(dataset[0]).kind) == (folder, "sqlite")


def test_where_there_is_one_database_tasks_need_not_name_it(folder: Path) -> None:
    (folder / "tasks.json").write_text('[{"query": "a", "gold": "SELECT 1"}]')
    dataset = DatabaseFolderDataset(folder)
    assert dataset.database(dataset[0]) == "shop"
    (folder / "more.sql.gz").touch()
    with pytest.raises(BadDataError, match=r"tasks\.json: record 0, field 'db': expected the name of a database"):
        DatabaseFolderDataset(folder)


def test_a_folder_without_databases_or_with_two_kinds_is_refused(folder: Path) -> None:
    (folder / "a.sqlite").touch()
    with pytest.raises(BadDataError, match=r"mine: expected databases, .* both are in it: put them into two folders"):
        DatabaseFolderDataset(folder)
    (folder / "a.sqlite").unlink()
    (folder / "Shop.sql").unlink()
    with pytest.raises(BadDataError, match=r"mine: expected databases, .* there are none in it"):
        DatabaseFolderDataset(folder)


def test_a_folder_has_one_file_of_tasks(folder: Path) -> None:
    (folder / "tasks.csv").touch()
    with pytest.raises(
        BadDataError, match=r"mine: expected one file of tasks, .*; there are tasks\.json and tasks\.csv"
    ):
        DatabaseFolderDataset(folder)
    for path in folder.glob("tasks.*"):
        path.unlink()
    (folder / "tasks.pickle").touch()
    with pytest.raises(BadDataError, match=r"expected one file of tasks, called tasks\.json or .*; there is none"):
        datasets.load(str(folder))


@pytest.mark.parametrize("name", [3, "", None, ["shop"]])
def test_a_name_of_no_database_is_refused(folder: Path, name: object) -> None:
    (folder / "tasks.json").write_text(json.dumps([{"query": "a", "gold": "b", "db": name}]))
    with pytest.raises(BadDataError, match="record 0, field 'db'"):
        DatabaseFolderDataset(folder)
