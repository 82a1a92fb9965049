"""Statements in MySQL's own ways are understood, and mean the same, on the embedded SQLite as on a server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from intercode.errors import DatabaseError
from intercode.testing.database_fixtures import contract_source
from intercode.types.databases import Database, DatabaseSession, DatabaseSource
from intercode.worlds.sql.databases.dialect.definition import parse
from intercode.worlds.sql.databases.mysql import MysqlDatabase, server_program
from intercode.worlds.sql.databases.sqlite import SqliteDatabase
from intercode.worlds.sql.scoring.values import plain

TOWNS = "CREATE TABLE towns (id int PRIMARY KEY, name varchar(20), size int NOT NULL, founded date, UNIQUE KEY (name))"
ROWS = "INSERT INTO towns VALUES (1, 'Ulm', 120, '0854-07-22'), (2, 'Bonn', 330, '1989-02-28'), (3, 'Jena', 110, NULL)"
"""What each of the tests begins with."""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> DatabaseSource:
    return contract_source(tmp_path_factory.mktemp("source"))


@pytest.fixture(scope="module", params=["sqlite", "mysql"])
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    """Both, so that what is expected is what a server does."""
    if request.param == "mysql":
        try:
            server_program.find()
        except DatabaseError as error:
            pytest.skip(str(error))
    with SqliteDatabase() if request.param == "sqlite" else MysqlDatabase() as database:
        yield database


def made(database: Database, source: DatabaseSource) -> DatabaseSession:
    session = database.open(source, "shop")
    for statement in (TOWNS, ROWS):
        assert session.run(statement).error is None
    return session


@pytest.fixture(scope="module")
def read(database: Database, source: DatabaseSource) -> Iterator[DatabaseSession]:
    """For those that only read."""
    with made(database, source) as session:
        yield session


@pytest.fixture
def session(database: Database, source: DatabaseSource) -> Iterator[DatabaseSession]:
    with made(database, source) as session:
        yield session


ANSWERS: dict[str, tuple[object, ...]] = {
    "CAST('2024-01-31 10:00' AS DATE), CAST('2024-1-5' AS DATETIME), CAST('x' AS DATE)": (
        "2024-01-31", "2024-01-05", None,
    ),
    "CAST(3.7 AS SIGNED), CAST(-3.5 AS SIGNED), CAST('3.7x' AS SIGNED), CAST(NULL AS SIGNED)": (4, -4, 3, None),
    "CAST(2.345 AS DECIMAL(8,2)), CAST('5.5' AS DECIMAL), CONVERT('5.678', DECIMAL(5,1))": (2.35, 6, 5.7),
    "CONVERT('a' USING utf8mb4), CONVERT(5, CHAR), CAST('abc' AS CHAR(2)), CONVERT('7', UNSIGNED)": ("a", "5", "ab", 7),
    "DATE_ADD('2024-01-31', INTERVAL 1 MONTH), DATE_SUB('2024-03-01', INTERVAL 1 DAY)": ("2024-02-29", "2024-02-29"),
    "'2024-01-01' + INTERVAL 2 WEEK - INTERVAL '1' DAY, '2024-01-01' + INTERVAL 90 MINUTE": (
        "2024-01-14", "2024-01-01 01:30:00",
    ),
    "DATE_ADD(DATE '2024-02-29', INTERVAL -1 YEAR), ADDDATE('2024-01-01', 3)": ("2023-02-28", "2024-01-04"),
    "TIMESTAMPDIFF(MONTH, '2023-01-15', '2024-01-14'), TIMESTAMPDIFF(DAY, '2024-01-01', '2024-03-01')": (11, 60),
    "TIMESTAMPDIFF(YEAR, '2000-05-05', '2024-05-04'), TIMESTAMPADD(DAY, 2, '2024-01-01')": (23, "2024-01-03"),
    "EXTRACT(YEAR FROM '2024-05-06'), EXTRACT(YEAR_MONTH FROM '2024-05-06')": (2024, 202405),
    "WEEK('2024-01-10'), WEEK('2024-01-10', 1), YEARWEEK('2024-01-01', 3), WEEK('2023-01-01', 2)": (1, 2, 202401, 1),
    "WEEK('2021-01-02', 1), WEEK('2021-01-02', 3), YEARWEEK('2021-01-02')": (0, 53, 202052),
    "POSITION('l' IN 'hello'), SUBSTRING('hello' FROM 2 FOR 3), MID('hello', -3, 2)": (3, "ell", "ll"),
    "SUBSTRING('abcd', -3), SUBSTRING('ab', -3), SUBSTR('ab', 0), MID('abc', 2, 0), SUBSTR('abc', 2, NULL)": (
        "bcd", "", "", "", None,
    ),
    "TRIM(LEADING 'ab' FROM 'ababc'), TRIM(BOTH 'x' FROM 'xax'), TRIM('  a ')": ("c", "a", "a"),
    "ROUND(649, -1), ROUND(2.5), ROUND(1.255, 2), ROUND(1.5, 30), INSTR('Hello', 'h'), 5--1": (650, 3, 1.26, 1.5, 1, 6),
    "TRUNCATE(4.35, 2), TRUNCATE(1999, -3), FORMAT(10.25, 1), FORMAT(1234.005, 2), FORMAT(-0.4, 0)": (
        4.35, 1000, "10.3", "1,234.01", "0",
    ),
    "CONV('ff', 16, 2), CONV('5', 10, 1), OCT(8), ELT(2, 'a', 'b'), CRC32('a')": (
        "11111111", None, "10", "b", 3904355907,
    ),
    "SUBSTRING_INDEX('a.b.c', '.', -2), SUBSTRING_INDEX('a.b.c', '.', 2), REPLACE('aXa', 'a', 'bb')": (
        "b.c", "a.b", "bbXbb",
    ),
    "size > ALL (SELECT size FROM towns WHERE id <> 2), size > ANY (SELECT size FROM towns) FROM towns WHERE id = 2": (
        1, 1,
    ),
    "size < ALL (SELECT 1 FROM towns WHERE id > 9), id = ANY (SELECT 2), id <> ALL (SELECT 2) FROM towns WHERE id = 2":
        (1, 1, 0),
    "STD(size), ROUND(VAR_SAMP(size), 1), BIT_OR(id), BIT_AND(id) FROM towns WHERE size < 300": (5, 50, 3, 1),
    "name COLLATE utf8mb4_bin = 'ulm', name COLLATE utf8mb4_general_ci = 'ulm' FROM towns WHERE id = 1": (0, 1),
    "COUNT(*) FROM towns WHERE founded < CURDATE() - INTERVAL 30 YEAR": (2,),
    "COUNT(*) FROM towns WHERE founded + INTERVAL 1 DAY = '1989-03-01'": (1,),
    "1 FROM DUAL WHERE 2 > 1": (1,),
    "COUNT(*) FROM towns WHERE YEAR(founded) = '1989' AND MONTH(founded) IN ('02', '03')": (1,),
    "COUNT(*) FROM towns WHERE EXTRACT(YEAR FROM founded) > '1900' AND '4' = LENGTH(name)": (1,),
    "7.5 % 2, -7.5 % 2, 1.5 MOD 1, -7 % 3, 5 % 0, 2 * (7 % 4)": (1.5, -1.5, 0.5, -1, None, 6),
    "GROUP_CONCAT(id ORDER BY id) FROM towns WHERE LEFT(name, 1) = 'u' OR 'BONN ' = CONCAT(name, '')": ("1,2",),
    "COUNT(*) FROM towns WHERE LOWER(name) IN ('JENA', 'Ulm') AND IFNULL(name, '') <> 'jena'": (1,),
    "CASE UPPER(name) WHEN 'ulm' THEN 1 END FROM towns WHERE BINARY name = 'Ulm'": (1,),
    "COUNT(*) FROM towns WHERE 'ulm' = BINARY name": (0,),
    "COUNT(DISTINCT IF(id < 3, 'x', 'X')), COUNT(DISTINCT SUBSTR(name, 9)), MAX(LEFT(name, 1)) FROM towns": (1, 1, "U"),
    "COUNT(*), MAX(n) FROM (SELECT LEFT(IF(id = 2, 'jena', name), 1) t, COUNT(*) n FROM towns GROUP BY t) x": (2, 2),
    "DATE_FORMAT('2023-12-31', '%X-%V'), DATE_FORMAT('2024-02-29', '%X-%V %x-%v')": ("2023-53", "2024-08 2024-09"),
    "9007199254740993 % 10, MOD(9007199254740993, 10)": (3, 3),
}  # fmt: skip


@pytest.mark.parametrize("asked", ANSWERS)
def test_an_expression_means_what_it_does_on_a_server(read: DatabaseSession, asked: str) -> None:
    result = read.run(f"SELECT {asked}")
    assert result.error is None
    assert [tuple(map(plain, row)) for row in result.rows or ()] == [ANSWERS[asked]]


BRACKETS = {
    "(SELECT name FROM towns ORDER BY size LIMIT 1) UNION (SELECT name FROM towns ORDER BY size DESC LIMIT 1)": 2,
    "(SELECT name FROM towns)": 3,
    "(SELECT name FROM towns WHERE id = 1) UNION ALL SELECT name FROM towns": 4,
    "SELECT name FROM towns UNION ALL (SELECT name FROM towns LIMIT 1) ORDER BY name": 4,
    "SELECT name FROM towns WHERE id IN ((SELECT 1) UNION (SELECT 2))": 2,
    "SELECT * FROM ((SELECT 1 AS a) UNION (SELECT 2)) AS t": 2,
    "((SELECT 1) UNION (SELECT 2)) UNION (SELECT 3)": 3,
    "SELECT (SELECT MAX(size) FROM towns), (1)": 1,
}


@pytest.mark.parametrize("asked", BRACKETS)
def test_parts_of_a_union_may_be_in_brackets(read: DatabaseSession, asked: str) -> None:
    result = read.run(asked)
    assert (result.error, len(result.rows or ())) == (None, BRACKETS[asked])


CHANGES = {
    "INSERT INTO towns (id, name, size) VALUES (1, 'Ulm', 5), (4, 'Gera', 90) ON DUPLICATE KEY UPDATE "
    "size = towns.size + VALUES(size)": [(1, 125), (2, 330), (3, 110), (4, 90)],
    "INSERT INTO towns (id, name, size) VALUES (9, 'Jena', 5) ON DUPLICATE KEY UPDATE size = 1": [
        (1, 120), (2, 330), (3, 1),
    ],
    "INSERT INTO towns (id, name, size) SELECT id, name, 0 FROM customers LIMIT 1 ON DUPLICATE KEY UPDATE size = 0": [
        (1, 0), (2, 330), (3, 110),
    ],
    "UPDATE towns t JOIN customers c ON c.id = t.id SET t.size = t.size + c.id WHERE c.id < 3": [
        (1, 121), (2, 332), (3, 110),
    ],
    "UPDATE towns JOIN customers USING (id) SET size = 0 WHERE customers.name = 'Anna'": [(1, 0), (2, 330), (3, 110)],
    "UPDATE towns t LEFT JOIN orders o ON o.customer = t.id SET t.size = 0 WHERE o.number IS NULL": [
        (1, 120), (2, 0), (3, 110),
    ],
    "UPDATE towns t, (SELECT MAX(size) m FROM customers JOIN towns USING (id)) x SET t.size = 1 WHERE t.size = x.m": [
        (1, 120), (2, 1), (3, 110),
    ],
    "UPDATE towns t SET t.size = t.size + 1 WHERE t.id = 1": [(1, 121), (2, 330), (3, 110)],
    "UPDATE towns AS t SET size = 0 WHERE t.id = 1": [(1, 0), (2, 330), (3, 110)],
    "DELETE t FROM towns t JOIN orders o ON o.customer = t.id WHERE o.number > 101": [(1, 120), (2, 330)],
    "DELETE FROM towns USING towns JOIN customers USING (id) WHERE customers.name = 'Anna'": [(2, 330), (3, 110)],
    "DELETE towns FROM towns LEFT JOIN orders ON orders.customer = towns.id WHERE orders.number IS NULL": [
        (1, 120), (3, 110),
    ],
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_does_what_it_does_on_a_server(session: DatabaseSession, change: str) -> None:
    assert session.run(change).error is None
    assert list(session.run("SELECT id, size FROM towns ORDER BY id").rows or ()) == CHANGES[change]


COMPARED = {
    "value > 100": [3],
    "value = 12": [4],
    "r.value BETWEEN 9 AND 12": [1, 2, 4],
    "value IN (10, 130.5) OR value = -1": [2, 3],
    "value > (SELECT AVG(id) FROM readings) * 30": [3],
    "value >= '9'": [1, 5],
    "LEFT(value, 2) < 12 AND SUBSTRING(value, 1, 1) = 1": [2],
    "id IN (SELECT MIN(id) FROM readings GROUP BY value HAVING MAX(value) > 9.5)": [2, 3, 4],
}


@pytest.mark.parametrize("condition", COMPARED)
def test_a_text_is_compared_with_a_number_as_a_number(session: DatabaseSession, condition: str) -> None:
    session.run("CREATE TABLE readings (id int PRIMARY KEY, value varchar(10))")
    session.run("INSERT INTO readings VALUES (1, '9'), (2, '10'), (3, '130.5'), (4, '12abc'), (5, 'null'), (6, NULL)")
    result = session.run(f"SELECT id FROM readings r WHERE {condition} ORDER BY id")
    assert (result.error, result.rows) == (None, tuple((number,) for number in COMPARED[condition]))


def test_a_change_compares_a_text_with_a_number_too(session: DatabaseSession) -> None:
    session.run("UPDATE towns SET name = id * 5")
    assert session.run("UPDATE towns SET size = 1 WHERE name > 9").error is None
    assert session.run("DELETE FROM towns WHERE name = 5.0").error is None
    assert session.run("SELECT id, name, size FROM towns").rows == ((2, "10", 1), (3, "15", 1))


def test_variables_are_kept(session: DatabaseSession) -> None:
    for statement in ("SET @least = 115, @Name := (SELECT name FROM towns WHERE id = 1)", "SET @day = '2024-01-01'"):
        assert session.run(statement).error is None
    assert session.run("SELECT id FROM towns WHERE size > @least AND name = @name").rows == ((1,),)
    assert session.run("SELECT @LEAST + 1, @day, @nothing").rows == ((116, "2024-01-01", None),)
    assert session.run("SET @least = @least * 2, @broken = nowhere").code == 1054
    assert session.run("UPDATE towns SET size = @least WHERE id = 1").error is None
    assert session.run("SELECT size FROM towns WHERE id = 1").rows in (((230,),), ((115,),))  # MariaDB sets none


@pytest.mark.parametrize("statement", ["SELECT ?", "SELECT :name", "SELECT * FROM towns WHERE id = ?"])
def test_places_to_be_filled_are_no_sql(session: DatabaseSession, statement: str) -> None:
    assert session.run(statement).code == 1064


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT name FROM towns GROUP BY name WHERE size > 1",
        "SELECT t.name FROM towns t WHERE t.size > 1 JOIN towns u ON u.id = t.id",
        "SELECT t.name FROM towns t GROUP BY t.name LEFT JOIN towns u ON u.id = t.id",
        "SELECT name FROM towns ORDER BY name WHERE size > 1",
        "SELECT name FROM towns LIMIT 1 ORDER BY name",
        "SELECT name FROM towns HAVING name > 'a' GROUP BY name",
        "SELECT name FROM towns WHERE id IN (SELECT id FROM towns ORDER BY id WHERE id > 1)",
        "SELECT id FROM towns UNION SELECT id FROM towns LIMIT 1 ORDER BY id",
        "UPDATE towns SET size = 1 LIMIT 1 WHERE id = 1",
        "DELETE FROM towns LIMIT 1 WHERE id = 1",
        "SELECT id FROM towns ORDER BY id UNION SELECT id FROM towns",
        "SELECT * FROM towns FULL OUTER JOIN towns u ON u.id = towns.id",
        "SELECT * FROM towns t FULL JOIN towns u ON u.id = t.id",
    ],
)
def test_clauses_in_another_order_are_no_sql(read: DatabaseSession, statement: str) -> None:
    assert read.run(statement).code == 1064


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT name, ROW_NUMBER() OVER (ORDER BY size) FROM towns WHERE id > 0 ORDER BY name LIMIT 2",
        "SELECT GROUP_CONCAT(name ORDER BY size) FROM towns WHERE id > 0 GROUP BY size ORDER BY size",
        "SELECT id FROM towns WHERE id > 1 UNION SELECT t.id FROM towns t JOIN towns u ON u.id = t.id ORDER BY id",
        "SELECT `order`.`limit` FROM (SELECT id AS `limit` FROM towns LIMIT 1) AS `order` WHERE `order`.`limit` > 0",
        "SELECT name FROM towns USE INDEX FOR ORDER BY (PRIMARY) WHERE id > 0",
    ],
)
def test_clauses_of_inner_queries_have_an_order_of_their_own(read: DatabaseSession, statement: str) -> None:
    assert read.run(statement).error is None


def test_there_is_no_full_join(read: DatabaseSession) -> None:
    """To MySQL the word is a name of the table before it, so that the condition knows no `towns`."""
    assert read.run("SELECT * FROM towns FULL JOIN towns u ON u.id = towns.id").code in (1054, 1064)
    named = "SELECT full.id FROM towns AS full JOIN towns u ON u.id = full.id ORDER BY full.id"
    assert read.run(named).rows == ((1,), (2,), (3,))


@pytest.mark.parametrize(
    "asked", ["MAX(size)", "name, MAX(size)", "name, MAX(size), MIN(id)", "COUNT(*), name, MIN(id)"]
)
def test_aggregates_of_nothing_are_one_row(read: DatabaseSession, asked: str) -> None:
    count = asked.count(",") + 1
    (row,) = read.run(f"SELECT {asked} FROM towns WHERE id > 100").rows or ((),)
    assert [value or None for value in row] == [None] * count
    assert read.run(f"SELECT {asked} FROM towns WHERE id > 100 GROUP BY size").rows == ()


@pytest.mark.parametrize("column", ["id", "t.id"])
def test_a_subquery_is_grouped_by_a_column_of_the_query_around_it(read: DatabaseSession, column: str) -> None:
    counted = f"SELECT {column} FROM (SELECT 1 AS one UNION ALL SELECT 2) AS u GROUP BY {column} HAVING COUNT(*) > 1"
    assert read.run(f"SELECT id FROM towns t WHERE id IN ({counted}) ORDER BY id").rows == ((1,), (2,), (3,))


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("SELECT 5 UNION SELECT 'ann' UNION SELECT 'ANN'", 2),
        ("SELECT size FROM towns WHERE id = 1 UNION SELECT 'ann' UNION SELECT 'Ann'", 2),
        ("SELECT UPPER(name) FROM towns UNION SELECT LOWER(name) FROM towns", 3),
        ("SELECT LOWER(name) FROM towns INTERSECT SELECT UPPER(name) FROM towns", 3),
    ],
)
def test_merged_rows_are_told_apart_as_texts_are_whatever_the_first_part_is(
    read: DatabaseSession, query: str, rows: int
) -> None:
    assert len(read.run(query).rows or ()) == rows


def test_an_emptied_table_counts_from_one(session: DatabaseSession) -> None:
    session.run("CREATE TABLE counted (id int AUTO_INCREMENT PRIMARY KEY, a int)")
    session.run("INSERT INTO counted (a) VALUES (1), (2)")
    result = session.run("TRUNCATE TABLE counted")
    assert (result.error, result.affected) == (None, 0)
    session.run("INSERT INTO counted (a) VALUES (3)")
    assert session.run("SELECT * FROM counted").rows == ((1, 3),)


def test_a_table_is_shown_as_mysql_writes_it(session: DatabaseSession) -> None:
    """However it was written when it was made."""
    session.run("create table Shown (id INTEGER primary key, n VARCHAR(5) default 'x', c INT, UNIQUE (n), KEY cs (c))")
    ((_, text),) = session.run("SHOW CREATE TABLE shown").rows or ()
    assert str(text).splitlines()[:-1] == [
        "CREATE TABLE `shown` (",
        "  `id` int NOT NULL,",
        "  `n` varchar(5) DEFAULT 'x',",
        "  `c` int DEFAULT NULL,",
        "  PRIMARY KEY (`id`),",
        "  UNIQUE KEY `n` (`n`),",
        "  KEY `cs` (`c`)",
    ]


def test_several_tables_are_dropped_at_once(session: DatabaseSession) -> None:
    """Also where one refers to another."""
    assert session.run("DROP TABLE customers").error is not None
    assert session.run("DROP TABLE orders, customers").error is None
    assert session.run("DROP TABLE IF EXISTS towns, nothing").error is None
    assert session.run("SHOW TABLES").rows == ()


def test_a_table_is_made_like_another(session: DatabaseSession) -> None:
    assert session.run("CREATE TABLE more LIKE orders").error is None
    assert session.run("DESC more").rows == session.run("DESC orders").rows
    assert session.run("SELECT COUNT(*) FROM more").rows == ((0,),)
    assert session.run("CREATE TABLE shop.others LIKE shop.orders").error is None
    assert session.run("DESC others").rows == session.run("DESC orders").rows
    session.run("CREATE TABLE places LIKE towns")
    session.run("INSERT INTO places SELECT * FROM towns")
    assert session.run("INSERT INTO places SELECT * FROM towns").code == 1062


def test_what_a_dump_adds_to_a_table_afterwards_is_shown(tmp_path: Path) -> None:
    (tmp_path / "town.sql").write_text(
        "CREATE TABLE towns (id int, name text); ALTER TABLE towns ADD PRIMARY KEY (id);"
    )
    with SqliteDatabase() as database, database.open(DatabaseSource("town", tmp_path, "sql"), "town") as session:
        ((_, create),) = session.run("SHOW CREATE TABLE towns").rows or ()
        described = session.run("DESC towns").rows
    assert "PRIMARY KEY (`id`)" in create
    assert described == (("id", "int", "NO", "PRI", None, ""), ("name", "text", "YES", "", None, ""))


def test_an_index_of_an_expression_does_no_harm(source: DatabaseSource) -> None:
    with SqliteDatabase() as database, made(database, source) as session:
        before = session.state()
        assert session.run("CREATE INDEX odd ON towns ((size + 1))").error is None
        assert session.state()["towns"] == before["towns"]
        assert session.run("SHOW CREATE TABLE towns").error is None


def test_what_no_embedded_database_can_do_changes_nothing(source: DatabaseSource) -> None:
    with SqliteDatabase() as database, made(database, source) as session:
        before = session.state()
        both = "UPDATE towns t JOIN customers c ON c.id = t.id SET t.size = 0, c.name = 'x'"
        assert session.run(both).code == 1235
        assert session.run("DELETE t, c FROM towns t JOIN customers c ON c.id = t.id").code == 1235
        assert session.state() == before


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE t (id int, at timestamp DEFAULT, n int)",
        "CREATE TABLE t (id int DEFAULT",
        "SELECT ADDDATE('2024-01-01',  ), DATE_ADD(), CAST(), EXTRACT(), CONVERT( , ), TRIM( FROM )",
        "SELECT DAYOFMONTH'2024-01-10''2024-01-10'), MONTH( )",
        "ALTER TABLE towns ADD",
        "RENAME TABLE towns TO",
        "CREATE TABLE t LIKE",
        "UPDATE towns t JOIN SET t.size = 1",
        "DELETE FROM USING towns JOIN customers",
        "CREATE TABLE t (a int,, b int)",
        "ALTER TABLE towns ADD a int,, ADD b int",
        "ALTER TABLE towns ADD COLUMN PRIMARY KEY (size)",
        "DELETE USING towns JOIN customers",
        "SELECT x'zz'",
        "INSERT INTO towns VALUES (1) ON DUPLICATE KEY UPDATE VALUES(",
    ],
)
def test_what_breaks_off_is_an_error(session: DatabaseSession, statement: str) -> None:
    assert session.run(statement).error is not None
    assert session.run("SELECT COUNT(*) FROM towns").rows == ((3,),)


HOSTILE = [
    "SELECT 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' REGEXP '^(a+)+$'",
    "SELECT 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab' REGEXP '(a|aa)+$'",
    "SELECT REGEXP_REPLACE('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab', '(a|aa)+$', '')",
    f"SELECT 'a' REGEXP '{'(a{1,9})' * 100_000}'",
    "SELECT POW(10, 1000000000)",
    "SELECT TRUNCATE(1, 1000000000)",
    "SELECT CONV('5', 10, 1)",
    "SELECT FORMAT(1, 1000000000)",
    "SELECT INSTR(REPEAT('a', 9000000), CONCAT(REPEAT('a', 4000000), 'b'))",
    "SELECT LENGTH(REPLACE(REPEAT('a', 9000000), CONCAT(REPEAT('a', 4000000), 'b'), ''))",
    "SELECT LENGTH(TRIM(LEADING CONCAT(REPEAT('b', 1000000), 'a') FROM REPEAT('a', 9000000)))",
    f"CREATE TABLE t (a {'INT(' * 40}1{')' * 40}) AS SELECT 1 XOR 1",
]


@pytest.mark.parametrize("statement", HOSTILE, ids=range(len(HOSTILE)))
def test_no_function_outlasts_its_time(database: Database, source: DatabaseSource, statement: str) -> None:
    """Each of these would go on for hours where nothing stops it."""
    with database.open(source, "shop") as session:
        session.run(statement, timeout=0.5)
        assert session.run("SELECT 1").rows == ((1,),)


def test_a_search_that_takes_too_long_is_told(source: DatabaseSource) -> None:
    with SqliteDatabase() as database, database.open(source, "shop") as session:
        result = session.run(HOSTILE[1], timeout=0.2)
        assert (result.code, result.timed_out) == (3024, True)
        assert session.run("SELECT 'a' REGEXP '('").code == 1139
        asked = r"SELECT 'me@here.org' REGEXP '^[a-z.+]+@[a-z-]+\\.[a-z]{2,}$', REGEXP_REPLACE('a1b22', '[0-9]+', '#')"
        assert session.run(asked).rows == ((1, "a#b#"),)


CARS = "CREATE TABLE cars (id int PRIMARY KEY, make varchar(9) COLLATE utf8mb4_general_ci, code varchar(9) COLLATE {})"

TEXTS = {
    "SELECT id FROM cars WHERE make = 'Ford'": [(1,), (2,)],
    "SELECT id FROM cars WHERE make = 'FORD   '": [(1,), (2,)],
    "SELECT id FROM cars WHERE make IN ('x', 'ford') OR make = 'KÖLN'": [(1,), (2,), (3,)],
    "SELECT a.id, b.id FROM cars AS a JOIN cars AS b ON b.make = a.make AND b.id > a.id": [(1, 2)],
    "SELECT COUNT(*) FROM cars GROUP BY make": [(1,), (1,), (2,)],
    "SELECT COUNT(DISTINCT make) FROM cars": [(3,)],
    "SELECT COUNT(DISTINCT make, 1) FROM cars": [(3,)],
    "SELECT COUNT(*) FROM (SELECT make FROM cars UNION SELECT 'köln  ') AS u": [(3,)],
    "SELECT id FROM cars WHERE make LIKE 'ford'": [(1,)],
    "SELECT id FROM cars WHERE make LIKE 'ford '": [(2,)],
    "SELECT id FROM cars WHERE code = 'a'": [(1,), (2,)],
    "SELECT id FROM cars WHERE make COLLATE utf8mb4_bin = 'Ford'": [(2,)],
    "SELECT STRCMP('a', 'A  '), FIELD('a ', 'A')": [(0, 1)],
}
"""What to ask of texts with blanks at their ends, and the answers in any order."""


@pytest.fixture(scope="module")
def cars(database: Database, source: DatabaseSource) -> Iterator[DatabaseSession]:
    with database.open(source, "shop") as session:
        for statement in (
            CARS.format("utf8mb4_bin"),
            "INSERT INTO cars VALUES (1, 'ford', 'a '), (2, 'Ford ', 'a'), (3, 'Köln', 'A'), (4, ' ford', NULL)",
        ):
            assert session.run(statement).error is None
        yield session


@pytest.mark.parametrize("asked", TEXTS)
def test_neither_case_nor_blanks_at_the_end_tell_texts_apart(cars: DatabaseSession, asked: str) -> None:
    """But for LIKE."""
    found = cars.run(asked)
    assert found.error is None
    assert sorted(found.rows or ()) == TEXTS[asked]


def test_keys_know_texts_with_blanks_at_the_end(session: DatabaseSession) -> None:
    for statement, code in (
        ("CREATE TABLE makes (make varchar(9) COLLATE utf8mb4_general_ci PRIMARY KEY)", 0),
        ("INSERT INTO makes VALUES ('ford ')", 0),
        ("INSERT INTO makes VALUES ('FORD')", 1062),
        ("CREATE TABLE used (make varchar(9) COLLATE utf8mb4_general_ci REFERENCES makes (make))", 0),
        ("INSERT INTO used VALUES ('Ford')", 0),
        ("INSERT INTO used VALUES ('Fiat')", 1452),
    ):
        assert session.run(statement).code == code, statement


def test_collations_without_padding_heed_blanks(source: DatabaseSource) -> None:
    """MySQL's newer ones; MariaDB does not know them."""
    with SqliteDatabase() as database, database.open(source, "shop") as session:
        session.run(CARS.format("utf8mb4_0900_ai_ci"))
        session.run("INSERT INTO cars VALUES (1, 'ford', 'a '), (2, 'Ford ', 'a'), (3, 'Köln', 'A')")
        assert session.run("SELECT id FROM cars WHERE code = 'a'").rows == ((2,), (3,))


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT id FROM cars WHERE make = CAST(X'FF' AS CHAR)",
        "SELECT make FROM cars UNION SELECT CAST(X'FF' AS CHAR)",
        "SELECT CONCAT(make, 'x') FROM cars WHERE make <> CAST(X'FF' AS CHAR) ORDER BY make",
        "DELETE FROM cars WHERE make = CAST(X'FF' AS CHAR)",
        "ALTER TABLE bytes ADD FOREIGN KEY (name) REFERENCES towns (name)",
    ],
)
def test_text_that_is_none_is_the_statements_own_fault(source: DatabaseSource, statement: str) -> None:
    """Nobody can compare it, and a state that holds it can still be looked at."""
    with SqliteDatabase() as database, made(database, source) as session:
        session.run(CARS.format("utf8mb4_bin"))
        session.run("INSERT INTO cars VALUES (1, 'ford', 'a '), (2, 'Ford ', 'a'), (3, 'Köln', 'A')")
        assert session.run("CREATE TABLE bytes AS SELECT CAST(X'FF' AS CHAR) AS name").error is None
        assert session.run(statement).error is not None
        assert session.state()["bytes"].rows == (("\\xff",),)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE streets (town int REFERENCES towns (id))",
        "CREATE TABLE streets (town int NOT NULL CONSTRAINT lies_in REFERENCES towns (id) ON DELETE CASCADE)",
        "CREATE TABLE streets (town int, FOREIGN KEY (town) REFERENCES towns (id))",
    ],
)
def test_a_column_may_say_itself_what_it_references(session: DatabaseSession, statement: str) -> None:
    assert session.run(statement).error is None
    assert session.run("INSERT INTO streets VALUES (99)").code == 1452
    assert session.run("ALTER TABLE streets ADD COLUMN other int REFERENCES towns (id)").error is None
    assert session.run("INSERT INTO streets VALUES (1, 99)").code == 1452
    made = parse(session.state()["streets"].create)
    assert made is not None
    assert [(key.columns, key.table, key.references) for key in made.foreign] == [
        (("town",), "towns", ("id",)),
        (("other",), "towns", ("id",)),
    ]
    assert ("CASCADE" in made.foreign[0].actions.upper()) == ("CASCADE" in statement)
