"""ALTER TABLE, RENAME TABLE and DROP INDEX do on the embedded SQLite what they do on a server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from intercode.errors import DatabaseError
from intercode.testing.database_fixtures import contract_source
from intercode.types.databases import Database, DatabaseSession, DatabaseSource
from intercode.worlds.sql.databases.mysql import MysqlDatabase, server_program
from intercode.worlds.sql.databases.sqlite import SqliteDatabase

TOWNS = (
    "CREATE TABLE towns (id int PRIMARY KEY, name varchar(20), size int NOT NULL, note mediumtext, KEY sizes (size))"
)
ROWS = "INSERT INTO towns VALUES (1, 'Ulm', 120, NULL), (2, 'Bonn', 330, 'x'), (3, 'Jena', 110, NULL)"
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


@pytest.fixture
def session(database: Database, source: DatabaseSource) -> Iterator[DatabaseSession]:
    with database.open(source, "shop") as session:
        for statement in (TOWNS, ROWS):
            assert session.run(statement).error is None
        yield session


COLUMNS = [("id", "int", "NO", "PRI"), ("name", "varchar(20)", "YES", ""), ("size", "int", "NO", "MUL"),
           ("note", "mediumtext", "YES", "")]  # fmt: skip

ALTERATIONS = {
    "MODIFY name varchar(40) NOT NULL": [("id", "int", "NO", "PRI"), ("name", "varchar(40)", "NO", ""), *COLUMNS[2:]],
    "MODIFY COLUMN size bigint": [*COLUMNS[:2], ("size", "bigint", "YES", "MUL"), COLUMNS[3]],
    "CHANGE name town varchar(30)": [COLUMNS[0], ("town", "varchar(30)", "YES", ""), *COLUMNS[2:]],
    "CHANGE COLUMN size people int NOT NULL": [*COLUMNS[:2], ("people", "int", "NO", "MUL"), COLUMNS[3]],
    "MODIFY note mediumtext FIRST": [COLUMNS[3], *COLUMNS[:3]],
    "ADD COLUMN country char(2) AFTER id": [COLUMNS[0], ("country", "char(2)", "YES", ""), *COLUMNS[1:]],
    "ADD a int, ADD b int NOT NULL": [*COLUMNS, ("a", "int", "YES", ""), ("b", "int", "NO", "")],
    "ADD (a int, b varchar(5))": [*COLUMNS, ("a", "int", "YES", ""), ("b", "varchar(5)", "YES", "")],
    "ADD INDEX names (name)": [COLUMNS[0], ("name", "varchar(20)", "YES", "MUL"), *COLUMNS[2:]],
    "ADD KEY (name)": [COLUMNS[0], ("name", "varchar(20)", "YES", "MUL"), *COLUMNS[2:]],
    "ADD UNIQUE KEY names (name)": [COLUMNS[0], ("name", "varchar(20)", "YES", "UNI"), *COLUMNS[2:]],
    "ADD CONSTRAINT names UNIQUE (name)": [COLUMNS[0], ("name", "varchar(20)", "YES", "UNI"), *COLUMNS[2:]],
    "DROP INDEX sizes": [*COLUMNS[:2], ("size", "int", "NO", ""), COLUMNS[3]],
    "DROP COLUMN size": [*COLUMNS[:2], COLUMNS[3]],
    "DROP PRIMARY KEY": [("id", "int", "NO", ""), *COLUMNS[1:]],
    "DROP PRIMARY KEY, ADD PRIMARY KEY (size)": [
        ("id", "int", "NO", ""), COLUMNS[1], ("size", "int", "NO", "PRI"), COLUMNS[3],
    ],
    "RENAME COLUMN size TO people": [*COLUMNS[:2], ("people", "int", "NO", "MUL"), COLUMNS[3]],
    "ENGINE=InnoDB": COLUMNS,
}  # fmt: skip


@pytest.mark.parametrize("alteration", ALTERATIONS)
def test_a_table_is_altered(session: DatabaseSession, alteration: str) -> None:
    result = session.run(f"ALTER TABLE towns {alteration}")
    assert (result.error, result.rows) == (None, None)
    assert [row[:4] for row in session.run("DESC towns").rows or ()] == ALTERATIONS[alteration]


@pytest.mark.parametrize("alteration", ALTERATIONS)
def test_its_rows_stay(session: DatabaseSession, alteration: str) -> None:
    session.run(f"ALTER TABLE towns {alteration}")
    names = "town" if "town" in alteration else "name"
    assert session.run(f"SELECT id, {names} FROM towns ORDER BY id").rows == ((1, "Ulm"), (2, "Bonn"), (3, "Jena"))
    assert session.changed()


@pytest.mark.parametrize(
    ("alteration", "code"),
    [
        ("MODIFY nothing int", 1054),
        ("CHANGE name size int", 1060),
        ("ADD name int", 1060),
        ("ADD INDEX i (nothing)", 1072),
        ("ADD INDEX sizes (name)", 1061),
        ("ADD PRIMARY KEY (size)", 1068),
        ("DROP INDEX nothing", 1091),
        ("ADD FOREIGN KEY (size) REFERENCES customers (id)", 1452),
        ("MODIFY", 1064),
        ("RENAME TO orders", 1050),
    ],
)
def test_what_cannot_be_done_is_told_and_changes_nothing(session: DatabaseSession, alteration: str, code: int) -> None:
    before = session.state()
    assert session.run(f"ALTER TABLE towns {alteration}").code == code
    assert session.state() == before


def test_a_new_unique_key_is_kept_to(session: DatabaseSession) -> None:
    assert session.run("ALTER TABLE towns ADD UNIQUE (name)").error is None
    assert session.run("INSERT INTO towns VALUES (4, 'Ulm', 1, NULL)").code == 1062
    assert session.run("ALTER TABLE customers ADD UNIQUE (city)").error is None
    session.run("UPDATE towns SET size = 120")
    assert session.run("ALTER TABLE towns ADD UNIQUE (size)").code == 1062


def test_a_default_is_set_and_dropped(session: DatabaseSession) -> None:
    assert session.run("ALTER TABLE towns ALTER COLUMN size SET DEFAULT 7").error is None
    assert session.run("INSERT INTO towns (id) VALUES (4)").error is None
    assert session.run("SELECT size FROM towns WHERE id = 4").rows == ((7,),)
    assert session.run("ALTER TABLE towns ALTER size DROP DEFAULT").error is None
    assert session.run("INSERT INTO towns (id) VALUES (5)").error is not None


@pytest.mark.parametrize(
    "alteration",
    [
        "MODIFY size tinyint",
        "MODIFY size decimal(4,2)",
        "MODIFY name varchar(3)",
        "CHANGE name town int",
        "MODIFY name date",
        "MODIFY name enum('Ulm', 'Bonn')",
        "MODIFY note mediumtext NOT NULL",
    ],
)
def test_a_type_that_does_not_fit_the_values_is_refused(session: DatabaseSession, alteration: str) -> None:
    """MariaDB and MySQL do not agree on the numbers of these errors."""
    before = session.state()
    assert session.run(f"ALTER TABLE towns {alteration}").code in (1048, 1138, 1264, 1265, 1292, 1366)
    assert session.state() == before


def test_values_are_brought_to_the_new_type(session: DatabaseSession) -> None:
    session.run("CREATE TABLE t (a decimal(6,2), b varchar(20), c varchar(20), d double)")
    session.run("INSERT INTO t VALUES (2.50, '17', '2024-1-5', 2.345), (NULL, NULL, NULL, NULL)")
    for alteration in ("MODIFY a int", "MODIFY b bigint", "CHANGE c day date", "MODIFY d decimal(5,2)"):
        assert session.run(f"ALTER TABLE t {alteration}").error is None
    first, second = session.run("SELECT * FROM t ORDER BY a DESC").rows or ()
    assert (*first[:2], str(first[2]), str(first[3])) == (3, 17, "2024-01-05", "2.35")
    assert second == (None, None, None, None)


def test_an_index_has_the_name_that_it_was_given(session: DatabaseSession) -> None:
    session.run("CREATE UNIQUE INDEX whole ON towns (name, size)")
    found = session.run("SHOW INDEX FROM towns").rows or ()
    assert sorted({row[2] for row in found}) == ["PRIMARY", "sizes", "whole"]


def test_an_index_is_dropped(session: DatabaseSession) -> None:
    session.run("CREATE INDEX names ON towns (name)")
    for index in ("names", "sizes"):
        assert session.run(f"DROP INDEX {index} ON towns").error is None
    assert [row[3] for row in session.run("DESC towns").rows or ()] == ["PRI", "", "", ""]


@pytest.mark.parametrize(
    "statement",
    ["RENAME TABLE towns TO cities", "ALTER TABLE towns RENAME cities", "ALTER TABLE towns RENAME TO cities"],
)
def test_a_table_is_renamed(session: DatabaseSession, statement: str) -> None:
    assert session.run(statement).error is None
    assert session.run("SELECT COUNT(*) FROM cities").rows == ((3,),)
    assert session.run("SELECT * FROM towns").code == 1146
    assert [row[:4] for row in session.run("DESC cities").rows or ()] == COLUMNS
    assert session.run(TOWNS).error is None
    assert [row[:4] for row in session.run("DESC towns").rows or ()] == COLUMNS


def test_tables_swap_their_names(session: DatabaseSession) -> None:
    assert session.run("RENAME TABLE towns TO aside, customers TO towns, aside TO customers").error is None
    assert session.run("SELECT COUNT(*) FROM customers").rows == ((3,),)
    assert session.run("SELECT COUNT(*) FROM towns").rows == ((4,),)


def test_all_tables_are_renamed_or_none(session: DatabaseSession) -> None:
    session.run("CREATE TABLE a (x int)")
    before = session.state()
    assert session.run("RENAME TABLE a TO b, towns TO orders").code == 1050
    assert session.run("RENAME TABLE a TO b, nothing TO c").code == 1146
    assert session.state() == before
    assert session.run("RENAME TABLE a TO b, b TO c").error is None
    assert "c" in session.state()


def test_keys_of_others_follow_a_table_that_is_renamed(session: DatabaseSession) -> None:
    session.run("CREATE TABLE streets (town int, FOREIGN KEY (town) REFERENCES towns (id))")
    session.run("RENAME TABLE towns TO cities")
    assert session.run("INSERT INTO streets VALUES (99)").code == 1452
    assert session.run("INSERT INTO streets VALUES (1)").error is None


def test_keys_hold_after_an_alteration(session: DatabaseSession) -> None:
    """Those of the table and those to it."""
    session.run("CREATE TABLE streets (town int, FOREIGN KEY (town) REFERENCES towns (id))")
    session.run("ALTER TABLE towns MODIFY name varchar(99)")
    session.run("ALTER TABLE streets ADD length int")
    assert session.run("INSERT INTO streets VALUES (99, 1)").code == 1452


def test_the_same_alteration_makes_the_same_state(database: Database, source: DatabaseSource) -> None:
    """And a session beside sees none of it."""
    with (
        database.open(source, "shop") as one,
        database.open(source, "shop") as other,
        database.open(source, "shop") as beside,
    ):
        fresh = beside.state()
        for session in (one, other):
            assert (
                session.run("ALTER TABLE customers CHANGE city town varchar(77) NOT NULL DEFAULT 'x' AFTER id").error
                is None
            )
            assert session.run("ALTER TABLE customers CHANGE born birth date AFTER id").error is None
        assert one.state() == other.state() != fresh
        assert beside.state() == fresh
