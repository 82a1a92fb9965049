"""Which column of an answer is which column of the result that is wanted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from intercode.worlds.sql.scoring.values import PlainRow, number_in

_MOST_ROWS = 1_000_000
"""Rows that are compared before a search is given up: only results made to be alike in all columns come that far."""

_SMALL = 20
"""Whole numbers up to this one are right by chance: whoever lists them hits most counts."""

_ENOUGH_ROWS = 3
"""Rows that two columns have in common by more than chance, whatever is in them."""

Column = tuple[object, ...]


def is_rearranged(said: list[PlainRow], places: Sequence[int], right: list[PlainRow], ranks: Sequence[int]) -> bool:
    """Return whether with some order of its columns *said* holds rows of *right* only, each at a place of its rank.

    *places* has the rank that belongs at each place of *said*, and *ranks* that of each row of *right*.
    """
    if len(said[0]) != len(right[0]):
        return False
    if _fits([places, *zip(*said, strict=True)], [ranks, *zip(*right, strict=True)]):
        return True
    return _Search(said, places, right, ranks).succeeds([])


class _Search:
    """Takes the wanted columns one by one, those first that fewest columns of the answer can be."""

    def __init__(
        self, said: list[PlainRow], places: Sequence[int], right: list[PlainRow], ranks: Sequence[int]
    ) -> None:
        self._places, self._ranks = places, ranks
        self._mine, theirs = list(zip(*said, strict=True)), list(zip(*right, strict=True))
        first_like: dict[Column, int] = {}
        self._kind = [first_like.setdefault(column, place) for place, column in enumerate(self._mine)]
        my_bags = [Counter(zip(places, column, strict=True)) for column in self._mine]
        their_bags = [Counter(zip(ranks, column, strict=True)) for column in theirs]
        can_be = [[place for place, mine in enumerate(my_bags) if mine <= bag] for bag in their_bags]
        order = sorted(range(len(theirs)), key=lambda place: len(can_be[place]))
        self._theirs, self._can_be = [theirs[place] for place in order], [can_be[place] for place in order]
        self._trials = max(_MOST_ROWS // len(said), len(theirs) ** 2)

    def succeeds(self, chosen: list[int]) -> bool:
        """Return whether the columns *chosen* so far, which fit, can be completed."""
        if len(chosen) == len(self._theirs):
            return True
        tried: set[int] = set()
        for place in self._can_be[len(chosen)]:
            if place in chosen or self._kind[place] in tried or not self._trials:
                continue
            tried.add(self._kind[place])
            self._trials -= 1
            now = [*chosen, place]
            mine, theirs = [self._mine[each] for each in now], self._theirs[: len(now)]
            if _fits([self._places, *mine], [self._ranks, *theirs]) and self.succeeds(now):
                return True
        return False


def likely_pairs(said: list[PlainRow], right: list[PlainRow]) -> list[tuple[int, int]]:
    """Columns of both that share most values, each in one pair at most; none that share no more than chance gives."""
    mine, theirs = list(zip(*said, strict=True)), list(zip(*right, strict=True))
    my_sets, their_sets = ([set(column) for column in columns] for columns in (mine, theirs))
    shared = (
        (-len(left & other_values), abs(place - other), place, other)
        for place, left in enumerate(my_sets)
        for other, other_values in enumerate(their_sets)
        if not _by_chance(left & other_values, mine[place], theirs[other])
    )
    pairs: dict[int, int] = {}
    for _, _, place, other in sorted(shared):
        if place not in pairs.values() and other not in pairs:
            pairs[other] = place
    return [(pairs[other], other) for other in sorted(pairs)]


def _by_chance(common: set[object], mine: Column, theirs: Column) -> bool:
    """Return whether anybody might have named the values in *common*.

    NULL and small counts, in fewer than three rows.
    """
    return all(map(_is_guessed, common)) and (Counter(mine) & Counter(theirs)).total() < _ENOUGH_ROWS


def _is_guessed(value: object) -> bool:
    number = number_in(value) if isinstance(value, str) else value
    return value is None or (isinstance(number, int) and 0 <= number <= _SMALL)


def _fits(mine: Sequence[Sequence[object]], theirs: Sequence[Sequence[object]]) -> bool:
    """Return whether every row of the columns *mine* is a row of the columns *theirs*, as often."""
    return Counter(zip(*mine, strict=True)) <= Counter(zip(*theirs, strict=True))
