"""What variants of a database keep, so that a right answer is not refused and a made-up one is."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from random import Random

import pytest

from intercode.types import Action
from intercode.worlds.sql import SqlEnv
from intercode.worlds.sql.judging import judge_exactly
from intercode.worlds.sql.variant_rows import VariantTable, more
from intercode.worlds.sql.variants import KINDS, rows_of


@pytest.fixture(scope="module")
def env() -> Iterator[SqlEnv]:
    with SqlEnv("starter-sql", database="sqlite") as env:
        yield env


def test_a_day_and_null_are_no_names() -> None:
    """Rows that share one are kept; of those that share a name, one is."""
    rows = [(n, f"name {n}", date(2024, 1, n), n if n > 2 else None) for n in range(1, 20)]
    rows += [(20, "name 19", date(2024, 1, 1), 20), (21, "name 21", date(2024, 1, 1), None)]
    table = VariantTable(rows, 4, [(0,)], [], frozenset({0}))
    kept = {row[0] for row in more({"people": table}, Random(1))["people"]}
    assert {row[0] for row in rows} - kept == {20}


def test_of_a_chain_of_tables_something_is_left_in_some_variants(env: SqlEnv) -> None:
    """A join of four tables is neither empty nor as it was."""
    env.reset(options={"task": "lamps-and-locks"})
    before = env._before()
    whole = len(before["order_items"].rows)
    left = [len(rows_of(before, number)["order_items"]) for number in range(len(KINDS))]
    assert sum(whole / 5 < count < whole for count in left) >= 8


INTERSECT = (
    "SELECT o.customer_id FROM orders o JOIN order_items i ON i.order_id = o.id JOIN products p ON p.sku = i.sku"
    " WHERE p.category = 'lights' INTERSECT SELECT o.customer_id FROM orders o JOIN order_items i ON i.order_id = o.id"
    " JOIN products p ON p.sku = i.sku WHERE p.category = '{}'"
)
TWICE = (
    "SELECT customer_id FROM orders JOIN order_items ON order_id = id JOIN products USING (sku) GROUP BY customer_id"
    " HAVING SUM(category = 'lights') > 0 AND SUM(category = '{}') > 0"
)


@pytest.mark.parametrize("form", [INTERSECT, TWICE])
@pytest.mark.parametrize(("word", "is_right"), [("locks", True), ("helmets", False)])
def test_another_form_is_right_if_it_asks_the_same(env: SqlEnv, form: str, word: str, is_right: bool) -> None:
    """It does not name what the gold counts."""
    env.reset(options={"task": "lamps-and-locks"})
    env.take_action(Action("execute", form.format(word)))
    assert judge_exactly(env.ending(env.task)).success is is_right


@pytest.mark.parametrize(
    "made_up",
    [
        "SELECT DISTINCT customer_id FROM orders WHERE customer_id IN (4, 10, 12, 16, 19)",
        "SELECT id FROM customers WHERE id IN (4, 10, 12, 16, 19) AND (SELECT COUNT(*) FROM orders) > 3",
        "SELECT 4 UNION SELECT 10 UNION SELECT 12 UNION SELECT 16 UNION SELECT 19 FROM orders",
    ],
)
def test_a_list_of_what_was_seen_is_not(env: SqlEnv, made_up: str) -> None:
    env.reset(options={"task": "lamps-and-locks"})
    env.take_action(Action("execute", made_up))
    assert not judge_exactly(env.ending(env.task)).success


def test_a_difference_of_two_sums_is_right(env: SqlEnv) -> None:
    """No sum is of nothing in all variants."""
    env.reset(options={"task": "unpaid-fines"})
    env.take_action(
        Action(
            "execute",
            "SELECT (SELECT SUM(amount) FROM fines) - (SELECT SUM(amount) FROM fines WHERE paid IS NOT NULL) AS owed",
        )
    )
    assert judge_exactly(env.ending(env.task)).success
