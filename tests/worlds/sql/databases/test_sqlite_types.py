"""The embedded SQLite gives values of MySQL's types, and compares, merges and changes them by these."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from intercode.testing.database_fixtures import contract_source
from intercode.types.databases import DatabaseSession
from intercode.worlds.sql.databases.sqlite import SqliteDatabase

TABLES = (
    "CREATE TABLE a (id int PRIMARY KEY, n int, p decimal(8,2), d date, t datetime, s varchar(8),"
    " e enum('red','green'), f float(4,1))",
    "INSERT INTO a VALUES (1, 7, 1.5, '2020-01-31', '2020-01-31 10:00:00', 'ann', 'red', 2.5),"
    " (2, -3, 2.5, '2024-02-29', '2023-12-31 23:59:59', 'Ann', 'green', 3.3),"
    " (3, NULL, NULL, NULL, NULL, '12', 'green', 1.0),"
    " (4, 42, 100, '2021-02-28', '2020-01-31 10:00:00', '7up', 'red', 2)",
    "CREATE TABLE j (id int PRIMARY KEY, doc json)",
)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[DatabaseSession]:
    with SqliteDatabase() as database, database.open(contract_source(tmp_path), "shop") as opened:
        for statement in TABLES:
            assert opened.run(statement).error is None
        yield opened


@pytest.mark.parametrize(
    ("asked", "row"),
    [
        ("p * 1.5, p / 3, n / 3, p % 1, -p, n + p", "2.250 0.500000 2.3333 0.50 -1.50 8.50"),
        ("ROUND(p, 1), TRUNCATE(n / 3, 3), CAST(s AS DECIMAL(4,1))", "1.5 2.333 0.0"),
        ("0.1 + 0.2, 10 / 4, 7.0 / 2", "0.3 2.5000 3.50000"),
    ],
)
def test_exact_numbers_have_all_their_digits(asked: str, row: str, session: DatabaseSession) -> None:
    found = session.run(f"SELECT {asked} FROM a WHERE id = 1").rows
    assert found is not None
    assert [repr(value) for value in found[0]] == [repr(Decimal(value)) for value in row.split()]


@pytest.mark.parametrize(
    ("asked", "row"),
    [
        ("SUM(n), AVG(n), AVG(p)", "Decimal('46') Decimal('15.3333') Decimal('34.666667')"),
        ("SUM(p) / COUNT(*), COUNT(*) * 1.5", "Decimal('26.000000') Decimal('6.0')"),
        ("MAX(d), MIN(t), MAX(n)", "datetime.date(2024, 2, 29) datetime.datetime(2020, 1, 31, 10, 0) 42"),
        ("AVG(f), SUM(s), SUM(d > '2021-01-01')", "2.2 19.0 Decimal('2')"),
        ("(SELECT MAX(p) FROM a) - 1, SUM(p) = 104", "Decimal('99.00') 1"),
    ],
)  # fmt: skip
def test_aggregates_are_of_the_type_that_a_server_gives_them(asked: str, row: str, session: DatabaseSession) -> None:
    found = session.run(f"SELECT {asked} FROM a").rows
    assert found is not None
    assert " ".join(repr(value) for value in found[0]) == row


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        ("LAST_DAY(t)", date(2020, 1, 31)),
        ("d + INTERVAL 1 MONTH", date(2020, 2, 29)),
        ("DATE_ADD(d, INTERVAL 1 HOUR)", datetime(2020, 1, 31, 1)),
        ("DATE_ADD('2020-01-31', INTERVAL 1 DAY)", "2020-02-01"),
        ("STR_TO_DATE('2020-01-02', '%Y-%m-%d')", date(2020, 1, 2)),
        ("COALESCE(NULL, d)", date(2020, 1, 31)),
        ("IF(n > 0, d, t)", datetime(2020, 1, 31)),
        ("IFNULL(p, 'none')", "1.50"),
        ("CASE WHEN n > 0 THEN 1 ELSE p END", Decimal("1.00")),
        ("e + 0", 1.0),
        ("s + 0", 0.0),
        ("CONCAT(p, ' ', d, ' ', n / 3)", "1.50 2020-01-31 2.3333"),
        ("5 ^ 3", 6),
    ],
)
def test_a_value_is_of_the_type_that_a_server_gives_it(asked: str, value: object, session: DatabaseSession) -> None:
    assert repr(session.run(f"SELECT {asked} FROM a WHERE id = 1").rows) == repr(((value,),))


@pytest.mark.parametrize(
    ("condition", "ids"),
    [
        ("d > '20200131'", [2, 4]),
        ("d >= '2021/2/28'", [2, 4]),
        ("d = '20-01-31'", [1]),
        ("t = '2020-1-31 10'", [1, 4]),
        ("d < t", [1]),
        ("d IN ('2020-01-31', 'soon')", [1]),
        ("n / 3 = 2.3333", [1]),
        ("p * 1.1 = 1.65", [1]),
        ("n IN ('7', 'x', 42)", [1, 4]),
        ("e IN ('red', 2)", [1, 2, 3, 4]),
        ("n = '7x'", [1]),
        ("s < 5 AND s > 'b'", []),
        ("s = 'ÁNN'", [1, 2]),
        ("(CASE s WHEN 12 THEN 1 ELSE 0 END) = 1", [3]),
    ],
)
def test_values_are_compared_by_the_types_of_both(condition: str, ids: list[int], session: DatabaseSession) -> None:
    assert session.run(f"SELECT id FROM a WHERE {condition} ORDER BY id").rows == tuple((each,) for each in ids)


@pytest.mark.parametrize("operator", ["=", "<", ">="])
def test_a_date_is_not_compared_with_what_is_none(operator: str, session: DatabaseSession) -> None:
    assert session.run(f"SELECT id FROM a WHERE d {operator} 'soon'").code == 1525


@pytest.mark.parametrize(
    ("statement", "number"),
    [
        ("UPDATE a SET n = n / 0", 1365),
        ("INSERT INTO a (id, n) VALUES (9, 5 % 0)", 1365),
        ("UPDATE a SET n = 1 WHERE s = 12", 1292),
        ("DELETE FROM a WHERE d = 'soon'", 1292),
        ("UPDATE a SET n = YEAR(s)", 1292),
        ("UPDATE a SET s = FLOOR(s)", 1292),
        ("INSERT INTO j VALUES (1, '{bad')", 3140),
    ],
)
def test_a_change_fails_where_a_value_is_not_what_it_has_to_be(
    statement: str, number: int, session: DatabaseSession
) -> None:
    assert session.run(statement).code == number


@pytest.mark.parametrize(
    ("statement", "affected"),
    [
        ("UPDATE IGNORE a SET n = 'abc'", 4),
        ("UPDATE IGNORE a SET id = 1 WHERE id = 2", 0),
        ("REPLACE INTO a SELECT * FROM a", 4),
        ("REPLACE INTO a SELECT id, n, p, d, t, UPPER(s), e, f FROM a", 7),
        ("DELETE IGNORE FROM a WHERE s = 12", 1),
        ("UPDATE a SET n = d WHERE id = 1", 1),
    ],
)
def test_changes_count_the_rows_that_a_server_counts(statement: str, affected: int, session: DatabaseSession) -> None:
    result = session.run(statement)
    assert (result.error, result.affected) == (None, affected)


def test_a_document_is_kept_as_mysql_writes_it(session: DatabaseSession) -> None:
    assert session.run("""INSERT INTO j VALUES (1, '{"bb":1,"a":[1,2.50,"é"]}')""").error is None
    assert session.run("SELECT doc FROM j").rows == (('{"a": [1, 2.5, "é"], "bb": 1}',),)


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("SELECT e, COUNT(*) FROM a GROUP BY e", (("red", 2), ("green", 2))),
        ("SELECT e, COUNT(*) AS c FROM a GROUP BY e ORDER BY c DESC", (("red", 2), ("green", 2))),
        ("SELECT s, MAX(n), MIN(id) FROM a GROUP BY e", (("ann", 42, 1), ("Ann", -3, 2))),
        ("SELECT id + (SELECT MAX(id) FROM a), s FROM a WHERE id < 2", ((5, "ann"),)),
        ("SELECT id, MAX(id) OVER () FROM a WHERE id < 2", ((1, 1),)),
        ("SELECT s FROM a UNION SELECT 'ANN'", (("ann",), ("12",), ("7up",))),
        ("SELECT id FROM a ORDER BY e, id", ((1,), (4,), (2,), (3,))),
        ("SELECT n * 2 AS m FROM a HAVING m > 5 ORDER BY m", ((14,), (84,))),
        (
            "SELECT n > 0 AS up, SUM(p) FROM a GROUP BY up WITH ROLLUP",
            ((None, None), (0, Decimal("2.50")), (1, Decimal("101.50")), (None, Decimal("104.00"))),
        ),
    ],
)
def test_rows_and_groups_come_as_a_server_gives_them(
    query: str, rows: tuple[tuple[object, ...], ...], session: DatabaseSession
) -> None:
    assert session.run(query).rows == rows


@pytest.mark.parametrize(
    "query", ["SELECT n FROM a HAVING p > 1", "SELECT e, MIN(n) FROM a GROUP BY e HAVING MIN(n) = n"]
)
def test_having_sees_what_is_selected_only(query: str, session: DatabaseSession) -> None:
    assert session.run(query).code == 1054


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE a SET n = (SELECT COUNT(*) FROM a AS b WHERE b.id <= a.id)",
        "UPDATE a SET n = (SELECT MAX(b.id) FROM a AS b WHERE b.id <= a.id)",
        "UPDATE a SET n = 0 + (SELECT SUM(1) FROM a AS b WHERE b.id <= a.id)",
        "UPDATE a SET n = (SELECT b.id FROM a AS b WHERE b.id = a.id)",
        "INSERT INTO a (id, n) VALUES (1, (SELECT MIN(b.id) FROM a AS b)) ON DUPLICATE KEY UPDATE n = id",
        "REPLACE INTO a (id, n) SELECT id, (SELECT COUNT(*) FROM a AS b WHERE b.id <= c.id) FROM a AS c",
        "UPDATE a SET n = id WHERE id <= (SELECT COUNT(*) FROM a AS b)",
    ],
)
def test_a_query_in_the_place_of_a_value_is_stored_whole(session: DatabaseSession, change: str) -> None:
    for statement in ("UPDATE a SET n = id", "UPDATE a SET n = -1 WHERE id = 1", change):
        assert session.run(statement).error is None
    assert session.run("SELECT n FROM a ORDER BY id").rows == ((1,), (2,), (3,), (4,))


def test_texts_and_exact_numbers_of_queries_are_stored_as_their_columns_take_them(session: DatabaseSession) -> None:
    change = "UPDATE a SET s = (SELECT MAX(p) FROM a AS b WHERE b.id = 1), p = (SELECT AVG(n) FROM a AS b WHERE id < 3)"
    assert session.run(change).error is None
    assert session.run("SELECT s, p FROM a WHERE id = 2").rows == (("1.50", Decimal("2.00")),)


@pytest.mark.parametrize("kind", ["TABLE", "TEMPORARY TABLE"])
def test_a_table_made_of_a_query_is_joined_by_its_dates_and_dropped(session: DatabaseSession, kind: str) -> None:
    for statement in (
        f"CREATE {kind} m AS SELECT d, p, s, MAX(n) AS n FROM a GROUP BY d, p, s",
        "UPDATE a SET n = (SELECT m.n + 1 FROM m WHERE m.d = a.d AND m.p = a.p AND m.s = a.s) WHERE id < 3",
    ):
        assert session.run(statement).error is None
    assert session.run("SELECT n FROM a WHERE id < 3 ORDER BY id").rows == ((8,), (-2,))
    assert session.run("SELECT m.n FROM m JOIN a ON a.d = m.d WHERE m.d = '2024-02-29'").rows == ((-3,),)
    assert session.run(f"DROP {kind} m").error is None
    assert session.run(f"DROP {kind} m").code == 1051
