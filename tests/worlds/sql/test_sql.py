"""The SQL world: the contract on each database, and what is its own."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import gymnasium
import pytest
from gymnasium.error import ResetNeeded

from intercode.env.env import Env
from intercode.errors import (
    DatabaseError,
    DatabaseGoneError,
    DatabaseLostError,
    MachineError,
    UnknownNameError,
    UserError,
)
from intercode.testing.env import EnvContract, MakeEnv
from intercode.types.databases import Database, DatabaseSource
from intercode.worlds.sql import SqlEnv, databases
from intercode.worlds.sql.databases.mysql import MysqlDatabase
from intercode.worlds.sql.databases.sqlite import SqliteDatabase
from intercode.worlds.sql.datasets.starter_sql import StarterSqlDataset
from intercode.worlds.sql.judging import judge_exactly
from intercode.worlds.sql.variant_rows import tables_of
from intercode.worlds.sql.variants import KINDS, rows_of, variant
from worlds.sql.sql_world import FewTasks, FrailDatabase

NO_SERVER = "no MySQL or MariaDB server is installed"


class SqlContract(EnvContract):
    """What worlds on databases say of themselves."""

    changing = "CREATE TABLE contract_made (x INT)"
    harmless = "SELECT 1"
    background = ""
    failures: ClassVar[tuple[MachineError, ...]] = (DatabaseError("broke"), DatabaseGoneError("died"))
    breakage: ClassVar[MachineError] = DatabaseLostError("broke")

    def failing(self, make: MakeEnv, failure: MachineError) -> Env:
        return make(database=FrailDatabase(failure))

    def beside(self, make: MakeEnv, other: Env) -> Env:
        assert isinstance(other, SqlEnv)
        return make(database=other.database)


class TestSqlite(SqlContract):
    @pytest.fixture
    def make(self) -> MakeEnv:
        return lambda **options: SqlEnv(FewTasks(), **{"database": "sqlite", **options})


@pytest.mark.skipif(databases.default() != "mysql", reason=NO_SERVER)
class TestMysql(SqlContract):
    branches = 8  # each makes a database anew

    @pytest.fixture(scope="class")
    @classmethod
    def server(cls) -> Iterator[Database]:
        with MysqlDatabase() as database:
            yield database

    @pytest.fixture
    def make(self, server: Database) -> MakeEnv:
        return lambda **options: SqlEnv(FewTasks(), **{"database": server, **options})


@pytest.fixture(scope="module")
def sqlite() -> Iterator[Database]:
    with SqliteDatabase() as database:
        yield database


@pytest.fixture
def env(sqlite: Database) -> Iterator[SqlEnv]:
    with SqlEnv(database=sqlite) as env:
        yield env


@pytest.fixture
def published(sqlite: Database) -> Iterator[SqlEnv]:
    with SqlEnv(database=sqlite, scoring="paper") as env:
        yield env


def begin(env: SqlEnv, task: str = "bicycles") -> None:
    env.reset(options={"task": task})


def test_every_gold_of_ours_scores_one_and_nothing_scores_zero(env: SqlEnv) -> None:
    for task in StarterSqlDataset():
        assert task.gold
        for actions, reward in (([task.gold, "submit"], 1.0), (["submit"], 0.0)):
            begin(env, task.id)
            assert [env.step(action)[1] for action in actions][-1] == reward, task.id


def test_every_gold_that_shows_rows_scores_one_under_paper_too(published: SqlEnv) -> None:
    for task in StarterSqlDataset():
        begin(published, task.id)
        published.step(task.gold or "")
        has_rows = published.last.result is not None and published.last.result.rows is not None
        assert published.step("submit")[1] == float(has_rows), task.id


def test_gymnasium_makes_it_by_name() -> None:
    with gymnasium.make("intercode/SQL-v1", database="sqlite") as env:
        assert isinstance(env.unwrapped, SqlEnv)
        assert env.reset(options={"task": "bicycles"})[0].startswith("Which bicycles")


def test_rows_are_a_python_list_of_tuples(env: SqlEnv) -> None:
    begin(env)
    seen = env.step("SELECT id, days FROM suppliers ORDER BY id LIMIT 2")[0]
    assert seen == "[(1, 4), (2, 9)]"


def test_mistakes_are_told_in_mysqls_words(env: SqlEnv) -> None:
    begin(env)
    text, _, _, _, info = env.step("SELECT * FROM nothing")
    assert text == "Error executing query: Table 'shop.nothing' doesn't exist"
    assert info["observation"].exit_code == 1146


def test_a_statement_without_rows_says_what_it_did_or_what_was_published(env: SqlEnv, published: SqlEnv) -> None:
    for each, seen in ((env, "Query OK, 1 row affected"), (published, "None")):
        begin(each)
        assert each.step("INSERT INTO suppliers VALUES (999, 'Bells & Co', 4, NULL)")[0] == seen


def test_several_statements_are_run_one_by_one_until_one_fails(env: SqlEnv) -> None:
    begin(env)
    env.step("CREATE TABLE a (x INT); INSERT INTO b VALUES (1); CREATE TABLE c (x INT)")
    assert env.last.statement == "INSERT INTO b VALUES (1)"
    assert env.step("SELECT * FROM a")[0] == "[]"
    assert "doesn't exist" in env.step("SELECT * FROM c")[0]


def test_several_statements_are_an_error_as_published(published: SqlEnv) -> None:
    begin(published)
    assert "error in your SQL syntax" in published.step("SELECT 1; SELECT 2")[0]


def test_episodes_do_not_see_each_other(sqlite: Database) -> None:
    """Neither those at the same time nor the next one, whatever was done."""
    with SqlEnv(database=sqlite) as one, SqlEnv(database=sqlite) as other:
        begin(one)
        begin(other)
        for action in ("DELETE FROM order_items", "CREATE TABLE mine (x INT)", "START TRANSACTION", "DROP TABLE mine"):
            one.step(action)
        counted = other.step("SELECT COUNT(*) FROM order_items")[0]
        assert counted != "[(0,)]" == one.step("SELECT COUNT(*) FROM order_items")[0]
        begin(one)
        assert one.step("SELECT COUNT(*) FROM order_items")[0] == counted


def test_a_change_that_is_undone_is_no_other_state(env: SqlEnv) -> None:
    begin(env)
    actions = ("SELECT 1", "CREATE TABLE mine (x INT)", "DROP TABLE mine")
    untouched, changed, undone = (env.step(action)[4]["state_hash"] for action in actions)
    assert untouched == undone != changed


def test_a_change_nobody_asked_for_halves_the_reward(env: SqlEnv) -> None:
    begin(env)
    env.step("CREATE TABLE mine (x INT)")
    env.step(env.task.gold or "")
    assert env.step("submit")[1] == 0.5


def test_with_a_handicap_the_tables_come_with_the_query(sqlite: Database) -> None:
    with SqlEnv(database=sqlite, handicap=True) as env:
        query, _ = env.reset(options={"task": "bicycles"})
        assert query.startswith(env.task.query)
        assert "CREATE TABLE `products`" in query


@pytest.mark.skipif(databases.default() != "mysql", reason=NO_SERVER)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of the crashed server's connections
@pytest.mark.parametrize("last", ["SELECT 1", "submit"])
def test_a_server_that_crashes_under_what_an_agent_did_is_the_agents_failure(last: str) -> None:
    """It has a server of its own once it writes; a statement that is too much for that must not undo a failure."""
    with MysqlDatabase() as server, SqlEnv(database=server) as env:
        begin(env)
        env.step("DELETE FROM order_items")
        place = env.connection._place  # type: ignore[union-attr]  # it is a session on a server
        os.kill(place.server.process.pid, signal.SIGSEGV)
        assert place.server.process.wait(20)
        _, reward, terminated, truncated, info = env.step(last)
        assert (reward, terminated, truncated) == (0.0, last == "submit", last != "submit")
        assert not info["scores"]["exact"].success
        begin(env)
        env.step(env.task.gold or "")
        assert env.step("submit")[1] == 1.0
    gc.collect()


@pytest.mark.skipif(databases.default() != "mysql", reason=NO_SERVER)
def test_a_session_that_uses_up_the_servers_memory_has_failed_and_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its variables are bounded by nothing: the machine would kill the server, and the failure would not count."""
    monkeypatch.setattr("intercode.worlds.sql.databases.mysql.session.MEMORY", 300 << 20)
    with MysqlDatabase() as server, SqlEnv(database=server) as env:
        begin(env)
        text = env.step("SET " + ", ".join(f"@v{number} = REPEAT('b', 16000000)" for number in range(30)))[0]
        assert "broken" in text
        assert env.status == "truncated"
        assert not env.history[-1].scores["exact"].success  # type: ignore[index]  # it was judged
        begin(env)
        env.step(env.task.gold or "")
        assert env.step("submit")[1] == 1.0


