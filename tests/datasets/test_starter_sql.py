"""The SQL starter set on real databases: every gold scores 1, nothing scores 0, the scripted agent ends as meant."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from intercode import agents, registry
from intercode.datasets.base import Dataset
from intercode.errors import DatabaseError
from intercode.testing.database_dataset import SqlDatasetContract
from intercode.types import Score, Task
from intercode.types.databases import Database
from intercode.worlds.sql import SqlEnv
from intercode.worlds.sql.databases.dialect.tokenizer import statements
from intercode.worlds.sql.datasets.starter_sql import FOLDER, StarterSqlDataset
from intercode.worlds.sql.scoring.exact import exact, question
from intercode.worlds.sql.scoring.expected_rows import expected_rows
from intercode.worlds.sql.scoring.final_state import SqlEnding, SqlFinalState, State
from intercode.worlds.sql.scoring.gold_order import order_of
from intercode.worlds.sql.scoring.paper import paper

STARTER = StarterSqlDataset()
SCRIPT = Path(agents.__file__).parent / "scripts" / "starter_sql.json"
MOVES: dict[str, list[str]] = json.loads(SCRIPT.read_text(encoding="utf-8"))["moves"]

ALTERNATIVES: dict[str, list[str]] = tomllib.loads(
    (Path(__file__).parent / "solutions" / "sql_alternatives.toml").read_text(encoding="utf-8")
)

ENDS_WRONG = {
    "starter-sql/best-sellers",
    "starter-sql/cancel-open-orders",
    "starter-sql/customers-last-order",
    "starter-sql/falling-temperature",
    "starter-sql/longest-of-each-author",
    "starter-sql/never-lent",
    "starter-sql/order-1022",
    "starter-sql/rain-totals",
    "starter-sql/readers-by-town",
    "starter-sql/restock-returns",
    "starter-sql/wettest-day",
}
"""The tasks that the script fails on purpose, so that a table of results has something to show."""


class TestContract(SqlDatasetContract):
    @pytest.fixture
    def dataset(self) -> Dataset:
        return StarterSqlDataset()


class Stage:
    """Plays statements, each time over an untouched database."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.before = cache(self._before)
        self.gold = cache(self._gold)

    def play(self, task_id: str, *played: str) -> SqlFinalState:
        task = STARTER.find(task_id)
        with self.database.open(STARTER.source(task), STARTER.database(task)) as session:
            results = [session.run(statement) for statement in played]
            state = dict(session.state()) if session.changed() else None
        return SqlFinalState(played[-1], results[-1], state) if played else SqlFinalState()

    def judge(self, task: Task, *played: str) -> Score:
        ending = SqlEnding(task, self.play(task.id, *played), self.gold(task.id), self.before(STARTER.database(task)))
        probe = question(ending)
        return exact(ending if probe is None else replace(ending, probe=self.play(task.id, probe).result))

    def _gold(self, task_id: str) -> SqlFinalState:
        return self.play(task_id, *(each.text for each in statements(STARTER.find(task_id).gold or "")))

    def _before(self, name: str) -> State:
        with self.database.open(STARTER.source(STARTER[0]), name) as session:
            return dict(session.state())


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What databases keep is kept for these tests only."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INTERCODE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def make_database(name: str) -> Database:
    """That database; the test is skipped where it cannot be had."""
    try:
        database: Database = registry.find("databases", name)()
    except DatabaseError as error:
        pytest.skip(str(error))
    return database


@contextmanager
def stage_on(name: str) -> Iterator[Stage]:
    """A stage on that database."""
    with make_database(name) as database:
        yield Stage(database)


@pytest.fixture(scope="module", params=["sqlite", "mysql"])
def stage(request: pytest.FixtureRequest, own_cache: None) -> Iterator[Stage]:
    """What depends on the database runs on both."""
    with stage_on(request.param) as stage:
        yield stage


@pytest.fixture(scope="module")
def embedded(own_cache: None) -> Iterator[Stage]:
    """For what is a matter of the tasks and the judge alone."""
    with stage_on("sqlite") as stage:
        yield stage


