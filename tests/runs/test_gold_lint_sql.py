"""SQL golds of which the data do not say what they answer are told, and all others are left alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from intercode import datasets
from intercode.audit.dataset_import.finding import to_json
from intercode.audit.dataset_import.gold_check import GoldCheck
from intercode.audit.hackcheck.adversaries import choose
from intercode.audit.hackcheck.check import HackCheck
from intercode.audit.hackcheck.report import HackcheckReport
from intercode.cli.display import dataset_import, hackcheck
from intercode.errors import DatabaseError
from intercode.runs.job import prepare
from intercode.runs.settings import Settings
from intercode.types import Task
from intercode.types.databases import Database
from intercode.types.gold_warnings import SQL_RULES
from intercode.worlds.sql.databases.mysql import MysqlDatabase, server_program
from intercode.worlds.sql.databases.sqlite import SqliteDatabase
from intercode.worlds.sql.gold_lint.lint import lint
from intercode_generate.certify.run import certify
from intercode_generate.commands import certificate_table

DUMP = """
CREATE TABLE drivers (id INT PRIMARY KEY, name VARCHAR(20), points INT, speed VARCHAR(10), code VARCHAR(5), w DOUBLE);
INSERT INTO drivers VALUES (1, 'Ann', 10, '9.5', '2001', 0.1), (2, 'Bob', 10, '10.1', '2003', 0.2),
 (3, 'Cy', 3, '8.0', '2002', 0.3), (4, 'Di', NULL, NULL, '1999', 0.7);