@pytest.mark.skipif(databases.default() != "mysql", reason=NO_SERVER)
def test_a_statement_that_asks_for_much_memory_is_refused() -> None:
    with MysqlDatabase() as server, SqlEnv(database=server) as env:
        if server.dialect != "mariadb":
            pytest.skip("only MariaDB has such a limit (max-session-mem-used)")
        begin(env)
        env.step("SET SESSION sort_buffer_size = 8000000000")
        assert (
            "max-session-mem-used"
            in env.step(
                "WITH RECURSIVE t AS (SELECT 1 n UNION ALL SELECT n + 1 FROM t WHERE n < 900) "
                "SELECT COUNT(*) FROM (SELECT REPEAT(a.n, 90) s FROM t a, t b ORDER BY s DESC LIMIT 9999999) z"
            )[0]
        )


@pytest.mark.skipif(databases.default() != "mysql", reason=NO_SERVER)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of the killed server's connections
@pytest.mark.parametrize("deed", ["SELECT 1", "DELETE FROM order_items"])
def test_a_server_that_dies_costs_an_episode_only_where_something_is_lost(deed: str) -> None:
    """What only read goes on elsewhere. What wrote is an error, which is no reward, and the next episode is whole."""
    with MysqlDatabase() as server, SqlEnv(database=server) as env:
        begin(env)
        env.step(deed)
        place = env.connection._place  # type: ignore[union-attr]  # it is a session on a server
        os.kill(place.server.process.pid, signal.SIGKILL)
        if deed == "SELECT 1":
            env.step(env.task.gold or "")
        else:
            with pytest.raises(MachineError, match="died"):
                env.step("SELECT 1")
            assert env.status == "error"
            with pytest.raises(ResetNeeded):
                env.step("submit")
            begin(env)
            env.step(env.task.gold or "")
        assert env.step("submit")[1] == 1.0
    gc.collect()


