"""Kendall's tau-b of two lists of texts: how far one stands in the order of the other.

The number that scipy's `kendalltau` gives, to the last bit, without the arrays and the p-value that it makes besides.
Texts rank by their code points, as numpy sorts them.
"""

from __future__ import annotations

import math
from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from operator import le

_FEW = 500
"""Up to so many values, putting one after the other into a sorted list is the fastest way to count inversions."""


def tau(first: Sequence[str], second: Sequence[str]) -> float | None:
    """Tau-b, from -1 to 1; None (scipy: NaN) where one list holds less than two distinct texts.

    The lists are of one length: compared are the pairs of texts at the same place. Takes time n·log n.
    """
    total = _pairs(len(first))
    first_ties, second_ties, joint_ties, discordant = _counts(first, second)
    if total in (first_ties, second_ties):
        return None
    difference = total - first_ties - second_ties + joint_ties - 2 * discordant
    value = difference / math.sqrt(total - first_ties) / math.sqrt(total - second_ties)
    return min(1.0, max(-1.0, value))


def inversions(values: list[int]) -> int:
    """In how many pairs of places the greater value stands before the lesser one."""
    if all(map(le, values, values[1:])):
        return 0
    if len(values) <= _FEW:
        return _inversions_of_few(values)
    middle = len(values) // 2
    left, right = values[:middle], values[middle:]
    return inversions(left) + inversions(right) + _crossing(sorted(left), sorted(right))


def _counts(first: Sequence[str], second: Sequence[str]) -> tuple[int, int, int, int]:
    """Of all pairs of places: tied in the first list, in the second, in both, and ordered one against the other."""
    if first == second:
        ties = _ties(first)
        return ties, ties, ties, 0
    left, right, size = _ranks(first), _ranks(second), len(first) + 1
    both = sorted([rank * size + other for rank, other in zip(left, right, strict=True)])
    return _ties(left), _ties(right), _ties(both), inversions([pair % size for pair in both])


def _ranks(texts: Sequence[str]) -> list[int]:
    """Return the place of each text among the distinct ones in order, from 0."""
    places = {text: place for place, text in enumerate(sorted(set(texts)))}
    return [places[text] for text in texts]


def _ties(values: Iterable[Hashable]) -> int:
    return sum(_pairs(count) for count in Counter(values).values() if count > 1)


def _pairs(number: int) -> int:
    return number * (number - 1) // 2


def _inversions_of_few(values: list[int]) -> int:
    count, seen = 0, list[int]()
    for value in values:
        count += len(seen) - bisect_right(seen, value)
        insort(seen, value)
    return count


def _crossing(left: list[int], right: list[int]) -> int:
    """In how many pairs of one value of each, both sorted, the *left* one is greater."""
    count, place = 0, 0
    for value in right:
        place = bisect_right(left, value, place)
        count += len(left) - place
    return count
