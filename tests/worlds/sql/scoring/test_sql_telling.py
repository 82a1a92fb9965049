"""Which variants of a database an answer has to follow its gold on."""

from __future__ import annotations

import pytest

from intercode.types import Score
from intercode.types.databases import QueryResult
from intercode.worlds.sql.scoring.exact import ELSEWHERE, least
from intercode.worlds.sql.scoring.gold_order import order_of
from intercode.worlds.sql.scoring.telling import has_repeats, is_telling, without_repeats
from worlds.sql.scoring.row_values import FAILED, result

COUNT = "SELECT COUNT(*) FROM dogs"


def tells(there: QueryResult, here: QueryResult, gold: str = COUNT, probe: QueryResult | None = None) -> bool:
    return is_telling(there, here, order_of(gold), probe)


def test_one_where_the_gold_shows_something_else_tells() -> None:
    assert tells(result((3,)), result((4,)))


@pytest.mark.parametrize("there", [result((4,)), result((0,)), result((None,)), result(), FAILED])
def test_one_where_it_shows_the_same_or_nothing_does_not(there: QueryResult) -> None:
    assert not tells(there, result((4,)))


def test_one_where_a_limit_cuts_through_a_tie_does_not() -> None:
    gold = "SELECT name FROM dogs ORDER BY age LIMIT 1"
    assert tells(result(("Rex",)), result(("Ada",)), gold, result(("Rex", 1), ("Ada", 2)))
    assert not tells(result(("Rex",)), result(("Ada",)), gold, result(("Rex", 1), ("Ada", 1)))


def test_rows_count_once_where_none_came_twice() -> None:
    assert without_repeats(result((1,), (2,), (1,))).rows == ((1,), (2,))
    assert has_repeats(result((1,), (1,)))
    assert not has_repeats(result((1,), (2,)))


def test_an_answer_is_worth_what_it_is_worth_elsewhere() -> None:
    right, half = Score(1.0, success=True), Score(0.5, success=False)
    assert least(right, right) == right
    assert (least(right, half).value, least(right, half).success) == (0.5, False)
    assert ELSEWHERE in least(right, half).notes
