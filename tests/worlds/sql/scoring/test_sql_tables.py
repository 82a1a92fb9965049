"""Tasks that change data: the state of the database is what is compared."""

from __future__ import annotations

from typing import Any

import pytest

from intercode.types import Score
from intercode.types.databases import QueryResult, TableState
from intercode.worlds.sql.scoring.exact import exact
from intercode.worlds.sql.scoring.final_state import SqlEnding, SqlFinalState, State
from intercode.worlds.sql.scoring.tables import compare
from worlds.sql.scoring.row_values import NO_ROWS, TASK, result, state, table

STAFF = ((1, "ann"), (2, "bob"), (3, "eve"))
SHOPS = table("shops", (1, "north"))


def staff(*rows: tuple[Any, ...]) -> State:
    return state(table("staff", *rows), SHOPS)


BEFORE = staff(*STAFF)
GOLD = staff(*STAFF[:2], (3, "eva"))
"""One row changed: one that went, and one that came."""


def judged(mine: State | None, gold: State = GOLD, before: State = BEFORE) -> Score:
    done = SqlFinalState("UPDATE …", NO_ROWS, mine)
    return exact(SqlEnding(TASK, done, SqlFinalState("UPDATE …", NO_ROWS, gold), before))


def test_the_same_changes_are_right_however_they_were_made() -> None:
    assert judged(staff((3, "eva"), *STAFF[:2])) == Score(1.0, success=True, parts={"state": 1.0})


def test_doing_nothing_is_worth_nothing() -> None:
    """Though most of the database is as it should be."""
    assert judged(None).value == 0
    assert judged(BEFORE).value == 0
    idle = SqlFinalState()
    assert exact(SqlEnding(TASK, idle, SqlFinalState("UPDATE …", NO_ROWS, GOLD), BEFORE)).value == 0


@pytest.mark.parametrize(
    ("mine", "value"),
    [
        (staff(*STAFF[:2]), 1 / 2),
        (staff(*STAFF[:2], (3, "ava")), 1 / 3),
        (staff(*STAFF[:2], (3, "eva"), (4, "zoe")), 2 / 3),
        (staff((3, "eva"), (2, "bob")), 2 / 3),
        (state(SHOPS), 0),
        (staff(*STAFF, (3, "eva")), 1 / 2),
    ],
)
def test_partly_right_is_the_share_of_the_changes(mine: State, value: float) -> None:
    """Half done, done otherwise, done with something on top; nothing for doing away with everything."""
    score = judged(mine)
    assert score.value == pytest.approx(value)
    assert not score.success
    assert score.notes


def test_dropping_the_table_is_one_change_for_each_thing_that_is_gone() -> None:
    gone = state(SHOPS)
    assert judged(gone, gold=gone).success
    assert judged(BEFORE, gold=gone).value == 0


def test_dropping_everything_is_not_taken_for_reading() -> None:
    assert judged({}).value < 1
    assert judged({}, gold={}).success


def test_a_gold_that_tried_and_changed_nothing_can_not_be_met() -> None:
    score = judged(BEFORE, gold=BEFORE)
    assert score.value == 0
    assert "vacuous" in score.notes[0]


def test_a_gold_that_changes_and_shows_is_worth_the_mean_of_both() -> None:
    gold = SqlFinalState("SELECT …", result(("eva",)), GOLD)

    def both(shown: QueryResult, left: State) -> Score:
        return exact(SqlEnding(TASK, SqlFinalState("SELECT …", shown, left), gold, BEFORE))

    assert both(result(("eva",)), GOLD).success
    assert both(result(("eva",)), BEFORE).value == 0.5
    assert both(NO_ROWS, GOLD).value == 0.5
    assert both(result(("ann",)), BEFORE).value == 0


def test_numbers_in_tables_are_numbers() -> None:
    columns = ("id", "price")
    gold = state(table("t", (1, 10.1 * 3), columns=columns))
    before = state(table("t", (1, 10.1), columns=columns))
    assert judged(state(table("t", (1.0, 30.3), columns=columns)), gold, before).success
    assert not judged(state(table("t", (1, 30.4), columns=columns)), gold, before).success


