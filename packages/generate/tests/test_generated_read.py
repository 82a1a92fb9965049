"""Golds that were written from the text of generated tasks alone."""

from __future__ import annotations

import pytest
from benchmarks.generated_read.replay import KINDS, Reading, Verdict, play, readings

UNCHANGED = 95
"""How many of a hundred requests should still be made word for word; of the others it is not known what they mean."""


@pytest.mark.parametrize("kind", KINDS)
def test_a_hundred_requests_of_each_kind_were_read(kind: str) -> None:
    found = readings(kind)
    assert len({(each.split, each.index) for each in found}) == len({each.query for each in found}) == 100
    assert sum(each.split == "test-families" for each in found) == 30


@pytest.mark.parametrize("kind", KINDS)
def test_some_of_them_score_1(kind: str) -> None:
    assert [each.value for each in play(kind, readings(kind)[3::20])] == [1.0] * 5


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_all_whose_request_is_still_made_score_1(kind: str) -> None:
    values = {each.reading.query: each.value for each in play(kind, readings(kind))}
    made = {query: value for query, value in values.items() if value is not None}
    assert len(made) >= UNCHANGED
    assert [query for query, value in made.items() if value < 1] == []


def test_a_wrong_gold_and_a_request_that_is_not_made_any_more_are_seen() -> None:
    first = readings("sql")[0]
    wrong = Reading(first.seed, first.split, first.index, first.query, "SELECT 1")
    other = Reading(first.seed, first.split, first.index, "Something else.", first.gold)
    assert list(play("sql", [wrong, other])) == [Verdict(wrong, 0.0), Verdict(other, None)]
