"""Answers in steps are told by their words from answers that hold what they show."""

from __future__ import annotations

import pytest

from intercode.worlds.sql.scoring.lookup import asks_plainly, asks_plainly_of_the_same, looks_up

TALLEST = "SELECT p.earnings FROM people JOIN players AS p ON people.id = p.id ORDER BY people.height DESC LIMIT 1"
YOUNG = "SELECT COUNT(*) FROM dogs WHERE age < (SELECT AVG(age) FROM dogs)"


@pytest.mark.parametrize(
    ("statement", "gold"),
    [
        ("SELECT earnings FROM players WHERE id = 5", TALLEST),
        ("SELECT COUNT(*) FROM dogs WHERE age < 5.07", YOUNG),
        ("SELECT SUM(size) FROM city WHERE country = 'NLD' AND d = 'G'", "SELECT sum(size) FROM city WHERE d = 'G'"),
    ],
)
def test_a_value_that_was_asked_for_first_stands_beside_a_column(statement: str, gold: str) -> None:
    assert looks_up(statement, gold)


@pytest.mark.parametrize(
    ("statement", "gold"),
    [
        ("SELECT 68 FROM players WHERE id = 5", TALLEST),
        ("SELECT earnings FROM players WHERE earnings = 68", TALLEST),
        ("SELECT earnings FROM players WHERE (SELECT COUNT(*) FROM players) = 9", TALLEST),
        ("SELECT earnings FROM (SELECT 68 AS earnings, id FROM players) q WHERE id = 5", TALLEST),
        ("SELECT CASE WHEN id = 5 THEN 68 END FROM players", TALLEST),
        ("SELECT height FROM people WHERE id = 5", TALLEST),
        ("SELECT COUNT(*) FROM dogs WHERE id <= 24", YOUNG),
        ("SELECT COUNT(*) FROM dogs", YOUNG),
        ("SELECT 1 +", YOUNG),
    ],
)
def test_what_holds_the_answer_itself_looks_nothing_up(statement: str, gold: str) -> None:
    assert not looks_up(statement, gold)


def test_a_plain_question_shows_what_is_in_tables() -> None:
    assert asks_plainly("SELECT name FROM dogs WHERE age > 3 ORDER BY age LIMIT 1")
    assert asks_plainly("SELECT COUNT(*) FROM (SELECT id FROM dogs WHERE age > 3) q")
    for text in (
        "SELECT COUNT(*) * 2 FROM dogs",
        "SELECT IF(age > 3, 1, 2) FROM dogs",
        "SELECT COUNT(*) FROM (SELECT id FROM dogs LIMIT 3) q",
        "SELECT name FROM dogs HAVING COUNT(*) = 3",
        "SELECT name FROM dogs WHERE id = X'05'",
        "DELETE FROM dogs",
    ):
        assert not asks_plainly(text)


def test_it_may_be_asked_of_fewer_tables_but_of_no_other() -> None:
    gold = "SELECT COUNT(*) FROM likes JOIN people ON likes.id = people.id WHERE people.name = 'Kyle'"
    assert asks_plainly_of_the_same("SELECT COUNT(*) FROM likes WHERE id = 7", gold)
    assert not asks_plainly_of_the_same("SELECT COUNT(*) FROM dogs", gold)
