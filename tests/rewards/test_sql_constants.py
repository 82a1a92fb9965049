"""What says the same whatever the rows was not asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from row_values import FAILED, ending, result

from intercode.databases.base import QueryResult
from intercode.rewards.sql.constants import SubsetResult, constants
from intercode.rewards.sql.exact import exact, may_be_constant
from intercode.types import Score

Rows = list[tuple[Any, ...]]


def subsets(mine: list[Rows], golds: list[Rows]) -> tuple[SubsetResult, ...]:
    return tuple(SubsetResult(result(*left), result(*right)) for left, right in zip(mine, golds, strict=True))


def judged(mine: Rows, golds: Rows, parts: tuple[SubsetResult, ...]) -> Score:
    return exact(replace(ending(result(*mine), result(*golds)), subsets=parts))


def test_a_right_number_that_never_moves_is_worth_nothing() -> None:
    parts = subsets([[(40,)], [(40,)]], [[(13,)], [(27,)]])
    score = judged([(40,)], [(40,)], parts)
    assert (score.value, score.success) == (0, False)
    assert "1 of the columns say the same whatever the rows" in score.notes


def test_one_that_moves_is_right() -> None:
    for moved in ([[(13,)], [(27,)]], [[(40,)], [(39,)]], [[(41,)], [(40,)]]):
        assert judged([(40,)], [(40,)], subsets(moved, [[(13,)], [(27,)]])).success


def test_what_does_not_move_in_the_gold_need_not_move() -> None:
    same: list[Rows] = [[(40,)], [(40,)]]
    assert judged([(40,)], [(40,)], subsets(same, same)).success


def test_a_constant_beside_what_was_asked_costs_its_share() -> None:
    golds: Rows = [("ann", 40), ("bob", 40)]
    parts = subsets([[("ann", 40)], [("bob", 40)]], [[("ann", 1)], [("bob", 2)]])
    score = judged(golds, golds, parts)
    assert not score.success
    assert score.value == 0.5


def test_a_column_is_told_from_the_golds_by_its_values() -> None:
    """The gold shows a constant, too, in another place."""
    golds: Rows = [("x", 40), ("x", 50)]
    parts = subsets([[(40, "x")], [(50, "x")]], [[("x", 40)], [("x", 50)]])
    assert judged([(40, "x"), (50, "x")], golds, parts).success


def test_without_rows_everywhere_nothing_is_known() -> None:
    mine, gold, moving = result((40,)), result((40,)), result((13,))
    for seen in (result(), None, FAILED):
        parts = [SubsetResult(result((40,)), moving), SubsetResult(seen, result((27,)))]
        assert constants(mine, gold, parts) == frozenset()
    parts = [SubsetResult(result((40,)), moving), SubsetResult(result((40,)), None)]
    assert constants(mine, gold, parts) == frozenset()
    assert constants(mine, gold, ()) == frozenset()


def test_it_is_looked_for_only_where_something_was_earned() -> None:
    right, gold = result((40,)), "SELECT COUNT(*) FROM staff"

    def is_looked_for(mine: QueryResult | None, golds: QueryResult, statement: str = "SELECT 40 FROM staff") -> bool:
        found = ending(mine, golds, gold, statement=statement)
        return may_be_constant(found, exact(found))

    assert is_looked_for(right, right)
    assert not is_looked_for(right, right, gold)
    assert not is_looked_for(result((50,)), right)
    assert not is_looked_for(result((0,)), result((0,)))
    assert not is_looked_for(None, right)
    assert not is_looked_for(right, FAILED)