@pytest.mark.parametrize("kind", ["sqlite", "mysql"])
def test_the_gold_runs_where_nothing_was_changed_or_locked(kind: str) -> None:
    """Though it had not been run before the agent did all that; and the next episode is as fresh."""
    if kind != "sqlite" and databases.default() != kind:
        pytest.skip(NO_SERVER)
    with SqlEnv(database=kind) as env:
        begin(env)
        gold = env.task.gold or ""
        deeds = (
            "UPDATE products SET name = 'mine'",
            "LOCK TABLES products WRITE",
            "START TRANSACTION",
            "DELETE FROM products",
        )
        for action in (*deeds, gold, "submit"):
            _, reward, *_ = env.step(action)
        assert reward < 0.5
        begin(env)
        env.step(gold)
        assert env.step("submit")[1] == 1.0


class Failing(StarterSqlDataset):
    """One task, whose gold is no SQL."""

    def __init__(self) -> None:
        super().__init__()
        self._tasks = (replace(self._tasks[0], gold="SELECT nothing FROM nowhere"),)


def test_a_gold_that_fails_is_agreed_with_as_published_and_never_under_exact(sqlite: Database) -> None:
    """Failing alike is no agreement."""
    with SqlEnv(Failing(), database=sqlite) as env:
        for action in (env.dataset[0].gold or "", "SELECT 1 FROM products WHERE 1 = 0"):
            env.reset(options={"task": 0})
            env.step(action)
            scores = env.step("submit")[4]["scores"]
            assert scores["exact"].value == 0.0
            assert scores["paper"].value == float("WHERE" in action)


def test_a_database_can_be_asked_for_by_name_only_where_there_is_one() -> None:
    with pytest.raises(UnknownNameError, match="oracle9"):
        SqlEnv(database="oracle9")