CREATE TABLE notes (id INT, t VARCHAR(20));
INSERT INTO notes VALUES (1, 'a'), (1, 'b'), (2, 'c');
CREATE TABLE log (id INT, made TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
"""

OPEN = {
    "SELECT name FROM drivers ORDER BY points DESC LIMIT 1": "tie",
    "SELECT * FROM drivers ORDER BY points DESC LIMIT 1": "tie",
    "SELECT d.* FROM drivers d JOIN notes n ON n.id = d.id ORDER BY points DESC LIMIT 1": "tie",
    "SELECT COUNT(*) FROM notes WHERE id = (SELECT id FROM drivers ORDER BY points DESC LIMIT 1)": "tie",
    "SELECT id FROM notes GROUP BY id ORDER BY MIN(1) LIMIT 1": "tie",
    "DELETE FROM drivers ORDER BY points DESC LIMIT 1": "tie",
    "SELECT name FROM drivers LIMIT 2": "limit",
    "SELECT name FROM drivers WHERE id IN (SELECT * FROM (SELECT id FROM drivers LIMIT 2) AS x)": "limit",
    "DELETE FROM notes LIMIT 1": "limit",
    "INSERT INTO notes SELECT id, name FROM drivers LIMIT 1": "limit",
    "SELECT name FROM drivers ORDER BY points LIMIT 1": "null",
    "SELECT name FROM drivers ORDER BY points": "null",
    "SELECT name FROM drivers ORDER BY points DESC LIMIT 4": "null",
    "SELECT name FROM drivers ORDER BY speed DESC LIMIT 1": "text-number",
    "SELECT name, speed AS s FROM drivers WHERE speed IS NOT NULL ORDER BY s": "text-number",
    "SELECT name FROM drivers WHERE speed > '9'": "text-number",
    "SELECT name FROM drivers WHERE speed BETWEEN '1' AND '10'": "text-number",
    "SELECT MAX(speed) FROM drivers": "text-number",
    "SELECT name FROM drivers WHERE speed = (SELECT MIN(d.speed) FROM drivers AS d)": "text-number",
    "SELECT name FROM drivers WHERE id NOT IN (SELECT points FROM drivers)": "not-in",
    "SELECT name FROM drivers WHERE id <> ALL (SELECT points FROM drivers)": "not-in",
    "SELECT name FROM drivers WHERE id NOT IN (1, NULL)": "not-in",
    "SELECT name FROM drivers WHERE id NOT IN (SELECT MAX(points) FROM drivers GROUP BY name)": "not-in",
    "SELECT id, t FROM notes GROUP BY id": "group",
    "SELECT *, COUNT(*) FROM notes GROUP BY id": "group",
    "SELECT name, MAX(id) FROM drivers": "group",
    "SELECT GROUP_CONCAT(name) FROM drivers WHERE points = 10": "concat",
    "SELECT name, ROW_NUMBER() OVER (ORDER BY points DESC) FROM drivers": "window",
    "SELECT name FROM drivers ORDER BY RAND() LIMIT 1": "chance",
    "SELECT UUID()": "chance",
    "SELECT CURRENT_DATE()": "clock",
    "SELECT COUNT(*) FROM drivers WHERE code < YEAR(CURDATE())": "clock",
    "UPDATE notes SET t = NOW()": "clock",
    "UPDATE notes SET t = 'x'; ALTER TABLE notes AUTO_INCREMENT = 5": "unjudged",
    "INSERT INTO log (id) VALUES (1)": "clock",
    "SELECT name FROM drivers ORDER BY TRIM(speed) DESC LIMIT 1": "text-number",
    "SELECT MAX(COALESCE(speed, '0')) FROM drivers": "text-number",
    "SELECT MAX(s) FROM (SELECT speed AS s FROM drivers) AS x": "text-number",
    "WITH x AS (SELECT name, speed FROM drivers) SELECT name FROM x ORDER BY speed DESC LIMIT 1": "text-number",
    "SELECT name, RANK() OVER (ORDER BY speed DESC) FROM drivers WHERE speed IS NOT NULL": "text-number",
    "SELECT name FROM drivers WHERE speed >= ALL (SELECT d.speed FROM drivers d WHERE d.id < 4)": "text-number",
    "SELECT GREATEST(speed, '9') FROM drivers WHERE id = 2": "text-number",
    "SELECT id FROM drivers WHERE NOT (id IN (SELECT points FROM drivers))": "not-in",
    "SELECT name FROM drivers WHERE NOT (id = ANY (SELECT points FROM drivers))": "not-in",
    "WITH p AS (SELECT points FROM drivers) SELECT name FROM drivers WHERE id NOT IN (SELECT * FROM p)": "not-in",
    "SELECT COUNT(*) FROM drivers WHERE (id, id) NOT IN (SELECT points, points FROM drivers)": "not-in",
    "SELECT id FROM drivers WHERE name < 5": "text-compared",
    "SELECT id FROM drivers WHERE name = 0": "text-compared",
}
"""Golds, and the rule that tells of each."""

DETERMINED = (
    "SELECT name FROM drivers ORDER BY id LIMIT 1",
    "SELECT points FROM drivers ORDER BY points DESC LIMIT 1",
    "SELECT DISTINCT points FROM drivers WHERE points = 10 LIMIT 1",
    "SELECT name FROM drivers WHERE points IS NOT NULL ORDER BY points LIMIT 1",
    "SELECT name FROM drivers ORDER BY points DESC, id LIMIT 2",
    "SELECT name FROM drivers LIMIT 10",
    "SELECT name FROM drivers ORDER BY code DESC LIMIT 1",
    "SELECT name FROM drivers WHERE code > '2000'",
    "SELECT MAX(code), MIN(code), MAX(name) FROM drivers",
    "SELECT name FROM drivers WHERE code > 2000",
    "SELECT name FROM drivers WHERE id NOT IN (SELECT id FROM notes)",
    "SELECT name FROM drivers WHERE name NOT IN ('Ann')",
    "SELECT d.id, d.name, COUNT(*) FROM drivers d JOIN notes n ON n.id = d.id GROUP BY d.id",
    "SELECT UPPER(name), COUNT(*) FROM drivers GROUP BY UPPER(name)",
    "SELECT name AS n, COUNT(*) FROM drivers GROUP BY n ORDER BY n",
    "SELECT name, COUNT(*) AS c FROM drivers GROUP BY 1 HAVING c > 0 ORDER BY c, name",
    "SELECT SUM(w), AVG(w), SUM(w) / 3 FROM drivers",
    "SELECT points, SUM(w) FROM drivers WHERE points IS NOT NULL GROUP BY points ORDER BY SUM(w) DESC LIMIT 1",
    "SELECT AVG(w), SUM(w), VARIANCE(w), STDDEV(w) FROM drivers",
    "SELECT MAX(c) FROM (SELECT code AS c FROM drivers) AS x",
    "WITH x AS (SELECT name, speed + 0 AS s FROM drivers) SELECT name FROM x ORDER BY s DESC LIMIT 1",
    "WITH p AS (SELECT points FROM drivers WHERE points > 0) SELECT id FROM drivers WHERE id NOT IN (SELECT * FROM p)",
    "SELECT GREATEST(code, '2000') FROM drivers",
    "INSERT INTO log VALUES (1, '2020-01-01 10:00:00')",
    "SELECT GROUP_CONCAT(name ORDER BY name) FROM drivers",
    "SELECT id, GROUP_CONCAT(DISTINCT id) FROM notes GROUP BY id",
    "SELECT name, ROW_NUMBER() OVER (ORDER BY id) FROM drivers",
    "SELECT name, RANK() OVER (ORDER BY w) FROM drivers",
    "SELECT name FROM drivers WHERE EXISTS (SELECT 1 FROM notes WHERE notes.id = drivers.id LIMIT 1)",
    "SELECT 'now', name FROM drivers",
    "CREATE TABLE log (made TIMESTAMP NULL DEFAULT CURRENT_TIMESTAMP)",
    "UPDATE notes SET t = 'x' WHERE id = 1",
    "UPDATE notes SET t = 'x'; ALTER TABLE notes ADD COLUMN n INT",
    "START TRANSACTION; UPDATE notes SET t = 'x'; COMMIT",
    "SELECT n.nothing FROM notes n",
    "not a statement",
)


@pytest.fixture(scope="module", params=["sqlite", "mysql"])
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    if request.param == "mysql":
        try:
            server_program.find()
        except DatabaseError as error:
            pytest.skip(str(error))
    with SqliteDatabase() if request.param == "sqlite" else MysqlDatabase() as database:
        yield database


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set of a few golds."""
    folder = tmp_path_factory.mktemp("cars")
    (folder / "databases").mkdir()
    (folder / "databases" / "shop.sql").write_text(DUMP)
    golds = ("SELECT name FROM drivers ORDER BY points DESC LIMIT 1", "SELECT MAX(speed) FROM drivers", DETERMINED[0])
    tasks = [
        {"id": str(at), "query": f"Who is it, in way {at}?", "gold": gold, "database": "shop"}
        for at, gold in enumerate(golds)
    ]
    (folder / "tasks.json").write_text(json.dumps(tasks))
    return folder


def rules(gold: str, database: Database, folder: Path) -> list[str]:
    dataset = datasets.load(folder)
    place = database, dataset.source(dataset[0]), dataset.database(dataset[0])
    return [warning.rule for warning in lint(Task("cars/x", "?", gold), gold, *place)]


@pytest.mark.parametrize("gold", OPEN)
def test_what_the_data_leave_open_is_told(gold: str, database: Database, folder: Path) -> None:
    assert rules(gold, database, folder) == [OPEN[gold]]


@pytest.mark.parametrize("gold", DETERMINED)
def test_what_the_data_determine_is_left_alone(gold: str, database: Database, folder: Path) -> None:
    assert rules(gold, database, folder) == []


def test_every_rule_is_shown_at_work() -> None:
    assert set(OPEN.values()) == SQL_RULES.keys()


def test_hackcheck_certify_and_import_warn(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In all of their reports; and nothing is held against the golds."""
    settings = Settings(dataset=str(folder), database="sqlite", scoring="exact")
    adversaries = choose("sql", ["does-nothing"])
    with prepare(settings) as job, prepare(settings) as elsewhere:
        checks = HackCheck(job, elsewhere, adversaries).run()
        findings = GoldCheck(job).run()
    certificate = certify(settings)
    expected = [[("tie", "cars0/0")], [("text-number", "cars0/1")], []]
    for each in (checks, findings, certificate.verdicts):
        assert [[(warning.rule, warning.task) for warning in one.warnings] for one in each] == expected
        assert all(one.is_good for one in each)
    assert [each["rule"] for each in certificate.to_json()["gold_warnings"]] == ["tie", "text-number"]
    assert [each["warnings"][:1] and each["warnings"][0]["rule"] for each in to_json(findings, ())["tasks"]] == [
        "tie", "text-number", [],
    ]  # fmt: skip
    console = Console(width=200)
    hackcheck.show(console, HackcheckReport(checks, adversaries, "exact", len(checks)))
    dataset_import.show(console, findings, ())
    certificate_table.show(console, certificate)
    said = f"  1 gold: {SQL_RULES['tie']}: cars0/0"
    assert capsys.readouterr().out.count(said) == 3
