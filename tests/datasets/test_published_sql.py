"""Spider, WikiSQL and BIRD as they were published."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from gzip import decompress
from hashlib import sha256
from pathlib import Path

import pytest

from intercode import datasets, registry
from intercode.datasets.base import Dataset
from intercode.datasets.bird import BirdDataset
from intercode.datasets.sources import SOURCES
from intercode.datasets.spider.dataset import SpiderDataset
from intercode.datasets.wikisql import WikiSQLDataset
from intercode.errors import BadDataError, UserError
from intercode.testing.database_dataset import SqlDatasetContract

FILES = {"spider": "ic_spider_dev.json", "wikisql": "ic_wikisql_dev.json", "bird": "ic_bird.json"}

every_one = pytest.mark.parametrize("name", FILES)


@pytest.fixture
def copy(published: Path, tmp_path: Path) -> Path:
    """A copy of the published files, to be broken."""
    for name in FILES:
        shutil.copytree(published / name, tmp_path / name, copy_function=shutil.copyfile)
    return tmp_path


class TestSpider(SqlDatasetContract):
    @pytest.fixture
    def dataset(self, published: Path) -> Dataset:
        return SpiderDataset()


class TestWikiSQL(SqlDatasetContract):
    @pytest.fixture
    def dataset(self, published: Path) -> Dataset:
        return WikiSQLDataset()


class TestBird(SqlDatasetContract):
    @pytest.fixture
    def dataset(self, published: Path, tmp_path: Path) -> Dataset:
        """BIRD's own databases are not published with its tasks: an empty one stands for them."""
        (tmp_path / "toxicology").mkdir()
        (tmp_path / "toxicology" / "toxicology.sqlite").touch()
        return BirdDataset(databases=tmp_path)


@every_one
def test_every_task_stands_where_the_published_file_has_it(published: Path, name: str) -> None:
    """Recordings name tasks by their places."""
    dataset = datasets.load(name)
    records = json.loads((published / name / FILES[name]).read_text())
    assert len(dataset) == len(records)
    for place, (task, record) in enumerate(zip(dataset, records, strict=True)):
        assert task.id == f"{name}/{place}"
        assert (task.query, task.gold, task.category) == (record["query"], record["gold"], record["db"])
        assert task.difficulty == record.get("hardness", record.get("difficulty", ""))
        assert task.extra["db"] == record["db"]
        assert task.extra.get("db_tables") == record.get("db_tables")


@every_one
def test_it_is_found_by_name_and_scored_like_the_paper(published: Path, name: str) -> None:
    dataset = registry.find("datasets", name)()
    assert (dataset.name, dataset.default_scoring, dataset.world) == (name, "paper", "sql")


@every_one
def test_the_checksum_is_of_the_file_of_tasks(published: Path, name: str) -> None:
    assert datasets.load(name).checksum == sha256((published / name / FILES[name]).read_bytes()).hexdigest()


def test_the_figures_are_those_of_the_paper(published: Path) -> None:
    spider, wikisql, bird = SpiderDataset(), WikiSQLDataset(), BirdDataset()
    assert (len(spider), len(wikisql), len(bird)) == (1034, 196, 338)
    hardness = Counter(task.difficulty for task in spider)
    assert hardness == {"easy": 248, "medium": 446, "hard": 174, "extra": 166}
    assert len({spider.database(task) for task in spider}) == 20
    assert {wikisql.database(task) for task in wikisql} == {"dev"}
    assert {bird.database(task) for task in bird} == {"debit_card_specializing", "superhero", "toxicology"}


@pytest.mark.parametrize(
    ("id", "word"), [("0", "Final_Table_Made"), ("301", "T1.Abbreviation"), ("1033", "template_type_code")]
)
def test_known_tasks_are_found_by_their_ids(published: Path, id: str, word: str) -> None:
    task = SpiderDataset().find(id)
    assert task.id == f"spider/{id}"
    assert word in str(task.gold), task.gold


def test_databases_are_named_as_mysql_has_them(published: Path) -> None:
    """`cre_Doc_Template_Mgt` becomes small letters in a MySQL that ignores case, as the benchmark's does."""
    dataset = SpiderDataset()
    task = next(task for task in dataset if task.category == "cre_Doc_Template_Mgt")
    assert dataset.database(task) == "cre_doc_template_mgt"