def test_passwords_are_left_out_of_records() -> None:
    url = "--database=mysql://me:secret@host:3306/?socket=/x"
    assert databases.without_password(url) == "--database=mysql://me@host:3306/?socket=/x"
    assert databases.without_password("sqlite") == "sqlite"


def test_what_chance_left_where_no_table_shows_it_cannot_be_kept_and_the_episode_goes_on(env: SqlEnv) -> None:
    begin(env)
    env.step("CREATE TEMPORARY TABLE drawn (number DOUBLE)")
    env.snapshot().close()
    env.step("INSERT INTO drawn VALUES (RAND())")
    for branch in (env.snapshot, env.fork):
        with pytest.raises(
            UserError, match=r"cannot be saved: time or chance .* INSERT INTO drawn VALUES \(RAND\(\)\)"
        ):
            branch()
    assert env.step("SELECT COUNT(*) FROM drawn")[0] == "[(1,)]"


def test_a_snapshot_is_of_one_kind_of_database(env: SqlEnv) -> None:
    begin(env)
    with env.snapshot() as snapshot:
        snapshot.kind = {**snapshot.kind, "database": "MysqlDatabase"}
        with pytest.raises(UserError, match="the database is MysqlDatabase there, and SqliteDatabase here"):
            env.restore(snapshot)


@pytest.mark.parametrize(
    "moves",
    [
        ["SELECT {}"],
        ["SELECT {} FROM customers LIMIT 1"],
        ["SELECT MAX({}) + 0 * COUNT(*) FROM customers"],
        ["SELECT COALESCE({}, MAX(id)) FROM customers"],
        ["CREATE VIEW lie AS SELECT {}", "SELECT * FROM lie"],
        ["CREATE VIEW lie AS SELECT {} FROM customers LIMIT 1", "SELECT * FROM lie"],
        ["CREATE TEMPORARY TABLE lie AS SELECT {} AS n", "SELECT n FROM lie"],
        ["SET @lie = {}", "SELECT DISTINCT @lie FROM customers"],
    ],
    ids=range(8),
)
def test_a_known_answer_that_is_not_asked_for_earns_nothing(env: SqlEnv, moves: list[str]) -> None:
    """However it is dressed up."""
    begin(env, "order-1022")
    (value,) = env._golds.outcome(env.database, env._source, env._name, env.task.gold or "").result.rows[0]  # type: ignore[union-attr,index]
    for move in moves:
        env.step(move.format(value))
    assert env.last.result is not None
    assert [float(row[0]) for row in env.last.result.rows or ()] == [float(value)]
    assert env.step("submit")[1] == 0


def test_what_is_asked_in_steps_is_right(env: SqlEnv) -> None:
    """Of tables of one's own that hold what was asked, and by keys that were looked up."""
    begin(env, "order-1022")
    env.step("CREATE TEMPORARY TABLE mine AS SELECT quantity * price AS worth FROM order_items WHERE order_id = 1022")
    env.step("SELECT SUM(worth) FROM mine")
    assert env.step("submit")[1] == 1
    begin(env, "no-email")
    (ids,) = ([str(row[0]) for row in env._session.run("SELECT id FROM customers WHERE email IS NULL").rows or ()],)
    env.step(f"SELECT name FROM customers WHERE id IN ({', '.join(ids)})")
    assert env.step("submit")[1] == 1


def test_a_variant_holds_values_of_all_types(sqlite: Database, tmp_path: Path) -> None:
    (tmp_path / "odd.sql").write_text(
        "CREATE TABLE odd (id int PRIMARY KEY, made int AS (id + 1), t text, d decimal(5,2), b blob, w time, x double);"
        "INSERT INTO odd (id, t, d, b, w, x) VALUES (1, 'it''s \\\\ \\n', 1.50, X'00ff', '-12:30:01', 0.5),"
        "(2, '', NULL, NULL, '100:00:00', -1e99), (3, 'ä', -0.01, X'', NULL, NULL), (4, NULL, 0, X'27', '00:00:00', 1);"
        "CREATE VIEW shown AS SELECT id FROM odd"
    )
    source = DatabaseSource("odd", tmp_path / "odd.sql", "sql")
    with sqlite.open(source, "odd") as session:
        whole = session.state()
    made = variant(source, "odd", whole, 0)
    with sqlite.open(made, "odd") as session:
        rows = session.state()["odd"].rows
    assert 0 < len(rows) < 4
    assert set(rows) <= set(whole["odd"].rows)
    assert variant(source, "odd", whole, 0) == made


