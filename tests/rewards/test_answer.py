from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intercode.rewards.core.answer import ExpectedAnswer, lines
from intercode.rewards.core.file_endings import FinalState, Gold
from intercode.types import Criteria
from worlds.bash.scoring.reward_values import texts


def test_blank_lines_at_the_end_do_not_count() -> None:
    assert lines("a\n\n  b\n \n\n") == ["a", "", "  b"]
    assert lines(None) == lines("") == lines("\n \n") == []


@given(texts, texts)
def test_1_is_for_the_right_lines_only(said: str, expected: str) -> None:
    assert (ExpectedAnswer(expected).match(said) == 1.0) == (lines(said) == lines(expected))
    assert 0 <= ExpectedAnswer(expected).match(said) <= 1


@given(texts, st.randoms())
def test_lines_may_be_shuffled_only_where_order_is_free(text: str, chance: random.Random) -> None:
    mixed = lines(text)
    chance.shuffle(mixed)
    said = "\n".join(mixed)
    if lines(said) != lines(text):
        assert ExpectedAnswer(text).match(said) < 1
    if len(lines(said)) == len(lines(text)):
        assert ExpectedAnswer(text, order_free=True).match(said) == 1


@given(texts, st.sampled_from(["", "ls: no\n", "ls: no\n\nls: no"]), st.randoms(), st.booleans())
def test_the_golds_own_errors_may_stand_anywhere_or_be_missing(
    output: str, errors: str, chance: random.Random, order_free: bool
) -> None:
    expected = ExpectedAnswer(output + "\n", errors, order_free)
    assert expected.match(output) == 1
    assert expected.match(merged(lines(output), lines(errors), chance)) == 1
    assert expected.match(errors + output + "\n") == 1


def merged(output: list[str], errors: list[str], chance: random.Random) -> str:
    left, right, both = list(output), list(errors), []
    while left or right:
        both.append((left if left and (not right or chance.random() < 0.5) else right).pop(0))
    return "\n".join(both)


@pytest.mark.parametrize("said", ["Hello! \t\n", "Hello!\r\n", "  Hello!\n"])
def test_blanks_at_either_end_of_a_line_count(said: str) -> None:
    """Whoever is asked to trim both ends, and trims one, has not done it."""
    assert ExpectedAnswer("Hello!\n").match(said) < 1
    assert ExpectedAnswer(said).match(said) == 1


def test_errors_that_follow_an_unfinished_line_are_told_apart() -> None:
    assert ExpectedAnswer("10", "ls: no\n").match("10ls: no\n") == 1


def test_another_error_is_no_noise() -> None:
    assert ExpectedAnswer("1\n", "ls: no\n").match("1\nls: yes\n") < 1
    assert ExpectedAnswer("1\n", "ls: no\n").match("1\nls: no\nls: no\n") < 1


@pytest.mark.parametrize("said", ["1\n\n2\n", "1 2\n", "1\n2\n2\n", "1\n", "2\n1\n", "11\n2\n", "1\n2 2\n", "A\n"])
def test_blank_repeated_joined_missing_or_swapped_lines_are_wrong(said: str) -> None:
    assert ExpectedAnswer("1\n2\n").match(said) < 1


def test_how_much_is_right_is_told() -> None:
    expected = ExpectedAnswer("1\n2\n3\n4\n")
    right = [expected.match(said) for said in ("", "9\n", "1\n", "1\n2\n", "1\n2\n3\n", "1\n2\n3\n4\n")]
    assert right[:2] == [0, 0]
    assert right == sorted(right)
    assert len(set(right[1:])) == 5


def test_a_criterion_lets_columns_stand_as_they_like() -> None:
    gold = Gold(FinalState(), FinalState(answer="a   1\nbb  22\n"))
    assert ExpectedAnswer.of(gold, Criteria(any_blanks=True)).match(" a 1\nbb\t22 \n") == 1
    assert ExpectedAnswer.of(gold, Criteria(any_blanks=True)).match("a1\nbb 22\n") < 1
    assert ExpectedAnswer.of(gold, Criteria()).match("a 1\nbb 22\n") < 1


def test_the_right_lines_in_the_wrong_order_are_worth_less_than_in_the_right_one() -> None:
    expected = ExpectedAnswer("1\n2\n3\n4\n")
    assert expected.match("4\n3\n2\n1\n") < expected.match("3\n4\n1\n2\n") < 1


def test_an_order_that_no_pair_of_lines_betrays_is_still_wrong() -> None:
    assert ExpectedAnswer("1\n2\n1\n3\n1").match("1\n3\n1\n2\n1") == 0.99


def test_a_hundred_thousand_lines_are_compared_at_once() -> None:
    """No cost grows with the square of the lines: this would take hours."""
    many = "".join(f"{number % 7}\n" for number in range(100_000))
    assert 0 < ExpectedAnswer(many).match(many[2:]) < 1