@pytest.mark.parametrize("name", ["spider", "wikisql"])
def test_a_dump_is_the_published_one_packed_or_not(copy: Path, name: str) -> None:
    """What is pinned is the dump itself; a packed one serves as well, and saves fetching it."""
    folder, (_, pinned) = copy / name, SOURCES[name].files
    packed = folder / pinned.instead
    assert registry.find("datasets", name)(folder=folder).source(None).path == packed
    plain = decompress(packed.read_bytes())
    assert (len(plain), sha256(plain).hexdigest()) == (pinned.size, pinned.sha256)
    (folder / pinned.name).write_bytes(plain)
    packed.unlink()
    source = registry.find("datasets", name)(folder=folder).source(None)
    assert (source.path, source.kind, source.name) == (folder / pinned.name, "mysql_dump", name)


@every_one
def test_nothing_there_names_the_file_and_the_command(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadDataError, match=rf"{FILES[name]} is missing: `intercode data get {name}` fetches it"):
        registry.find("datasets", name)(folder=tmp_path)


@pytest.mark.parametrize("name", ["spider", "wikisql"])
def test_tasks_can_be_read_without_their_databases(copy: Path, name: str) -> None:
    (dump,) = (copy / name).glob("*.sql.gz")
    dump.unlink()
    dataset = registry.find("datasets", name)(folder=copy / name)
    assert dataset[0].query
    with pytest.raises(BadDataError, match=rf"\.sql is missing: `intercode data get {name}` fetches it"):
        dataset.source(dataset[0])


def test_a_damaged_file_is_named_with_the_line(copy: Path) -> None:
    damaged = copy / "wikisql" / FILES["wikisql"]
    damaged.write_text(damaged.read_text()[:1000])
    with pytest.raises(BadDataError, match=r"ic_wikisql_dev\.json: line \d+, column \d+ is not JSON"):
        WikiSQLDataset(folder=copy / "wikisql")


def test_a_task_without_a_database_is_named(tmp_path: Path) -> None:
    (tmp_path / FILES["spider"]).write_text('[{"query": "a", "gold": "b", "db": "x"}, {"query": "a", "gold": "b"}]')
    with pytest.raises(
        BadDataError, match=r"ic_spider_dev\.json: record 1, field 'db': expected the name of a database"
    ):
        SpiderDataset(folder=tmp_path)


# ---------------------------------------------------------------- BIRD's databases


def test_birds_databases_are_looked_for_in_three_places(copy: Path, tmp_path: Path) -> None:
    """Where the option says, then in BIRD's own folder beside the tasks, then in the published dump."""
    folder, elsewhere = copy / "bird", tmp_path / "elsewhere"
    task = BirdDataset(folder=folder)[0]
    with pytest.raises(BadDataError, match=r"the databases of BIRD are not here: .* databases=FOLDER"):
        BirdDataset(folder=folder).source(task)
    (folder / "ic_bird_dbs.sql").touch()
    assert BirdDataset(folder=folder).source(task).kind == "mysql_dump"
    for place in (folder / "dev_databases", elsewhere):
        (place / "superhero").mkdir(parents=True)
        with closing(sqlite3.connect(place / "superhero" / "superhero.sqlite")) as connection:
            connection.execute("CREATE TABLE superhero (id INTEGER)")
    own = BirdDataset(folder=folder).source(task)
    assert (own.path, own.kind) == (folder / "dev_databases", "sqlite")
    assert BirdDataset(folder=folder, databases=str(elsewhere)).source(task).path == elsewhere


def test_birds_hints_are_part_of_the_query_when_asked_for(published: Path) -> None:
    plain, hinted = BirdDataset()[0], BirdDataset(evidence=True)[0]
    assert hinted.query == f"{plain.query} ({plain.extra['evidence']})"
    hintless = [task for task in BirdDataset(evidence=True) if not task.extra["evidence"]]
    assert hintless
    assert all(not task.query.endswith("()") for task in hintless)


def test_tasks_of_other_worlds_have_no_databases() -> None:
    starter = datasets.load("starter")
    with pytest.raises(UserError, match="starter has no databases: its tasks are for the world 'bash'"):
        starter.source(starter[0])