@pytest.mark.parametrize("number", range(len(KINDS)))
def test_references_and_keys_hold_in_every_variant(env: SqlEnv, number: int) -> None:
    begin(env, "order-1022")
    tables, rows = tables_of(env._before()), rows_of(env._before(), number)
    assert any(rows[name] != list(table.rows) for name, table in tables.items())
    for name, table in tables.items():
        for key in table.keys:
            found = [tuple(row[place] for place in key) for row in rows[name]]
            assert len(set(found)) == len(found), (name, key)
        for each in table.references:
            there = {tuple(row[place] for place in each.columns) for row in rows[each.table]} | {(None,)}
            assert {tuple(row[place] for place in each.places) for row in rows[name]} <= there, (name, each)


MADE_UP = {
    "from": "SELECT {k} FROM products LIMIT 1",
    "where": "SELECT {k} WHERE (SELECT COUNT(*) FROM products) = {n}",
    "case": "SELECT CASE WHEN (SELECT COUNT(*) FROM products) = {n} THEN {k} ELSE 0 END",
    "difference": "SELECT {k} + (c - {n}) FROM (SELECT COUNT(*) c FROM products) q",
    "having": "SELECT {k} FROM products GROUP BY 1 HAVING COUNT(*) = {n}",
    "exists": "SELECT {k} FROM products WHERE EXISTS (SELECT 1 FROM products WHERE stock = 0) LIMIT 1",
    "ratio": "SELECT ROUND({k} * COUNT(*) / {n}) FROM products",
    "a few": "SELECT COUNT(*) FROM (SELECT * FROM orders LIMIT {k}) q",
    "keys": "SELECT COUNT(*) FROM orders WHERE id < (SELECT MIN(id) + {k} FROM orders)",
    "slow elsewhere": "SELECT {k} FROM products WHERE (SELECT COUNT(*) FROM products) = {n} OR SLEEP(2) LIMIT 1",
}


@pytest.mark.parametrize("form", MADE_UP)
def test_a_made_up_number_that_moves_with_the_rows_is_not_paid(env: SqlEnv, form: str) -> None:
    """The answer has to follow the gold; that it moves is no proof."""
    task = replace(env.dataset.find("bicycles"), gold="SELECT COUNT(*) FROM orders WHERE customer_id > 3")
    env.start_episode(task)
    k, n = (
        env._session.run(text).rows[0][0]  # type: ignore[index]
        for text in (task.gold or "", "SELECT COUNT(*) FROM products")
    )
    env.step(MADE_UP[form].format(k=k, n=n))
    assert env.last.result is not None
    assert [tuple(map(float, row)) for row in env.last.result.rows or ()] == [(float(k),)]
    assert not judge_exactly(env.ending(env.task)).success
    assert judge_exactly(env.ending(env.task)).value == 0


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT COUNT(id) FROM orders WHERE NOT customer_id <= 3",
        "SELECT SUM(customer_id > 3) FROM orders",
        "SELECT COUNT(*) FROM (SELECT * FROM orders WHERE customer_id >= 4) q",
        "SELECT COUNT(*) FROM orders JOIN customers ON customers.id = customer_id WHERE customers.id > 3",
    ],
)
def test_the_same_asked_otherwise_is_right(env: SqlEnv, statement: str) -> None:
    env.start_episode(replace(env.dataset.find("bicycles"), gold="SELECT COUNT(*) FROM orders WHERE customer_id > 3"))
    env.step(statement)
    assert judge_exactly(env.ending(env.task)).success


def test_any_of_several_golds_is_met(env: SqlEnv) -> None:
    """Under `exact`; `paper` knows the first only."""
    one, other, wrong = (f"SELECT {column} FROM products WHERE stock = 0" for column in ("sku", "name", "price"))
    task = replace(env.dataset.find("sold-out"), gold=one, alternative_golds=(other,))
    for statement, success in ((one, True), (other, True), (wrong, False)):
        env.start_episode(task)
        env.step(statement)
        *_, info = env.step("submit")
        assert info["scores"]["exact"].success == success
        assert info["scores"]["paper"].success == (statement == one)
