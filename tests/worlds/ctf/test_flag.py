"""Judging capture the flag: what is taken for the flag, and what is not."""

from __future__ import annotations

import pytest

from intercode.worlds.ctf.flag import FlagEnding, exact, paper

FLAG = "flag{Two_Words}"


def ending(answer: str | None, flag: str = FLAG, published: str | None = None) -> FlagEnding:
    return FlagEnding(answer, flag, flag if published is None else published)


@pytest.mark.parametrize("answer", [FLAG, f"  {FLAG}\n", f"\t{FLAG}"])
def test_the_flag_is_right_under_exact_with_white_space_around_it(answer: str) -> None:
    assert exact(ending(answer)).success


@pytest.mark.parametrize("answer", [FLAG, f" {FLAG}\n"])
def test_white_space_around_a_tasks_flag_is_no_part_of_it(answer: str) -> None:
    """As a file has it that was written with a line break. No answer was right."""
    assert exact(ending(answer, flag=f" {FLAG}\n")).success


@pytest.mark.parametrize("answer", [None, "", "\n"])
@pytest.mark.parametrize("flag", ["", " "])
def test_nothing_is_no_flag(answer: str | None, flag: str) -> None:
    assert not exact(ending(answer, flag=flag)).success


def test_a_judgement_is_one_or_nothing_and_tells_its_one_part() -> None:
    for judge in (exact, paper):
        right, wrong = judge(ending(FLAG)), judge(ending("flag{}"))
        assert (right.value, right.success, right.parts) == (1.0, True, {"flag": 1.0})
        assert (wrong.value, wrong.success, wrong.parts) == (0.0, False, {"flag": 0.0})


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "",
        " ",
        "flag{two_words}",
        FLAG[:-1],
        f"{FLAG} {FLAG}",
        f"{FLAG} or another",
        f"I think it is {FLAG}",
        f"{FLAG}\0",
        "flag{Two Words}",
        ".*",
        "\udcff",
        "ﬂag{Two_Words}",
        f"{FLAG}\u200b",
    ],
)
def test_nothing_but_the_flag_is_right_under_exact(answer: str | None) -> None:
    """Neither other letters, nor more of them, nor text that is not Unicode, nor what looks alike."""
    assert not exact(ending(answer)).success


@pytest.mark.parametrize("answer", [FLAG, FLAG.lower(), FLAG.upper(), f"{FLAG} and whatever follows"])
def test_paper_looks_at_the_first_word_and_at_no_capitals(answer: str) -> None:
    """The published program takes the second of the words of `submit FLAG`, parted by single blanks."""
    assert paper(ending(answer)).success


@pytest.mark.parametrize("answer", [None, "", f" {FLAG}", f"{FLAG}\n", f"is {FLAG}", FLAG[:-1], f"{FLAG}{FLAG}"])
def test_paper_takes_nothing_else(answer: str | None) -> None:
    """A second blank after `submit` makes the second word empty."""
    assert not paper(ending(answer)).success


def test_a_flag_with_a_blank_is_never_right_under_paper() -> None:
    """As in the published program, which sees the first half of it."""
    assert exact(ending("flag{a b}", "flag{a b}")).success
    assert not paper(ending("flag{a b}", "flag{a b}")).success


def test_each_scoring_has_its_own_flag_where_one_was_published_wrong() -> None:
    right, wrong = ending("flag{1}", "flag{1}", "flag{l}"), ending("flag{l}", "flag{1}", "flag{l}")
    assert (exact(right).success, paper(right).success) == (True, False)
    assert (exact(wrong).success, paper(wrong).success) == (False, True)


def test_an_empty_flag_is_not_found_by_handing_in_nothing_under_paper() -> None:
    assert not paper(ending("", "")).success
