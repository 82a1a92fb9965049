"""The exact reward of queries: what is right, what is partly right, and what cannot be bought."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercode.types import Score
from intercode.types.databases import QueryResult
from intercode.worlds.sql.scoring.exact import exact, question
from intercode.worlds.sql.scoring.final_state import SqlEnding, SqlFinalState
from worlds.sql.scoring.row_values import FAILED, NO_ROWS, TASK, ending, result, state, table

Rows = list[tuple[Any, ...]]

ANN, BOB, EVE = ("ann", 30), ("bob", 25), ("eve", 25)
BY_AGE = "SELECT name, age FROM staff ORDER BY age"


def judged(mine: Rows, golds: Rows, gold: str = "SELECT name, age FROM staff", probe: Rows | None = None) -> Score:
    asked = None if probe is None else result(*probe)
    return exact(ending(result(*mine), result(*golds), gold, probe=asked))


# ---------------------------------------------------------------- what is right


@pytest.mark.parametrize(
    ("mine", "golds"),
    [
        ([ANN, BOB], [ANN, BOB]),
        ([BOB, ANN], [ANN, BOB]),
        ([(30, "ann"), (25, "bob")], [ANN, BOB]),
        ([(25, "bob"), (30, "ann")], [ANN, BOB]),
        ([("ann", 30.0), ("bob", Decimal("25.00"))], [ANN, BOB]),
        ([("ann", "30"), ("bob", "25")], [ANN, BOB]),
        ([(1 / 3,)], [(Decimal("0.3333"),)]),
        ([("2020-01-02", None)], [(date(2020, 1, 2), None)]),
        ([ANN, ANN, BOB], [ANN, BOB, ANN]),
    ],
)
def test_rows_columns_and_types_are_free_where_nothing_is_ordered(mine: Rows, golds: Rows) -> None:
    assert judged(mine, golds) == Score(1.0, success=True, parts={"rows": 1.0})


@pytest.mark.parametrize(
    "mine",
    [
        [ANN],
        [ANN, BOB, BOB],
        [ANN, BOB, EVE],
        [("ann", 25), ("bob", 30)],
        [("ann",), ("bob",)],
        [("ann", 30, 1), ("bob", 25, 2)],
        [("Ann", 30), ("bob", 25)],
        [("ann", 30), (None, None)],
        [("ann", 30), (25, "bob")],
        [(1, 2)],
    ],
)
def test_anything_else_is_less_than_right(mine: Rows) -> None:
    score = judged(mine, [ANN, BOB])
    assert not score.success
    assert 0 <= score.value < 1
    assert score.notes


# ---------------------------------------------------------------- order


def test_the_order_counts_where_the_gold_orders() -> None:
    golds = [BOB, EVE, ANN]
    assert judged([BOB, EVE, ANN], golds, BY_AGE).success
    wrong = judged([ANN, BOB, EVE], golds, BY_AGE)
    assert not wrong.success
    assert wrong.parts["rows"] == 1
    assert 0.5 <= wrong.value < 1


def test_rows_of_one_rank_may_stand_in_any_order() -> None:
    """The gold's statement is asked again with what it orders by beside it; that tells the ranks."""
    golds, probe = [("bob",), ("eve",), ("ann",)], [("bob", 25), ("eve", 25), ("ann", 30)]
    gold = "SELECT name FROM staff ORDER BY age"
    assert judged([("eve",), ("bob",), ("ann",)], golds, gold, probe).success
    assert not judged([("eve",), ("ann",), ("bob",)], golds, gold, probe).success
    assert not judged([("eve",), ("eve",), ("ann",)], golds, gold, probe).success


def test_where_a_limit_cuts_through_a_rank_any_row_of_it_is_right() -> None:
    gold = "SELECT name FROM staff ORDER BY age LIMIT 1"
    probe: Rows = [("bob", 25), ("eve", 25), ("ann", 30)]
    assert judged([("eve",)], [("bob",)], gold, probe).success
    assert not judged([("ann",)], [("bob",)], gold, probe).success
    assert not judged([("bob",), ("eve",)], [("bob",)], gold, probe).success


def test_a_limit_without_an_order_takes_any_rows() -> None:
    gold, probe = "SELECT name FROM staff LIMIT 2", [("bob",), ("eve",), ("ann",)]
    assert judged([("ann",), ("bob",)], [("bob",), ("eve",)], gold, probe).success
    assert not judged([("ann",), ("ann",)], [("bob",), ("eve",)], gold, probe).success


