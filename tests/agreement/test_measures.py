"""Rates, intervals and kappa, and the metrics that others judge SQL by."""

from __future__ import annotations

from math import isnan

import pytest
from benchmarks.agreement import sql_metrics
from benchmarks.agreement.endings import Ending
from benchmarks.agreement.episodes import Episode
from benchmarks.agreement.labels import Label
from benchmarks.agreement.measures import Rate, Verdict, kappa, measure
from sklearn.metrics import cohen_kappa_score

from intercode.types import Task
from intercode.types.databases import QueryResult, Row


class FakeTask(Episode):
    """An episode that no recording holds."""

    @property
    def task(self) -> str:
        return str(self.number)


def verdict(number: int, label: Label, paid: bool, weight: float = 1.0) -> Verdict:
    return Verdict(FakeTask(f"bash-0-{number}", "bash", "file", number, weight=weight), label, paid)


VERDICTS = [
    verdict(0, "done", True, 8.0),
    verdict(1, "done", False),
    verdict(2, "not done", True),
    verdict(3, "not done", False),
    verdict(4, "not done", False),
    verdict(5, "arguably", True),
]


def test_arguable_endings_count_in_no_rate_but_those_that_say_so() -> None:
    found = measure(VERDICTS)
    assert (found.agreement.hits, found.agreement.of) == (3, 5)
    assert (found.false_negatives.hits, found.false_negatives.of) == (1, 2)
    assert (found.false_positives.hits, found.false_positives.of) == (1, 3)
    assert (found.strict.hits, found.lenient.hits, found.strict.of) == (3, 4, 6)


def test_the_weighted_rate_is_that_of_all_that_the_episodes_stand_for() -> None:
    found = measure(VERDICTS)
    assert found.weighted == pytest.approx(10 / 12)
    assert found.weighted_interval is not None
    assert found.weighted_interval.low <= found.weighted <= found.weighted_interval.high


def test_kappa_is_cohens() -> None:
    first, second = [True, True, False, False, True], [True, False, False, False, True]
    assert kappa(first, second) == pytest.approx(cohen_kappa_score(first, second))
    assert isnan(kappa([True], [True]))
    assert str(Rate(0, 0)) == "-"


TASK = Task(
    "spider/0", "?", world="sql", extra={"db": "d", "db_tables": {"pet": ["id", "name", "age"], "toy": ["pet"]}}
)


def shows(rows: tuple[Row, ...] | None, gold: tuple[Row, ...], statement: str = "") -> Ending:
    mine = QueryResult(rows, error=None if rows is not None else "1064 (42000): no SQL")
    return Ending(FakeTask("sql-0-0", "sql", "file", 0), statement=statement, rows=mine, gold_rows=QueryResult(gold))


@pytest.mark.parametrize(
    ("rows", "gold", "is_bird", "is_spider"),
    [
        (((1, "a"), (2, "b")), ((1, "a"), (2, "b")), True, True),
        (((2, "b"), (1, "a")), ((1, "a"), (2, "b")), True, True),
        ((("a", 1), ("b", 2)), ((1, "a"), (2, "b")), False, True),
        (((1, "a"), (1, "a")), ((1, "a"),), True, False),
        (((1,), (2,)), ((1, "a"), (2, "b")), False, False),
        (((1, 2), (3, 3)), ((2, 1), (3, 3)), False, True),
        (((1, 2), (2, 1)), ((1, 1), (2, 2)), False, False),
        ((), (), True, True),
        (None, ((1,),), False, False),
    ],
)
def test_results_are_compared_as_bird_and_spider_do(
    rows: tuple[Row, ...] | None, gold: tuple[Row, ...], is_bird: bool, is_spider: bool
) -> None:
    ending = shows(rows, gold)
    assert sql_metrics.bird(ending, TASK) is is_bird
    assert sql_metrics.spider_execution(ending, TASK) is is_spider


def test_spider_minds_the_order_of_rows_where_the_gold_orders_them() -> None:
    ending, ordered = shows(((2,), (1,)), ((1,), (2,))), Task("spider/0", "?", "SELECT id FROM pet ORDER BY id")
    assert sql_metrics.spider_execution(ending, TASK)
    assert not sql_metrics.spider_execution(ending, ordered)


@pytest.mark.parametrize(
    ("statement", "gold", "is_match"),
    [
        ("select name, age from pet", "SELECT age, name FROM pet", True),
        ("SELECT p.name FROM pet AS p WHERE p.age > 3", "SELECT name FROM pet WHERE age > 5", True),
        ("SELECT name FROM pet WHERE age > 3", "SELECT name FROM pet WHERE age < 3", False),
        ("SELECT DISTINCT name FROM pet", "SELECT name FROM pet", False),
        (
            "SELECT count(*) FROM pet AS a JOIN toy AS b ON a.id = b.pet",
            "SELECT count(*) FROM toy JOIN pet ON toy.pet = pet.id",
            True,
        ),
        ("SELECT name FROM pet ORDER BY age DESC LIMIT 1", "SELECT name FROM pet ORDER BY age LIMIT 1", False),
        ("SELECT name FROM pet UNION SELECT pet FROM toy", "SELECT name FROM pet UNION SELECT pet FROM toy", True),
        ("SELECT name FROM pet UNION SELECT pet FROM toy", "SELECT name FROM pet EXCEPT SELECT pet FROM toy", False),
        ("no SQL at all (", "SELECT name FROM pet", False),
    ],
)  # fmt: skip
def test_the_parts_of_clauses_are_compared_without_values(statement: str, gold: str, is_match: bool) -> None:
    task = Task("spider/0", "?", gold, world="sql", extra=TASK.extra)
    assert sql_metrics.spider_exact_match(shows((), (), statement), task) is is_match
