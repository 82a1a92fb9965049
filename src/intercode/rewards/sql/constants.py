"""Columns of an answer that were made up and not asked for: they say the same whatever is in the tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from intercode.databases.base import QueryResult, Row
from intercode.rewards.sql.values import Plain, plain


@dataclass(frozen=True, slots=True)
class SubsetResult:
    """What the answer's statement and the gold's show where only some of the rows are there."""

    mine: QueryResult | None
    gold: QueryResult | None


Values = frozenset[Plain]


def constants(mine: QueryResult, gold: QueryResult, subsets: Sequence[SubsetResult]) -> frozenset[int]:
    """The places of columns of *mine* that never move while the columns of *gold* that they could be do.

    A column moves if its values in two of the *subsets* results differ, or differ from those of the whole. Without
    rows in each of them nothing is known.
    """
    seen, expected = [each.mine for each in subsets], [each.gold for each in subsets]
    if not subsets or not all(each is not None for each in expected):
        return frozenset()
    moving = {place for place in range(len(gold.columns)) if _moves(place, [gold, *expected])}
    golds = [_values(gold, place) for place in range(len(gold.columns))]
    return frozenset(place for place in still(mine, seen) if _is_paired_with(moving, _values(mine, place), golds))


def still(mine: QueryResult, seen: Sequence[QueryResult | None]) -> frozenset[int]:
    """The places of columns of *mine* that move in no result *seen*; none where one of those has no rows."""
    if not all(each and each.rows for each in seen):
        return frozenset()
    return frozenset(place for place in range(len(mine.columns)) if not _moves(place, [mine, *seen]))


def without(rows: Sequence[Row], places: frozenset[int]) -> tuple[Row, ...]:
    """*rows* with nothing that any other could have at these *places*."""
    return tuple(tuple(_NOBODYS if at in places else value for at, value in enumerate(row)) for row in rows)


_NOBODYS = "\0constant\0"


def _is_paired_with(moving: set[int], values: Values, golds: Sequence[Values]) -> bool:
    alike = {place for place, column in enumerate(golds) if values & column}
    return bool(alike) and alike <= moving


def _moves(place: int, results: Sequence[QueryResult | None]) -> bool:
    return len({_values(result, place) for result in results}) > 1


def _values(result: QueryResult | None, place: int) -> Values:
    rows = () if result is None or result.rows is None else result.rows
    return frozenset(plain(row[place]) for row in rows if place < len(row))