def test_an_offset_begins_in_the_middle_of_a_rank() -> None:
    gold = "SELECT name FROM staff ORDER BY age LIMIT 2 OFFSET 1"
    probe: Rows = [("bob", 25), ("eve", 25), ("ann", 30), ("zoe", 31)]
    assert judged([("bob",), ("ann",)], [("eve",), ("ann",)], gold, probe).success
    assert not judged([("ann",), ("bob",)], [("eve",), ("ann",)], gold, probe).success
    assert not judged([("bob",), ("zoe",)], [("eve",), ("ann",)], gold, probe).success


def test_capitals_do_not_make_two_ranks() -> None:
    """MySQL's collations hold them for equal, so either order may come."""
    gold = "SELECT name FROM staff ORDER BY city"
    probe: Rows = [("ann", "bern"), ("bob", "Bern")]
    assert judged([("bob",), ("ann",)], [("ann",), ("bob",)], gold, probe).success


def test_distinct_rows_are_ranked_by_their_own_columns() -> None:
    gold = "SELECT DISTINCT name, age FROM staff ORDER BY age"
    assert judged([EVE, BOB, ANN], [BOB, EVE, ANN], gold).success
    assert not judged([EVE, ANN, BOB], [BOB, EVE, ANN], gold).success


@pytest.mark.parametrize("probe", [None, [("someone", 1), ("else", 2), ("here", 3)], [("bob", 25)]])
def test_without_a_probe_that_fits_the_golds_own_order_counts(probe: Rows | None) -> None:
    """Fewer are right then, but none is wrong that stands as the gold does."""
    golds, gold = [("bob",), ("eve",), ("ann",)], "SELECT name FROM staff ORDER BY age"
    assert judged(golds, golds, gold, probe).success
    assert not judged([("eve",), ("bob",), ("ann",)], golds, gold, probe).success


def test_a_probe_is_wanted_only_where_it_can_tell_something() -> None:
    golds, gold = [("bob",), ("eve",)], "SELECT name FROM staff ORDER BY age LIMIT 2"
    probe = "SELECT name, age AS intercode_key_0 FROM staff ORDER BY age"
    assert question(ending(result(("eve",), ("bob",)), result(*golds), gold)) == probe
    for mine in (result(*golds), result(("bob",)), result(), FAILED, NO_ROWS, None):
        assert question(ending(mine, result(*golds), gold)) is None
    for golds_result in (result(), FAILED, NO_ROWS):
        assert question(ending(result(("eve",)), golds_result, gold)) is None
    assert question(ending(result(("eve",), ("bob",)), result(*golds), "SELECT name FROM staff")) is None


def test_a_gold_that_writes_is_not_asked_again() -> None:
    """The statement that shows something then is one that followed the writing."""
    asked = ending(result(("b",), ("a",)), result(("a",), ("b",)), "SELECT a FROM t ORDER BY b")
    assert question(asked) is not None
    assert question(replace(asked, gold=replace(asked.gold, state=state(table("t", (1, "a")))))) is None


# ---------------------------------------------------------------- partly right


def test_a_missing_row_costs_its_share() -> None:
    assert judged([ANN, BOB], [ANN, BOB, EVE]).value == pytest.approx(2 / 3)


def test_a_row_too_many_costs_its_share() -> None:
    assert judged([ANN, BOB, EVE], [ANN, BOB]).value == pytest.approx(2 / 3)


def test_columns_too_many_cost_their_share() -> None:
    score = judged([("ann", 30, "bern"), ("bob", 25, "ulm")], [("ann",), ("bob",)])
    assert score.value == pytest.approx(1 / 3)
    assert score.parts == {"rows": 1, "columns": pytest.approx(1 / 3)}


def test_the_reverse_order_is_worth_a_half() -> None:
    score = judged([("c", 3), ("b", 2), ("a", 1)], [("a", 1), ("b", 2), ("c", 3)], "SELECT a, b FROM t ORDER BY b")
    assert score.value == 0.5
    assert score.parts == {"rows": 1, "columns": 1, "order": 0}


def test_almost_right_is_never_right() -> None:
    rows: Rows = [(number,) for number in range(10_000)]
    assert judged(rows[:-1], rows).value == 0.99


def test_of_a_limit_that_cuts_through_a_rank_any_row_counts_in_part() -> None:
    gold = "SELECT name FROM staff ORDER BY age LIMIT 1"
    probe: Rows = [("bob", 25), ("eve", 25)]
    assert judged([("eve", 25)], [("bob",)], gold, probe).value == 0.5


# ---------------------------------------------------------------- nothing, errors, empty results


def test_doing_nothing_is_worth_nothing() -> None:
    for golds in (result(ANN), result(), NO_ROWS):
        assert exact(ending(None, golds)).value == 0