def made(create: str, *rows: tuple[Any, ...], columns: tuple[str, ...] = ("id", "tag")) -> State:
    return state(TableState("tags", columns, rows, create))


GOLD_TABLE = """CREATE TABLE `tags` (
  `id` int(11) NOT NULL,
  `tag` varchar(50) NOT NULL DEFAULT 'new',
  PRIMARY KEY (`id`), UNIQUE KEY `tag` (`tag`),
  CONSTRAINT `x` FOREIGN KEY (`id`) REFERENCES `shops` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT CHARSET=utf8mb4"""


@pytest.mark.parametrize(
    "create",
    [
        GOLD_TABLE,
        "CREATE TABLE tags (id INTEGER PRIMARY KEY, tag TEXT NOT NULL DEFAULT 'new' UNIQUE, "
        "FOREIGN KEY (id) REFERENCES shops(id) ON DELETE CASCADE)",
        "create table Tags (Tag varchar(9) default 'new' not null, ID bigint, primary key (ID), unique (Tag), "
        "index some_index (tag), foreign key (ID) references shops (ID) on delete cascade on update restrict)",
    ],
)
def test_tables_made_in_other_words_are_the_same(create: str) -> None:
    """The order of columns, the length of texts, names of keys, indexes and engines do not matter."""
    columns = ("Tag", "ID") if "ID" in create else ("id", "tag")
    assert judged(made(create, columns=columns), made(GOLD_TABLE), {}).success


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("varchar(50) NOT NULL", "varchar(50)"),
        ("varchar(50)", "int"),
        ("DEFAULT 'new'", "DEFAULT 'old'"),
        ("DEFAULT 'new'", ""),
        ("PRIMARY KEY (`id`)", "PRIMARY KEY (`id`, `tag`)"),
        (", UNIQUE KEY `tag` (`tag`)", ""),
        ("REFERENCES `shops`", "REFERENCES `shop`"),
        (" ON DELETE CASCADE", ""),
    ],
)
def test_tables_made_otherwise_are_not(old: str, new: str) -> None:
    assert old in GOLD_TABLE
    score = judged(made(GOLD_TABLE.replace(old, new)), made(GOLD_TABLE), {})
    assert 0 < score.value < 1
    assert not score.success


def test_a_column_more_changes_every_row() -> None:
    with_city = state(table("staff", *((*row, None) for row in STAFF), columns=("id", "name", "city")), SHOPS)
    other_order = state(table("staff", *((None, *row) for row in STAFF), columns=("City", "ID", "Name")), SHOPS)
    assert judged(with_city, gold=with_city).success
    assert judged(BEFORE, gold=with_city).value == 0
    assert judged(
        state(table("staff", *((*row, "") for row in STAFF), columns=("id", "name", "city")), SHOPS), gold=with_city
    ).value == pytest.approx(3 / 9)
    assert compare(BEFORE, with_city, other_order).part > 0.7


def test_deleting_rows_is_no_part_of_giving_them_other_columns() -> None:
    ids = state(table("staff", *((number,) for number, _ in STAFF), columns=("id",)), SHOPS)
    renamed = state(table("staff", *STAFF, columns=("id", "called")), SHOPS)
    for gold in (ids, renamed):
        assert judged(gold, gold=gold).success
        assert judged(staff(), gold=gold).value == 0


def test_a_view_is_what_it_shows() -> None:
    def view(create: str, *rows: tuple[Any, ...]) -> State:
        return {**BEFORE, **state(TableState("young", ("name",), rows, create))}

    gold = view("CREATE VIEW `young` AS select `name` from `staff` where `id` > 1", ("bob",), ("eve",))
    assert judged(view("CREATE VIEW young AS SELECT name FROM staff WHERE id >= 2", ("bob",), ("eve",)), gold).success
    assert not judged(view("CREATE VIEW young AS SELECT name FROM staff WHERE id = 2", ("bob",)), gold).success
    assert not judged(view("CREATE TABLE young (name text)", ("bob",), ("eve",)), gold).success
