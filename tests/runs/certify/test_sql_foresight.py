"""What is known of attempts at SQL tasks before they are played is true of them, and changes no verdict."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from intercode.databases.base import QueryResult
from intercode.envs.sql.env import SqlEnv
from intercode.rewards.sql.final_state import SqlFinalState
from intercode.runs.certify import sql_foresight
from intercode.runs.certify.sql import SqlCertifier
from intercode.runs.certify.verdict import TaskVerdict, kind_of
from intercode.runs.hackcheck.adversaries import of_world
from intercode.runs.job import prepare
from intercode.runs.settings import Settings

FOUND = "SELECT name FROM pots WHERE size > 3"
MARKER = "CREATE TABLE `done` AS SELECT '' AS status"

TASKS: dict[str, dict[str, object]] = {
    "good": {"gold": FOUND, "near_misses": [f"{FOUND}0"], "second_gold": "SELECT name FROM pots WHERE size >= 4"},
    "changes": {"gold": "UPDATE pots SET size = size * 10 WHERE size = 4"},
    "counts": {"gold": "SELECT COUNT(*) FROM pots"},
    "says": {"gold": "SELECT 'ok'"},
    "either": {"gold": FOUND, "alternative_golds": ["SELECT 'passed'"]},
    "marks": {"gold": MARKER},
    "marks-and-says": {"gold": f"{MARKER}; SELECT 'done'"},
    "marks-and-looks": {"gold": f"{MARKER}; SELECT size FROM pots WHERE size = 7"},
    "lists": {"gold": "SHOW TABLES"},
    "nothing": {"gold": "UPDATE pots SET size = 1 WHERE size > 99"},
    "broken": {"gold": "SELECT nothing FROM pots"},
    "other": {"gold": FOUND, "second_gold": "SELECT name FROM pots"},
}
"""Tasks of which most are bad: adversaries do what they ask, or golds fail or differ."""

GOOD = {"good", "changes", "marks-and-looks"}
KINDS = {"nothing": "gold", "broken": "gold", "other": "second gold"}


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    path = tmp_path_factory.mktemp("foresight")
    rows = ", ".join(f"({size}, 'pot number {size}')" for size in range(8))
    (path / "shed.sql").write_text(
        f"CREATE TABLE pots (size INTEGER PRIMARY KEY, name VARCHAR(40)); INSERT INTO pots VALUES {rows};"
    )
    lines = [json.dumps({"id": name, "query": f"Do {name}.", **task}) for name, task in TASKS.items()]
    (path / "tasks.jsonl").write_text("\n".join(lines))
    return Settings(str(path), world="sql", scoring="exact", database="sqlite")


def verdicts(settings: Settings, *, foresees: bool) -> list[TaskVerdict]:
    with (
        prepare(settings) as job,
        prepare(settings) as elsewhere,
        job.make_env() as here,
        elsewhere.make_env() as there,
    ):
        assert isinstance(here, SqlEnv)
        assert isinstance(there, SqlEnv)
        places = here.database, there.database
        certifier = SqlCertifier(here.dataset, *places, of_world("sql"), shares=False, foresees=foresees)
        found = certifier.certify(enumerate(job.tasks), lambda verdict: None)
    return list(found)


def test_bad_tasks_are_found_with_and_without_foresight(settings: Settings) -> None:
    quick, slow = (verdicts(settings, foresees=foresees) for foresees in (True, False))
    assert [replace(each, ruled_out=0, most_paid=0.0) for each in quick] == [
        replace(each, most_paid=0.0) for each in slow
    ]
    found = {each.task.rpartition("/")[2]: each for each in quick}
    assert {name: kind_of(each) for name, each in found.items() if not each.is_certified} == {
        name: KINDS.get(name, "adversary") for name in TASKS if name not in GOOD
    }
    assert not any(each.ruled_out for each in slow)
    assert found["good"].ruled_out > found["good"].attempts / 2
    assert found["says"].ruled_out == 0


def test_generated_tasks_have_the_same_verdicts_with_and_without_foresight() -> None:
    settings = Settings("generated-sql", {"count": 4, "seed": 3}, database="sqlite")
    quick, slow = (verdicts(settings, foresees=foresees) for foresees in (True, False))
    assert [replace(each, ruled_out=0, most_paid=0.0) for each in quick] == [
        replace(each, most_paid=0.0) for each in slow
    ]
    assert all(each.is_certified for each in quick)
    assert sum(each.ruled_out for each in quick) > sum(each.attempts for each in quick) / 3


SHOWS = SqlFinalState(FOUND, QueryResult((("pot number 4",),), ("name",)))
SAYS = SqlFinalState("SELECT 'ok'", QueryResult((("ok",),), ("ok",)))
CHANGES = SqlFinalState("DELETE FROM pots", QueryResult(None), {})
FAILS = SqlFinalState("SELECT nothing FROM pots", QueryResult(None, error="ERROR 1054"))


@pytest.mark.parametrize(
    ("golds", "texts", "is_ruled_out"),
    [
        ([SHOWS], ["SELECT 'ok'"], True),
        ([SHOWS], ["DELETE FROM pots", "SELECT 1"], True),
        ([SHOWS], [f"{FOUND}; SELECT 1"], True),
        ([SHOWS], [], True),
        ([FAILS], [FOUND], True),
        ([CHANGES], [FOUND, "SHOW TABLES"], True),
        ([SHOWS, CHANGES], ["SELECT 1"], True),
        ([SHOWS], [FOUND], False),
        ([SHOWS], ["SELECT 1", FOUND], False),
        ([SHOWS], [f"SELECT 1; {FOUND}"], False),
        ([SHOWS], ["SELECT 1 UNION SELECT name FROM pots"], False),
        ([SHOWS], ["WITH found AS (SELECT name FROM pots) SELECT * FROM found"], False),
        ([SAYS], ["SELECT 'ok'"], False),
        ([CHANGES], ["DELETE FROM pots", "SELECT 1"], False),
        ([CHANGES], ["SELECT 1; DELETE FROM pots"], False),
        ([CHANGES], ["SET @a = 1"], False),
        ([SHOWS, SAYS], ["SELECT 'ok'"], False),
    ],
)
def test_only_statements_that_surely_fail_are_ruled_out(
    golds: Sequence[SqlFinalState], texts: list[str], is_ruled_out: bool
) -> None:
    assert sql_foresight.rules_out(golds, texts) is is_ruled_out