def test_two_equal_errors_are_no_agreement() -> None:
    score = exact(ending(FAILED, FAILED))
    assert score.value == 0
    assert "the gold itself fails" in score.notes[0]


@pytest.mark.parametrize("mine", [FAILED, NO_ROWS, QueryResult(None, timed_out=True, error="3024 (HY000): too long")])
def test_no_rows_to_show_are_no_answer(mine: QueryResult) -> None:
    assert exact(ending(mine, result(ANN))).value == 0
    assert exact(ending(mine, result())).value == 0


def test_a_gold_that_does_nothing_can_not_be_met() -> None:
    score = exact(ending(NO_ROWS, NO_ROWS, "SET @a = 1"))
    assert score.value == 0
    assert "vacuous" in score.notes[0]


NOBODY = "SELECT name FROM staff AS s JOIN shop ON shop.id = s.shop WHERE city = 'Bern' AND age > 80 LIMIT 3"


@pytest.mark.parametrize(
    "statement",
    [
        NOBODY,
        "select S.name from SHOP s1, Staff S where s1.id = S.shop and S.age >= 81 and upper(city) = 'BERN'",
        "WITH old AS (SELECT * FROM staff WHERE age > 80) "
        "SELECT old.name FROM old, shop WHERE shop.id = old.shop AND city LIKE '%bern%'",
    ],
)
def test_an_empty_result_is_right_if_it_was_asked_for_the_same(statement: str) -> None:
    assert exact(ending(result(), result(), NOBODY, statement=statement)).success


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT 1 WHERE 1 = 0",
        "SELECT id FROM staff AS s JOIN shop ON shop.id = s.shop WHERE city = 'Bern' AND age > 80",
        "SELECT name FROM staff AS s JOIN shop ON shop.id = s.shop WHERE shop.name = 'Bern' AND age > 80",
        "SELECT name FROM staff WHERE 1 = 0",
        "SELECT name FROM staff WHERE city = 'Bern' AND age > 80",
        "SELECT name FROM staff, shop WHERE city = 'Bern'",
        "SELECT table_name FROM information_schema.tables WHERE table_schema = 'staff'",
        "SHOW TABLES LIKE 'staff'",
        "SELEC name FORM staff",
    ],
)
def test_an_empty_result_of_another_question_is_not(statement: str) -> None:
    score = exact(ending(result(), result(), NOBODY, statement=statement))
    assert score.value == 0
    assert score.notes


COUNT = "SELECT COUNT(DISTINCT s.name), AVG(s.age) FROM staff AS s WHERE LOWER(city) = 'bern'"


@pytest.mark.parametrize("golds", [(0, None), (0, 0.0), (None, None)])
def test_a_row_of_nothing_but_0_and_null_proves_as_little(golds: tuple[Any, ...]) -> None:
    """Whoever shows it has to have asked for it, too."""
    same = "SELECT COUNT(DISTINCT name), SUM(age) / COUNT(*) FROM staff WHERE city LIKE '%Bern%'"
    for statement, is_right in (
        (COUNT, True),
        (same, True),
        ("SELECT 0, NULL FROM staff", False),
        ("SELECT COUNT(*), AVG(age) FROM staff WHERE city = 'Bern'", False),
        ("SELECT COUNT(DISTINCT name), AVG(age) FROM staff WHERE name = 'Bern'", False),
        ("SELECT COUNT(DISTINCT name), AVG(age) FROM staff WHERE city = 'Ulm'", False),
        ("SELECT COUNT(DISTINCT name), AVG(age) FROM shop WHERE city = 'Bern'", False),
    ):
        score = exact(ending(result(golds), result(golds), COUNT, statement=statement))
        assert (score.value, score.success) == (float(is_right), is_right), statement
        assert is_right or score.notes


def test_a_row_with_anything_else_is_proof_enough() -> None:
    for golds in ([(0, 1)], [(0, "ann")], [(0, 0), (0, 0)]):
        assert exact(ending(result(*golds), result(*golds), COUNT, statement="SELECT id, no FROM staff")).success


