"""Certificates of SQL tasks, on the embedded database and on a server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from intercode.runs.settings import Settings
from intercode.worlds.sql.databases.mysql import server_program
from intercode_generate.certify.run import certify
from intercode_generate.certify.verdict import kind_of

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


def test_generated_tasks_are_certified() -> None:
    found = certify(Settings("generated-sql", {"count": 6, "seed": 11}, database="sqlite"), parallel=2)
    assert found.share == 1
    assert all(each.second_golds == 1 and each.near_misses >= 2 and each.attempts > 50 for each in found.verdicts)


@pytest.mark.slow
@pytest.mark.skipif(bool(server_program.why_none()), reason="no MySQL or MariaDB is installed")
def test_generated_tasks_are_certified_on_a_server() -> None:
    found = certify(Settings("generated-sql", {"count": 3, "seed": 11}, database="mysql"), parallel=1)
    assert found.share == 1, found.rejected