def test_every_gold_scores_one(stage: Stage) -> None:
    """And works: no statement of it fails, and it shows something or changes something."""
    wrong = []
    for task in STARTER:
        gold = stage.gold(task.id)
        score = exact(SqlEnding(task, gold, gold, stage.before(STARTER.database(task))))
        if gold.result is None or gold.result.error is not None or (score.value, score.success) != (1, True):
            wrong.append(f"{task.id}: {score}, {gold.result}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("played", [(), ("SELECT",), ("SELECT 'nothing'",)], ids=["nothing", "an error", "something"])
def test_doing_nothing_scores_zero(embedded: Stage, played: tuple[str, ...]) -> None:
    """Whether nothing is run, or something that fails or has nothing to do with it."""
    assert [task.id for task in STARTER if embedded.judge(task, *played).value != 0] == []


def test_the_scripted_agent_ends_as_meant(stage: Stage) -> None:
    """Its right endings are a second opinion on each gold: other statements, the same result."""
    assert {task.id for task in STARTER if not stage.judge(task, *MOVES[task.id][:-1]).success} == ENDS_WRONG


@pytest.mark.parametrize("name", ["sqlite", "mysql"])
def test_other_ways_to_do_a_task_are_right(own_cache: None, name: str) -> None:
    """Three for each task: at least 99 % of them score 1, judged as an episode is."""
    wrong = []
    with make_database(name) as database, SqlEnv(STARTER, database=database, scoring="exact") as env:
        for task in STARTER:
            for way in ALTERNATIVES[task.id.rpartition("/")[2]]:
                env.reset(options={"task": task.id})
                seen = env.step(way)[0]
                score = env.step("submit")[4]["scores"]["exact"]
                wrong += [] if score.success else [f"{task.id}: {score}, {way}, {seen[:200]}"]
    assert len(wrong) <= 0.01 * 3 * len(STARTER), "\n".join(wrong)


def test_there_are_three_other_ways_for_every_task() -> None:
    assert {f"starter-sql/{name}" for name in ALTERNATIVES} == {task.id for task in STARTER}
    for task in STARTER:
        ways = ALTERNATIVES[task.id.rpartition("/")[2]]
        assert len({" ".join(each.lower().split()) for each in (*ways, task.gold or "")}) == 4, task.id


def test_reading_golds_are_right_for_the_paper_too(embedded: Stage) -> None:
    golds = [(task, embedded.gold(task.id)) for task in STARTER]
    reading = [task.id for task, gold in golds if gold.result is not None and gold.result.rows is not None]
    assert [task.id for task, gold in golds if paper(SqlEnding(task, gold, gold)).success] == reading
    assert len(reading) >= 30


def test_what_a_gold_orders_has_no_ties(embedded: Stage) -> None:
    """So there is one right order, and one right end where it is cut."""
    ordered = 0
    for task in STARTER:
        gold, order = embedded.gold(task.id), order_of(task.gold or "")
        if not order.ordered or gold.result is None or not gold.result.rows:
            continue
        probe = embedded.play(task.id, order.probe).result if order.probe else None
        right = expected_rows(gold.result.rows, order, probe)
        assert len(set(right.ranks)) == len(right.rows) == len(gold.result.rows), task.id
        ordered += 1
    assert ordered >= 12


def test_both_databases_give_the_same_answers() -> None:
    """Each task's result on one is judged against that on the other, or what it leaves in the tables."""

    def contents(state: State | None) -> State | None:
        return None if state is None else {name: replace(table, create="") for name, table in state.items()}

    with stage_on("mysql") as server, stage_on("sqlite") as embedded:
        for task in STARTER:
            mine, gold = (
                replace(each, state=contents(each.state)) for each in (embedded.gold(task.id), server.gold(task.id))
            )
            before = contents(server.before(STARTER.database(task))) or {}
            score = exact(SqlEnding(task, mine, gold, before))
            assert score.success, f"{task.id}: {score}"


def test_the_script_plays_every_task_in_its_own_words() -> None:
    assert set(MOVES) == {task.id for task in STARTER}
    for task in STARTER:
        *moves, last = MOVES[task.id]
        assert moves
        assert last == "submit"
        assert len(moves) < 10, f"{task.id} is not done in ten turns"
        assert task.gold not in moves
    assert 0.10 <= len(ENDS_WRONG) / len(STARTER) <= 0.20


def test_there_is_enough_of_everything() -> None:
    assert len(STARTER) >= 48
    difficulties = Counter(task.difficulty for task in STARTER)
    assert set(difficulties) == {"easy", "medium", "hard", "extra"}
    assert min(difficulties.values()) >= 12
    assert Counter(STARTER.database(task) for task in STARTER).keys() == {"shop", "library", "weather"}
    changing = Counter(task.category for task in STARTER)
    assert min(changing[kind] for kind in ("insert", "update", "delete", "definition")) >= 4
    assert sum("ORDER BY" in str(task.gold) for task in STARTER) >= 12


def test_the_databases_are_small_and_plain() -> None:
    files = sorted(FOLDER.glob("*.sql"))
    assert [file.stem for file in files] == ["library", "shop", "weather"]
    assert sum(file.stat().st_size for file in files) < 60_000
    for file in files:
        assert "\\" not in file.read_text(encoding="utf-8"), "a backslash means two things in two databases"