def test_an_empty_answer_names_the_columns_that_the_gold_shows() -> None:
    gold = "SELECT name, age FROM staff WHERE city = 'Bern'"
    for statement, is_right in (
        ("SELECT age, name FROM staff WHERE city = 'Bern'", True),
        ("SELECT name, id FROM staff WHERE city = 'Bern'", False),
        ("SELECT * FROM staff WHERE city = 'Bern'", True),
    ):
        assert exact(ending(result(columns=2), result(columns=2), gold, statement=statement)).success == is_right, (
            statement
        )
    whole = QueryResult((), ("name", "age"))
    star = "SELECT * FROM staff WHERE city = 'Bern'"
    for statement, is_right in (
        (gold, True),
        (star, True),
        ("SELECT name, city FROM staff WHERE city = 'Bern'", False),
    ):
        assert exact(ending(whole, whole, star, statement=statement)).success == is_right, statement


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT 'ann', 30 UNION SELECT 'bob', 25",
        "SELECT 'ann', 30 FROM dual",
        "SELECT * FROM (VALUES ROW('ann', 30), ROW('bob', 25)) AS t",
        "WITH staff AS (SELECT 'ann' AS name, 30 AS age) SELECT name, age FROM staff",
        "SELECT * FROM json_each('[1]')",
        "SELECT table_name, 1 FROM information_schema.tables",
        f"SELECT name, age FROM staff /* {'x' * 20_000} */",
        "SELECT ((( 'ann', 30",
    ],
)
def test_an_answer_that_reads_no_table_is_worth_nothing(statement: str) -> None:
    """Right or partly right: what it shows, it says itself."""
    for mine in ([ANN, BOB], [ANN]):
        score = exact(ending(result(*mine), result(ANN, BOB), statement=statement))
        assert (score.value, score.notes) == (0, ("the last statement reads no table",))


def test_an_answer_may_read_no_table_where_the_gold_reads_none() -> None:
    assert exact(ending(result((42,)), result((42,)), "SELECT 6 * 7", statement="SELECT 42")).success


def test_lists_of_small_counts_hit_by_chance_only() -> None:
    numbers = tuple(range(10))
    assert exact(ending(result(numbers), result((3,)), "SELECT COUNT(*) FROM staff")).value == 0
    assert exact(ending(result((*numbers, 340)), result((340,)), "SELECT COUNT(*) FROM staff")).value > 0


def test_an_empty_result_needs_the_golds_number_of_columns() -> None:
    assert not exact(ending(result(columns=2), result(columns=1), NOBODY, statement=NOBODY)).success


def test_rows_where_there_should_be_none_are_wrong_and_none_where_there_should_be_some() -> None:
    assert exact(ending(result(ANN), result(columns=2))).value == 0
    assert exact(ending(result(columns=2), result(ANN))).value == 0


def test_a_result_cut_off_is_not_one_that_ends_there() -> None:
    """And two that were cut off at the same place are equal as far as anybody knows."""
    whole, cut = result(ANN, BOB), result(ANN, BOB, truncated=True)
    assert not exact(ending(cut, whole)).success
    assert not exact(ending(whole, cut)).success
    assert exact(ending(cut, cut)).success


# ---------------------------------------------------------------- tasks that only look, and agents that do more

BEFORE = state(table("staff", (1, "ann"), (2, "bob")))


def test_changing_what_should_only_be_looked_at_halves_the_value() -> None:
    touched = ending(result(ANN), result(ANN))
    touched = replace(touched, before=BEFORE, agent=replace(touched.agent, state=state(table("staff", (1, "ann")))))
    score = exact(touched)
    assert (score.value, score.success) == (0.5, False)
    assert score.parts["state"] == 0
    assert "unwanted changes: 1" in score.notes


def test_changes_that_were_undone_cost_nothing() -> None:
    same = ending(result(ANN), result(ANN))
    assert exact(replace(same, before=BEFORE, agent=replace(same.agent, state=BEFORE))).success


cells = st.sampled_from([0, 1, 1.0, Decimal("1.50"), 1.5, "a", "A", "1", None])
tables = st.lists(st.tuples(cells, cells), max_size=5)
golds = st.sampled_from([
    "SELECT a, b FROM t", "SELECT a, b FROM t ORDER BY b", "SELECT a, b FROM t LIMIT 3",
    "SELECT DISTINCT a, b FROM t ORDER BY a DESC LIMIT 3", "SHOW TABLES", "nonsense ORDER BY a",
])  # fmt: skip


@given(tables, tables, golds, st.none() | st.lists(st.tuples(cells, cells, cells), max_size=5))
def test_values_lie_between_nothing_and_right(mine: Rows, right: Rows, gold: str, probe: Rows | None) -> None:
    """And success is the value 1, and only that; whatever a probe may have shown."""
    score = judged(mine, right, gold, probe)
    assert 0 <= score.value <= 1
    assert score.success == (score.value == 1)
    assert all(0 <= part <= 1 for part in score.parts.values())


@given(tables, golds)
def test_the_golds_own_rows_are_right(right: Rows, gold: str) -> None:
    asked = SqlFinalState(gold, result(*right, columns=2))
    assert exact(SqlEnding(TASK, asked, asked)).success
