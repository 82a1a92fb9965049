"""The embedded SQLite says what it cannot do as a server does, instead of giving other rows."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from intercode.testing.database_fixtures import contract_source
from intercode.worlds.sql.databases.sqlite import SqliteDatabase


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        (
            "SELECT a, b, GROUP_CONCAT(a) FROM t GROUP BY a, b WITH ROLLUP",
            "ROLLUP of that form: the sqlite engine cannot do that: use mysql",
        ),
        (
            "SELECT a, GROUPING(a) FROM t GROUP BY a WITH ROLLUP",
            "ROLLUP of that form: the sqlite engine cannot do that: use mysql",
        ),
        ("SELECT GREATEST(a, 'x') FROM t", "GREATEST of values of different types"),
        ("SELECT a FROM t WHERE day BETWEEN '2024-01-01' AND 'soon'", "a date and a text in BETWEEN that is none"),
        ("SELECT a FROM t WHERE day BETWEEN 1 AND '2024-01-01'", "a date compared with both a number and another date"),
        ("SELECT FLOOR(moment) FROM t", "FLOOR of a time"),
        ("SELECT 9999999999999999999 * 2", "counting with a number of more than 18 digits"),
        ("SELECT @r := @r + 1 n FROM t, (SELECT @r := 0) z", ":=): the sqlite engine cannot do that: use mysql"),
        ("SELECT BIT_COUNT(a) FROM t", "BIT_COUNT(): the sqlite engine cannot do that: use mysql"),
        ("SELECT AddTime('10:00', '01:30')", "ADDTIME(): the sqlite engine cannot do that: use mysql"),
        ("SELECT JSON_ARRAYAGG(a) FROM t", "JSON_ARRAYAGG(): the sqlite engine cannot do that: use mysql"),
        ("SELECT a FROM t WHERE MATCH(a) AGAINST ('x' IN BOOLEAN MODE)", "AGAINST: the sqlite engine cannot do that"),
        ("SELECT * FROM JSON_TABLE('[1]', '$[*]' COLUMNS (n INT PATH '$')) AS j", "JSON_TABLE: the sqlite engine"),
        ("SELECT a FROM t INTO OUTFILE '/tmp/x'", "INTO OUTFILE: the sqlite engine cannot do that: use mysql"),
        ("SELECT 1 INTO @r", "INTO: the sqlite engine cannot do that: use mysql"),
        ("CALL p()", "CALL: the sqlite engine cannot do that: use mysql"),
        ("PREPARE s FROM 'SELECT 1'", "PREPARE: the sqlite engine cannot do that: use mysql"),
        ("EXPLAIN SELECT a FROM t", "EXPLAIN: the sqlite engine cannot do that: use mysql"),
        ("explain format=json SELECT a FROM t", "EXPLAIN: the sqlite engine cannot do that: use mysql"),
        ("SELECT a FROM t WHERE a IN (SELECT a FROM t LIMIT 1)", "LIMIT & IN/ALL/ANY/SOME subquery"),
    ],
)
def test_what_it_cannot_do_is_refused_by_name(statement: str, told: str, tmp_path: Path) -> None:
    with SqliteDatabase() as database, database.open(contract_source(tmp_path), "shop") as session:
        assert session.run("CREATE TABLE t (a int, b int, day date, moment datetime)").error is None
        result = session.run(statement)
    assert result.code == 1235
    assert told in result.message


@pytest.mark.parametrize(
    ("statement", "code"),
    [("SELECT no_such(a) FROM t", 1305), ("SELECT 'against' x x FROM t", 1064), ("EXPLAIN nowhere", 1146)],
)
def test_what_no_server_can_do_is_an_error_as_on_one(statement: str, code: int, tmp_path: Path) -> None:
    with SqliteDatabase() as database, database.open(contract_source(tmp_path), "shop") as session:
        assert session.run("CREATE TABLE t (a int)").error is None
        assert session.run(statement).code == code
        assert session.run("EXPLAIN t").rows


def test_two_literals_are_compared_as_columns_are(tmp_path: Path) -> None:
    with SqliteDatabase() as database, database.open(contract_source(tmp_path), "shop") as session:
        result = session.run(
            "SELECT 'a' = 'A', 'a ' = 'a', 'b' IN ('A', 'B'), 'abc' BETWEEN 'ABB' AND 'ABD', 'a' <> 'b'"
        )
    assert result.rows == ((1, 1, 1, 1, 1),)


def test_a_day_that_does_not_exist_is_null(tmp_path: Path) -> None:
    with SqliteDatabase() as database, database.open(contract_source(tmp_path), "shop") as session:
        result = session.run("SELECT DATE('2024-02-30'), DATE('x'), DATE('2024-02-29 10:00:00') = '2024-02-29'")
    assert result.rows == ((None, None, 1),)


TABLE = (
    "CREATE TABLE kept (id int PRIMARY KEY AUTO_INCREMENT, small tinyint NOT NULL, price decimal(5,2), day date,"
    " word varchar(4), color enum('red','green') NOT NULL, moment datetime, big int unsigned)"
)


@pytest.mark.parametrize(
    ("values", "number"),
    [
        ("small = 'abc'", 1366),
        ("small = ''", 1366),
        ("small = '3x'", 1265),
        ("small = 128", 1264),
        ("small = NULL", 1048),
        ("small = 1, price = 1000", 1264),
        ("small = 1, price = 'red'", 1366),
        ("small = 1, day = '2024-02-30'", 1292),
        ("small = 1, day = 'soon'", 1292),
        ("small = 1, moment = '2024-01-01 25:00:00'", 1292),
        ("small = 1, word = 'abcde'", 1406),
        ("small = 1, color = 'blue'", 1265),
        ("small = 1, color = 3", 1265),
        ("small = 1, big = -1", 1264),
    ],
)
@pytest.mark.parametrize("verb", ["INSERT INTO kept SET", "REPLACE INTO kept SET", "UPDATE kept SET"])
def test_a_value_that_does_not_fit_is_refused(verb: str, values: str, number: int, tmp_path: Path) -> None:
    with SqliteDatabase() as database, database.open(contract_source(tmp_path), "shop") as session:
        for statement in (TABLE, "INSERT INTO kept (small) VALUES (1)"):
            assert session.run(statement).error is None
        before = session.run("SELECT * FROM kept").rows
        assert session.run(f"{verb} {values}").code == number
        assert session.run("SELECT * FROM kept").rows == before


@pytest.mark.parametrize("statement", ["INSERT INTO kept (word) VALUES ('ab')", "INSERT INTO kept VALUES ()"])
def test_a_column_without_a_default_needs_a_value(statement: str, tmp_path: Path) -> None:
    with SqliteDatabase() as database, database.open(contract_source(tmp_path), "shop") as session:
        session.run(TABLE)
        assert session.run(statement).code == 1364


def test_values_are_kept_as_their_columns_say(tmp_path: Path) -> None:
    with SqliteDatabase() as database, database.open(contract_source(tmp_path), "shop") as session:
        session.run(TABLE)
        session.run(
            "INSERT INTO kept VALUES (DEFAULT, '1.5', 1.005, '2024-02-29 10:00:00', 1.50, 'GREEN', '2024-01-01', 7)"
        )
        session.run("INSERT INTO kept (small, word) SELECT small + 0.5, 'a' FROM kept")
        rows = session.run("SELECT small, price, day, word, color, moment FROM kept").rows
    moment = datetime(2024, 1, 1)
    assert rows == (
        (2, Decimal("1.01"), date(2024, 2, 29), "1.50", "green", moment),
        (3, None, None, "a", "red", None),
    )


def test_the_greatest_numbers_are_kept(tmp_path: Path) -> None:
    with SqliteDatabase() as database, database.open(contract_source(tmp_path), "shop") as session:
        session.run("CREATE TABLE t (a bigint, b bigint unsigned, c decimal(20,2))")
        assert session.run("INSERT INTO t VALUES (9223372036854775807, 18446744073709551615, 1.005)").error is None
        assert session.run("SELECT a, c FROM t").rows == ((9223372036854775807, Decimal("1.01")),)
        assert session.run("INSERT INTO t VALUES (9223372036854775808, 1, 1)").code == 1264


def test_ignore_keeps_the_nearest_value(tmp_path: Path) -> None:
    with SqliteDatabase() as database, database.open(contract_source(tmp_path), "shop") as session:
        session.run(TABLE)
        session.run("INSERT IGNORE INTO kept (small, word) VALUES ('300', 'abcdef'), ('3x', 'a'), (NULL, 'b')")
        rows = session.run("SELECT small, word FROM kept").rows
    assert rows == ((127, "abcd"), (3, "a"), (0, "b"))


def test_rows_are_counted_as_a_server_counts_them(tmp_path: Path) -> None:
    statements = {
        "INSERT INTO kept (id, small) VALUES (1, 1), (2, 2)": 2,
        "REPLACE INTO kept (id, small) VALUES (1, 5), (3, 1)": 3,
        "INSERT INTO kept (id, small) VALUES (1, 9), (4, 1) ON DUPLICATE KEY UPDATE small = VALUES(small)": 3,
        "INSERT INTO kept (id, small) VALUES (1, 9) ON DUPLICATE KEY UPDATE small = VALUES(small)": 0,
        "UPDATE kept SET small = 9": 3,
        "UPDATE kept SET small = '9'": 0,
        "UPDATE kept SET small = 1, big = small + 1 WHERE id = 1": 1,
        "UPDATE kept SET id = 0 WHERE id = 4": 1,
    }
    with SqliteDatabase() as database, database.open(contract_source(tmp_path), "shop") as session:
        session.run(TABLE)
        assert {statement: session.run(statement).affected for statement in statements} == statements
        assert session.run("SELECT small, big FROM kept WHERE id = 1").rows == ((1, 2),)
        assert session.run("SELECT MIN(id) FROM kept").rows == ((0,),)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("day + 0", 20240229),
        ("-day", -20240229),
        ("moment + 0", 20240101100000),
        ("FLOOR(day)", 20240229),
        ("SUM(day)", 20240229),
        ("CAST(moment AS SIGNED)", 20240101100000),
        ("day > 20240228", 1),
        ("moment < 20240102", 1),
        ("MAX(day) > 20240301", 0),
        ("color + 0", 2),
        ("color = 2", 1),
        ("CONCAT(price, '')", "2.50"),
        ("CAST(price AS CHAR)", "2.50"),
        ("GROUP_CONCAT(price)", "2.50"),
        ("LENGTH(price)", 4),
    ],
)
def test_a_column_is_read_as_its_place_wants(expression: str, value: object, tmp_path: Path) -> None:
    with SqliteDatabase() as database, database.open(contract_source(tmp_path), "shop") as session:
        session.run(TABLE)
        session.run("INSERT INTO kept VALUES (1, 1, 2.5, '2024-02-29', '', 'green', '2024-01-01 10:00:00', 1)")
        assert session.run(f"SELECT {expression} FROM kept").rows == ((value,),)


@pytest.mark.parametrize(
    ("statement", "rows"),
    [
        ("SELECT word FROM kept WHERE word IN (SELECT small FROM kept)", (("1",),)),
        ("SELECT small FROM kept WHERE small = word", ((1,),)),
        ("SELECT small FROM kept WHERE color > small", ((1,),)),
        ("SELECT CONCAT(1.50, '')", (("1.50",),)),
        ("SELECT day FROM kept UNION ALL SELECT word FROM kept", (("2024-02-29",), ("1",))),
        ("SELECT price FROM kept UNION ALL SELECT color FROM kept", (("2.50",), ("green",))),
        (
            "SELECT day FROM kept UNION ALL SELECT moment FROM kept",
            ((datetime(2024, 2, 29),), (datetime(2024, 1, 1, 10),)),
        ),
    ],
)
def test_columns_of_other_types_meet_as_a_server_has_them(
    statement: str, rows: tuple[tuple[object, ...], ...], tmp_path: Path
) -> None:
    with SqliteDatabase() as database, database.open(contract_source(tmp_path), "shop") as session:
        session.run(TABLE)
        session.run("INSERT INTO kept VALUES (1, 1, 2.5, '2024-02-29', '1', 'green', '2024-01-01 10:00:00', 1)")
        assert session.run(statement).rows == rows
