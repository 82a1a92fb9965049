"""The quick way to certify SQL tasks says what the slow one says, on the embedded database and on a server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from intercode.databases.mysql import server_program
from intercode.runs.certify.check import TaskCertifier
from intercode.runs.certify.run import adversaries_of, certify
from intercode.runs.certify.verdict import kind_of
from intercode.runs.hackcheck.check import HackCheck
from intercode.runs.job import prepare
from intercode.runs.settings import Settings

FOUND = "SELECT name FROM pots WHERE size > 3"

TASKS: dict[str, dict[str, object]] = {
    "good": {
        "gold": FOUND,
        "second_gold": "SELECT x.name FROM pots AS x WHERE x.size >= 4",
        "near_misses": [f"{FOUND}0"],
    },
    "other": {"gold": FOUND, "query": "Names of large pots.", "second_gold": "SELECT name FROM pots"},
    "either": {"gold": FOUND, "query": "Large pots?", "alternative_golds": ["SELECT name FROM pots WHERE size > 5"]},
    "loose": {"gold": FOUND, "query": "Names of pots.", "near_misses": ["SELECT name FROM pots WHERE size > 2 + 1"]},
    "paid": {"gold": "SELECT COUNT(*) FROM pots", "query": "How many pots?"},
    "broken": {"gold": "SELECT nothing FROM pots", "query": "Nothing."},
}


def folder(path: Path) -> Settings:
    rows = ", ".join(f"({size}, 'pot number {size}')" for size in range(8))
    (path / "shed.sql").write_text(
        f"CREATE TABLE pots (size INTEGER PRIMARY KEY, name VARCHAR(40)); INSERT INTO pots VALUES {rows};"
    )
    lines = [json.dumps({"query": "Which pots?", "id": name, **task}) for name, task in TASKS.items()]
    (path / "tasks.jsonl").write_text("\n".join(lines))
    return Settings(str(path), world="sql", scoring="exact", database="sqlite")


def test_each_fault_is_found(tmp_path: Path) -> None:
    found = {each.task.rpartition("/")[2]: each for each in certify(folder(tmp_path), parallel=2).verdicts}
    assert found["good"].is_certified, found["good"]
    assert found["either"].is_certified, found["either"]
    kinds = {name: kind_of(each) for name, each in found.items() if not each.is_certified}
    assert kinds == {"other": "second gold", "loose": "near miss", "paid": "adversary", "broken": "gold"}


@pytest.mark.slow
def test_both_ways_reach_the_same_verdicts(tmp_path: Path) -> None:
    settings = folder(tmp_path)
    quick = certify(settings, parallel=2).verdicts
    with prepare(settings) as job, prepare(settings) as elsewhere:
        check = HackCheck(job, elsewhere, adversaries_of("sql"), parallel=2, reads_source=False)
        slow = TaskCertifier(check).run()
    for one, other in zip(quick, slow, strict=True):
        assert one.is_certified == other.is_certified, (one, other)
        assert one.is_certified or kind_of(one) == kind_of(other)
        assert (one.near_misses, one.survivors) == (other.near_misses, other.survivors)


def test_generated_tasks_are_certified() -> None:
    found = certify(Settings("generated-sql", {"count": 6, "seed": 11}, database="sqlite"), parallel=2)
    assert found.share == 1
    assert all(each.second_golds == 1 and each.near_misses >= 2 and each.attempts > 50 for each in found.verdicts)


@pytest.mark.slow
@pytest.mark.skipif(bool(server_program.why_none()), reason="no MySQL or MariaDB is installed")
def test_generated_tasks_are_certified_on_a_server() -> None:
    found = certify(Settings("generated-sql", {"count": 3, "seed": 11}, database="mysql"), parallel=1)
    assert found.share == 1, found.rejected
