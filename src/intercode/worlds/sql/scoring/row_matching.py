"""How much of a wanted result an answer holds, whatever the order of its columns.

Columns are told by what is in them, and the same serve for all rows: each column of the answer is one of the wanted
ones from the first row to the last.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from intercode.rewards.core.answer import is_mostly_unrequested
from intercode.types.databases import Row
from intercode.worlds.sql.scoring.column_matching import is_rearranged, likely_pairs
from intercode.worlds.sql.scoring.expected_rows import ExpectedRows
from intercode.worlds.sql.scoring.kendall import inversions
from intercode.worlds.sql.scoring.values import PlainRow, ValueReader, plain


@dataclass(frozen=True, slots=True)
class RowMatch:
    """How an answer compares with what is wanted.

    `same`: it is right. Else three shares: `rows`, the common rows over all rows of both sides; `order`, the pairs of
    common rows that stand as they should over those whose order counts; `columns`, the ones found over all of the
    wider side. `rows` is 0 where more than half of the answer's rows were not asked for, and where half
    of the wanted ones or more are missing: the first row of a table is among the wanted ones more often than not.
    """

    same: bool
    rows: float = 1.0
    order: float = 1.0
    columns: float = 1.0


def match(found: Sequence[Row], expected: ExpectedRows) -> RowMatch:
    """Hold the rows *found* against those *expected*; both have one row and one column at least."""
    reader = ValueReader(expected.rows)
    said = [tuple(map(reader.read, row)) for row in found]
    right = [tuple(map(plain, row)) for row in expected.rows]
    if len(said) == len(expected.places) and is_rearranged(said, expected.places, right, expected.ranks):
        return RowMatch(same=True)
    return _partly(said, right, expected)


def _partly(said: list[PlainRow], right: list[PlainRow], expected: ExpectedRows) -> RowMatch:
    pairs = likely_pairs(said, right)
    mine = [tuple(row[left] for left, _ in pairs) for row in said]
    theirs = [tuple(row[right] for _, right in pairs) for row in right]
    common = min((Counter(mine) & Counter(theirs)).total(), len(expected.places))
    is_little = is_mostly_unrequested(len(mine), common) or 2 * common <= len(expected.places)
    return RowMatch(
        same=False,
        rows=0.0 if is_little else common / (len(mine) + len(expected.places) - common),
        order=_in_order(_ranks_of(mine, theirs, expected.ranks)),
        columns=len(pairs) / max(len(said[0]), len(right[0])),
    )


def _ranks_of(mine: list[PlainRow], theirs: list[PlainRow], ranks: Sequence[int]) -> list[int]:
    """Return the ranks of the rows that both have, as they stand in *mine*.

    Of equal rows the first has the first rank.
    """
    left: dict[PlainRow, list[int]] = defaultdict(list)
    for row, rank in zip(reversed(theirs), reversed(ranks), strict=True):
        left[row].append(rank)
    return [left[row].pop() for row in mine if left.get(row)]


def _in_order(ranks: list[int]) -> float:
    """Of all pairs of unequal ranks those that rise; 1 where there are none."""
    count = len(ranks)
    ties = sum(same * (same - 1) for same in Counter(ranks).values()) // 2
    untied = count * (count - 1) // 2 - ties
    return 1 - inversions(ranks) / untied if untied else 1.0
