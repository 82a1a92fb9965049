"""The rows that are right: a gold's, and those that its statement holds for as good."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

from intercode.types.databases import QueryResult, Row
from intercode.worlds.sql.scoring.gold_order import GoldOrder
from intercode.worlds.sql.scoring.values import plain


@dataclass(frozen=True, slots=True)
class ExpectedRows:
    """Which rows may stand where.

    `rows` are all rows that an answer may hold and `ranks` their ranks; `places` has the rank for each place of an
    answer. A row may stand at every place of its rank, as often as it is in `rows`. There are more rows than places
    where a LIMIT cut through rows of one rank.
    """

    rows: Sequence[Row]
    ranks: Sequence[int]
    places: Sequence[int]

    @property
    def is_ordered(self) -> bool:
        """Return whether there is more than one rank."""
        return bool(self.places) and self.places[0] != self.places[-1]


def expected_rows(gold: Sequence[Row], order: GoldOrder, probe: QueryResult | None) -> ExpectedRows:
    """Return what is right where the gold's rows are *gold*, its statement says *order*, and its probe showed *probe*.

    Where the order counts and nothing tells which rows are of one rank, each row has a rank of its own: right is what
    stands exactly as in *gold*.
    """
    if probe is not None and probe.rows is not None:
        found = _from_probe(probe.rows, order)
        if _holds(found, gold):
            return found
    if order.visible and order.limit is None and not order.offset:
        ranks = _ranks(_chosen(row, order.visible) for row in gold)
    else:
        ranks = list(range(len(gold))) if order.ordered else [0] * len(gold)
    return ExpectedRows(gold, ranks, ranks)


def _from_probe(rows: Sequence[Row], order: GoldOrder) -> ExpectedRows:
    ranks = _ranks(_chosen(row, order.visible) + row[len(row) - order.added :] for row in rows)
    end = None if order.limit is None else order.offset + order.limit
    places = ranks[order.offset : end]
    inside = set(places)
    inside_rows = [
        (row[: len(row) - order.added], rank) for row, rank in zip(rows, ranks, strict=True) if rank in inside
    ]
    return ExpectedRows([row for row, _ in inside_rows], [rank for _, rank in inside_rows], places)


def _holds(found: ExpectedRows, gold: Sequence[Row]) -> bool:
    """Return whether the gold's own rows are right by what its probe told; if not, the probe asked something else."""
    if len(found.places) != len(gold):
        return False
    return Counter(zip(found.places, gold, strict=True)) <= Counter(zip(found.ranks, found.rows, strict=True))


def _chosen(row: Row, places: Iterable[int]) -> Row:
    return tuple(row[place] for place in places)


def _ranks(keys: Iterable[Row]) -> list[int]:
    """Return one rank for each run of equal keys, from 0. Databases may hold capitals and small letters for equal."""
    plainly = [_key(key) for key in keys]
    return list(accumulate((first != second for first, second in pairwise(plainly)), initial=0))[: len(plainly)]


def _key(values: Row) -> tuple[Any, ...]:
    found = map(plain, values)
    return tuple(value.casefold() if isinstance(value, str) else value for value in found)
