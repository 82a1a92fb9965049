"""Near misses of golds are other queries, made on the syntax tree, and none is made that must show the same."""

from __future__ import annotations

import pytest
from benchmarks.spider_rows.mutants import KINDS, mutants

from intercode.worlds.sql.databases.sqlite import SqliteDatabase
from intercode.worlds.sql.datasets.starter_sql import StarterSqlDataset

COLUMNS = {
    "staff": {"id": "number", "name": "text", "town": "text", "age": "number", "wage": "number"},
    "shop": {"id": "number", "owner": "number", "name": "text"},
}


def made(gold: str, kind: str) -> list[str]:
    return [each.text for each in mutants(gold, COLUMNS) if each.kind == kind]


@pytest.mark.parametrize(
    ("gold", "kind", "expected"),
    [
        ("SELECT name FROM staff WHERE age > 3", "constant", {"age > 4", "age > 2"}),
        ("SELECT name FROM staff WHERE age > 3", "operator", {"age >= 3", "age < 3"}),
        ("SELECT name FROM staff WHERE age = 3 AND wage = 2", "operator", {"OR", "age <> 3", "wage <> 2"}),
        (
            "SELECT name FROM staff WHERE age = 3 AND wage = 2",
            "condition",
            {"WHERE age = 3", "WHERE wage = 2", "staff"},
        ),
        (
            "SELECT name FROM staff WHERE age BETWEEN 3 AND 5",
            "operator",
            {"age > 3 AND age <= 5", "age >= 3 AND age < 5"},
        ),
        ("SELECT name FROM staff WHERE name LIKE '%a%'", "operator", {"'a%'", "'%a'"}),
        ("SELECT name FROM staff WHERE id NOT IN (SELECT owner FROM shop)", "operator", {"WHERE id IN"}),
        ("SELECT min(age) FROM staff", "aggregate", {"MAX(age)"}),
        ("SELECT DISTINCT name FROM staff", "distinct", {"SELECT name"}),
        ("SELECT count(DISTINCT name) FROM staff", "distinct", {"COUNT(name)"}),
        ("SELECT name FROM staff INTERSECT SELECT name FROM shop", "set", {"UNION"}),
        ("SELECT name FROM staff ORDER BY age DESC", "order", {"ORDER BY age", "FROM staff"}),
        ("SELECT name FROM staff ORDER BY age LIMIT 1", "limit", {"LIMIT 2", "ORDER BY age"}),
        (
            "SELECT shop.name FROM staff JOIN shop ON staff.id = shop.owner",
            "join",
            {"LEFT JOIN", "RIGHT JOIN", ", shop"},
        ),
    ],
)
def test_each_kind_makes_its_near_misses(gold: str, kind: str, expected: set[str]) -> None:
    found = made(gold, kind)
    assert kind in KINDS
    for part in expected:
        assert any(part in text for text in found), (part, found)


def test_other_columns_are_of_the_same_table_and_kind() -> None:
    found = made("SELECT name FROM staff ORDER BY age", "column")
    assert found
    assert all("`town`" in text or "`id`" in text or "`wage`" in text for text in found)


@pytest.mark.parametrize(
    ("gold", "kind"),
    [
        ("SELECT name FROM staff", "distinct"),
        ("SELECT town FROM staff GROUP BY town HAVING count(*) >= 1", "constant"),
        ("SELECT name FROM staff WHERE id IN (SELECT T1.owner FROM shop T1 JOIN staff T2 ON T1.owner = T2.id)", "join"),
        ("SELECT count(name) FROM staff", "column"),
    ],
)
def test_what_must_show_the_same_is_not_made(gold: str, kind: str) -> None:
    assert not [text for text in made(gold, kind) if ">= 2" not in text]


def test_near_misses_are_different_and_the_same_at_every_call() -> None:
    gold = "SELECT T1.name, count(*) FROM staff T1 JOIN shop T2 ON T1.id = T2.owner WHERE T1.age > 3 GROUP BY T1.id"
    found = [each.text for each in mutants(gold, COLUMNS)]
    assert len(set(found)) == len(found) > 5
    assert found == [each.text for each in mutants(gold, COLUMNS)]
    assert mutants("INSERT INTO staff VALUES (1)", COLUMNS) == mutants("no SQL", COLUMNS) == []


def test_near_misses_of_real_golds_are_statements_that_run() -> None:
    dataset = StarterSqlDataset()
    ran = errors = 0
    with SqliteDatabase() as engine:
        for task in list(dataset)[:20]:
            with engine.open(dataset.source(task), dataset.database(task)) as session:
                for each in mutants(task.gold or "", {}):
                    result = session.run(each.text)
                    ran, errors = ran + 1, errors + (result.error is not None)
    assert ran > 50
    assert errors < ran / 20
