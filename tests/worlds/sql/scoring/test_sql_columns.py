"""Columns are told by what is in them."""

from __future__ import annotations

import time
from itertools import permutations

from hypothesis import assume, given
from hypothesis import strategies as st

from intercode.worlds.sql.scoring.column_matching import is_rearranged, likely_pairs
from intercode.worlds.sql.scoring.values import PlainRow


def same(said: list[PlainRow], right: list[PlainRow]) -> bool:
    """Where the order of the rows is free."""
    return is_rearranged(said, [0] * len(said), right, [0] * len(right))


@st.composite
def tables(draw: st.DrawFn) -> list[PlainRow]:
    width = draw(st.integers(1, 4))
    row = st.tuples(*[st.integers(0, 2)] * width)
    return draw(st.lists(row, min_size=1, max_size=6))


@given(tables(), st.data())
def test_any_order_of_rows_and_columns_is_the_same(table: list[PlainRow], data: st.DataObject) -> None:
    columns = data.draw(st.permutations(range(len(table[0]))))
    rows = data.draw(st.permutations(table))
    assert same([tuple(row[place] for place in columns) for row in rows], table)


@given(tables(), tables())
def test_nothing_else_is(first: list[PlainRow], second: list[PlainRow]) -> None:
    """By trying every order, as nobody should."""
    assume(len(first) == len(second))
    expected = sorted(second, key=repr)
    orders = permutations(range(len(first[0])))
    found = [sorted((tuple(row[place] for place in order) for row in first), key=repr) for order in orders]
    assert same(first, second) == (expected in found)


def test_one_order_of_columns_has_to_serve_for_all_rows() -> None:
    assert not same([(1, 2), (4, 3)], [(1, 2), (3, 4)])
    assert not same([(1, 2), (2, 2)], [(1, 2), (2, 1)])


def test_an_answer_may_leave_out_rows_that_there_are_too_many_of() -> None:
    """Two places, and three rows of that rank to fill them."""
    right: list[PlainRow] = [("a", 1), ("b", 1), ("c", 1)]
    assert is_rearranged([(1, "c"), (1, "a")], [0, 0], right, [0, 0, 0])
    assert not is_rearranged([(1, "c"), (1, "c")], [0, 0], right, [0, 0, 0])


def test_a_row_stands_only_at_places_of_its_rank() -> None:
    right: list[PlainRow] = [("a", 1), ("b", 1), ("c", 2)]
    assert is_rearranged([(1, "b"), (1, "a"), (2, "c")], [0, 0, 1], right, [0, 0, 1])
    assert not is_rearranged([(2, "c"), (1, "a"), (1, "b")], [0, 0, 1], right, [0, 0, 1])


def test_many_columns_that_are_alike_are_told_in_time() -> None:
    """Twelve columns with the same values, each in an order of its own; 12 factorial orders to choose from."""
    rows = [tuple((row * (column + 1)) % 13 for column in range(12)) for row in range(13)]
    began = time.process_time()
    assert same([row[::-1] for row in rows], list(rows))
    assert not same([*[row[::-1] for row in rows[1:]], (*rows[0][:-1], 99)], list(rows))
    assert same([(0,) * 12], [(0,) * 12])
    assert time.process_time() - began < 5


def test_likely_pairs_are_those_that_share_most() -> None:
    said: list[PlainRow] = [("x", 70, "ann"), ("y", 80, "bob")]
    assert likely_pairs(said, [("ann", 70), ("bob", 90)]) == [(2, 0), (1, 1)]
    assert likely_pairs(said, [("eve", 700)]) == []


def test_of_columns_as_likely_the_nearest_is_taken() -> None:
    assert likely_pairs([("a", "a", "a")], [("a", "a")]) == [(0, 0), (1, 1)]


def test_what_anybody_may_guess_makes_no_pair() -> None:
    """NULL and counts up to 20, also where they are texts."""
    for guessed in (0, 7, 20, "7", None):
        assert likely_pairs([(guessed,)], [(guessed,)]) == []
        assert likely_pairs([(guessed, "ann")], [(guessed, "ann")]) == [(1, 1)]
    for known in (21, -1, 7.5, "ann", "21", "007"):
        assert likely_pairs([(known,)], [(known,)]) == [(0, 0)]


def test_small_counts_in_three_rows_are_no_guess() -> None:
    right: list[PlainRow] = [(1,), (1,), (2,), (3,)]
    assert likely_pairs([(1,), (2,), (4,)], right) == []
    assert likely_pairs([(1,), (2,), (2,), (2,)], right) == []
    assert likely_pairs([(1,), (1,), (2,)], right) == [(0, 0)]
