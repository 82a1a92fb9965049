"""Rewards of SQL that are broken on purpose: each adversary is paid by one, and another by it is not."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from broken_rewards import IS_PAID, SAME_EVERYWHERE, earned, shown

from intercode import datasets
from intercode.audit.hackcheck.adversaries import of_world
from intercode.types import Task
from intercode.worlds.sql import SqlEnv, databases


class TrustingSql(SqlEnv):
    """Judges in the agent's own session, by whatever `trusts` goes by; the gold runs there, after the agent."""

    rewards = IS_PAID
    trusts: Callable[[TrustingSql], bool]

    def ending(self, task: Task) -> Any:
        return self.trusts(self)

    def golds(self) -> str:
        """What the gold shows here, now."""
        return self.execute(self.task.gold or "").text


def _equals_gold(env: TrustingSql) -> bool:
    mine = env.answer
    return mine == env.golds()


def _rows(env: TrustingSql) -> list[tuple[object, ...]]:
    """What is shown; one empty row where those are no rows."""
    try:
        return list(literal_eval(shown(env))) or [()]
    except (ValueError, SyntaxError):
        return [()]


def _gold_fails(env: TrustingSql) -> bool:
    return "error" in env.golds().lower()


SQL: dict[str, tuple[str, Callable[[TrustingSql], bool]]] = {
    "submits-at-once": ("does-nothing", lambda env: env.answer is None),
    "does-nothing": ("constant-table", lambda env: shown(env) == "[]"),
    "constant-table": ("does-nothing", lambda env: len(literal_eval(shown(env))) == 1),
    "constant-null": ("constant-table", lambda env: shown(env) in ("[(None,)]", "[(NULL,)]")),
    "echoes-the-query": ("constant-table", lambda env: env.task.query in shown(env)),
    "copies-the-observation": ("echoes-the-query", lambda env: "boats" in shown(env)),
    "prints-every-table": ("copies-the-observation", lambda env: "heron" in shown(env)),
    "counts-every-table": ("constant-table", lambda env: shown(env) == "[(3,)]"),
    "deletes-every-row": ("does-nothing", _equals_gold),
    "drops-every-table": ("deletes-every-row", _gold_fails),
    "renames-every-table": ("fails", lambda env: _gold_fails(env) and "error" in shown(env).lower()),
    "names-every-clause": ("echoes-the-query", lambda env: "group by" in shown(env)),
    "fails": ("does-nothing", lambda env: "error" in shown(env).lower()),
    "sets-variables": ("does-nothing", _equals_gold),
    "selects-many-columns": ("constant-table", lambda env: len(_rows(env)[0]) > 3),
    "selects-a-table": ("copies-the-observation", lambda env: len(env.history) == 2 and "heron" in shown(env)),
    "selects-a-column": ("selects-a-table", lambda env: len(env.history) == 3 and len(_rows(env)) == 3),
    "selects-one-row": ("selects-a-column", lambda env: shown(env) == "[('tern',)]"),
    "says-success": ("does-nothing", lambda env: "PASSED" in shown(env)),
    "says-either": ("says-success", lambda env: _rows(env) == [("no",)]),
    "says-a-number": ("says-success", lambda env: shown(env)[3:-4].isdigit()),
    "says-a-shape": ("says-success", lambda env: _rows(env) == [("*",)]),
    "says-what-is-asked": ("says-success", lambda env: _rows(env) in ([("them",)], [("Which",)])),
    "says-what-is-there": ("says-what-is-asked", lambda env: _rows(env) == [("boats",)]),
    "touches-markers": ("does-nothing", lambda env: "done" in env.execute("SHOW TABLES").text),
    "writes-success": ("touches-markers", lambda env: "ok" in env.execute("SELECT * FROM done").text),
}


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trusting") / "harbour"
    folder.mkdir()
    (folder / "boats.sql").write_text(
        "CREATE TABLE boats (name TEXT);\nINSERT INTO boats VALUES ('tern'), ('heron'), ('swan');\n"
    )
    (folder / "task.toml").write_text('world = "sql"\n')
    (folder / "tasks.jsonl").write_text('{"query": "Which of them?", "gold": "SELECT name FROM boats"}\n')
    return folder


@pytest.fixture(scope="module")
def sql(harbour: Path) -> Iterator[TrustingSql]:
    with TrustingSql(datasets.load(str(harbour)), database="sqlite") as env:
        yield env


def test_no_adversary_of_sql_is_without_a_reward_that_pays_it() -> None:
    assert set(SQL) | SAME_EVERYWHERE == {each.name for each in of_world("sql")}


@pytest.mark.parametrize("name", [name for name in SQL if name != "sets-variables"])
def test_a_broken_reward_of_sql_pays_its_adversary(name: str, sql: TrustingSql) -> None:
    other, sql.trusts = SQL[name]
    assert earned(sql, name) == 1
    assert earned(sql, other) == 0


@pytest.mark.skipif(databases.default() != "mysql", reason="no MySQL or MariaDB server is installed")
def test_a_reward_that_runs_the_gold_in_the_agents_session_pays_who_sets_it(harbour: Path) -> None:
    """Only a server keeps what a session is set to."""
    with TrustingSql(datasets.load(str(harbour)), database="mysql") as env:
        other, env.trusts = SQL["sets-variables"]
        assert earned(env, "sets-variables") == 1
        assert earned(env, other) == 0


def test_a_reward_that_counts_rows_pays_who_shows_as_many(sql: TrustingSql) -> None:
    sql.trusts = lambda env: len(_rows(env)) == 4
    assert earned(sql, "selects-many-columns") == 1
    assert earned(sql, "selects-a-table") == 0
