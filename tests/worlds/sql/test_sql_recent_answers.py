"""What answers show on parts of a database is remembered, within bounds."""

from __future__ import annotations

from pathlib import Path

from intercode.types.databases import DatabaseSource, QueryResult
from intercode.worlds.sql.recent_answers import ANSWERS, FEW, RecentAnswers

PART = DatabaseSource("shop", Path("shop.sql"))


def shows(rows: int) -> QueryResult:
    return QueryResult(tuple((number,) for number in range(rows)))


def test_an_answer_is_known_by_all_that_was_run_and_where() -> None:
    answers = RecentAnswers()
    answers.remember((PART, ("SET @a = 1", "SELECT @a")), shows(1))
    assert answers.find((PART, ("SET @a = 1", "SELECT @a"))) == shows(1)
    assert answers.find((PART, ("SELECT @a",))) is None
    assert answers.find((DatabaseSource("other", Path("shop.sql")), ("SET @a = 1", "SELECT @a"))) is None


def test_long_answers_are_not_remembered() -> None:
    answers = RecentAnswers()
    for rows in (FEW, FEW + 1):
        answers.remember((PART, (str(rows),)), shows(rows))
    assert answers.find((PART, (str(FEW),))) is not None
    assert answers.find((PART, (str(FEW + 1),))) is None


def test_an_answer_that_ran_out_of_time_is_tried_again_and_one_that_failed_is_not() -> None:
    answers = RecentAnswers()
    for text, late in (("SELECT 1 FROM nowhere", False), ("SELECT SLEEP(9)", True)):
        answers.remember((PART, (text,)), QueryResult(None, error="an error", timed_out=late))
    assert answers.find((PART, ("SELECT 1 FROM nowhere",))) is not None
    assert answers.find((PART, ("SELECT SLEEP(9)",))) is None


def test_the_one_that_was_not_asked_for_the_longest_is_forgotten() -> None:
    answers = RecentAnswers()
    for number in range(ANSWERS):
        answers.remember((PART, (str(number),)), shows(1))
    assert answers.find((PART, ("0",))) is not None
    answers.remember((PART, ("one more",)), shows(1))
    assert answers.find((PART, ("0",))) is not None
    assert answers.find((PART, ("1",))) is None
