"""The part of the database contract about statements: what they answer, and what is wrong with them."""

from __future__ import annotations

import time
from datetime import date, datetime
from decimal import Decimal

import pytest

from intercode.testing.database_fixtures import NAMES, rows, run_successfully
from intercode.types.databases import Database, DatabaseSession, DatabaseSource, QueryLimits

ENDLESS = "SELECT SUM(a0.id * a1.id * a19.id) FROM " + ", ".join(f"shop.customers a{n}" for n in range(20))
"""4 to the power of 20 rows to count."""


class StatementTests:
    """See `DatabaseContract`."""

    # What they answer

    def test_rows_come_with_their_columns(self, session: DatabaseSession) -> None:
        result = session.run("SELECT id, name AS who FROM customers ORDER BY id")
        assert result.columns == ("id", "who")
        assert list(result.rows or ()) == NAMES
        assert (result.error, result.truncated, result.timed_out) == (None, False, False)
        assert result.seconds > 0

    def test_no_rows_are_a_result_set_too(self, session: DatabaseSession) -> None:
        assert session.run("SELECT id FROM customers WHERE id > 1000").rows == ()

    def test_values_have_pythons_types(self, session: DatabaseSession) -> None:
        """Decimal for exact numbers, dates and times, None for NULL."""
        found = rows(session, "SELECT number, price, weight, at FROM orders WHERE number <> 101 ORDER BY number")
        assert found == [
            (100, Decimal("9.50"), 0.25, datetime(2024, 1, 2, 3, 4, 5)),
            (102, Decimal("5.00"), None, datetime(2024, 5, 6)),
        ]
        assert [type(value) for value in found[0]] == [int, Decimal, float, datetime]
        assert rows(session, "SELECT born, city FROM customers WHERE id = 3") == [(date(2001, 12, 31), "a\nb")]

    def test_a_change_has_no_result_set_and_counts_rows(self, session: DatabaseSession) -> None:
        result = session.run("DELETE FROM orders WHERE number > 100")
        assert (result.rows, result.affected, result.error) == (None, 2, None)
        assert rows(session, "SELECT number FROM orders") == [(100,)]

    def test_text_in_double_quotes_is_text(self, session: DatabaseSession) -> None:
        """Even where a column is called so."""
        assert rows(session, 'SELECT id FROM customers WHERE name = "anna"') == [(1,)]
        assert rows(session, 'SELECT "name" FROM customers WHERE id = 1') == [("name",)]
        assert rows(session, r"SELECT 'it''s', 'a\'b', 'a\\b', " + "`id` FROM `customers` LIMIT 1") == [
            ("it's", "a'b", "a\\b", 1)
        ]

    def test_texts_are_compared_without_case(self, session: DatabaseSession) -> None:
        assert rows(session, "SELECT id FROM customers WHERE name = 'ANNA' OR name LIKE 'bOb%' ORDER BY id") == [
            (1,),
            (2,),
        ]

    def test_whole_numbers_divide_exactly(self, session: DatabaseSession) -> None:
        assert float(str(rows(session, "SELECT 7 / 2")[0][0])) == 3.5
        assert rows(session, "SELECT 7 DIV 2, 7 / 0") == [(3, None)]

    def test_functions_of_mysql_are_there(self, session: DatabaseSession) -> None:
        statement = (
            "SELECT CONCAT(name, '!'), IF(id > 0, 'y', 'n'), LEFT(city, 2), YEAR(born) FROM customers WHERE id = 1"
        )
        assert rows(session, statement) == [("Anna!", "y", "Kö", 1990)]

    def test_a_limit_may_have_a_comma(self, session: DatabaseSession) -> None:
        assert rows(session, "SELECT id FROM customers ORDER BY id LIMIT 1, 2") == [(2,), (3,)]

    # What they say of tables

    def test_tables_are_shown(self, session: DatabaseSession) -> None:
        result = session.run("SHOW TABLES")
        assert (result.columns, result.rows) == (("Tables_in_shop",), (("customers",), ("orders",)))
        assert rows(session, "show tables from bank") == [("accounts",)]
        assert rows(session, "SHOW TABLES LIKE 'cust%'") == [("customers",)]

    @pytest.mark.parametrize("statement", ["DESC orders", "DESCRIBE shop.orders;", "show columns from `orders`"])
    def test_columns_are_described(self, session: DatabaseSession, statement: str) -> None:
        result = session.run(statement)
        assert result.columns == ("Field", "Type", "Null", "Key", "Default", "Extra")
        assert result.rows == (
            ("number", "int", "NO", "PRI", None, ""),
            ("customer", "int", "YES", "MUL", None, ""),
            ("price", "decimal(8,2)", "YES", "", None, ""),
            ("weight", "double", "YES", "", None, ""),
            ("at", "datetime", "YES", "", None, ""),
        )
        assert rows(session, "DESC customers")[0] == ("id", "int", "NO", "PRI", None, "auto_increment")

    def test_a_new_table_is_described_too(self, session: DatabaseSession) -> None:
        run_successfully(
            session, "CREATE TABLE fresh (a INTEGER PRIMARY KEY AUTO_INCREMENT, b VARCHAR(20) DEFAULT 'x')"
        )
        assert rows(session, "DESC fresh") == [
            ("a", "int", "NO", "PRI", None, "auto_increment"),
            ("b", "varchar(20)", "YES", "", "x", ""),
        ]
        run_successfully(session, "INSERT INTO fresh () VALUES ()")
        assert rows(session, "SELECT * FROM fresh") == [(1, "x")]
        assert ("fresh",) in rows(session, "SHOW TABLES")

    def test_a_create_statement_is_shown(self, session: DatabaseSession) -> None:
        ((name, text),) = rows(session, "SHOW CREATE TABLE orders")
        assert name == "orders"
        assert str(text).startswith("CREATE TABLE `orders` (\n  `number` int NOT NULL,\n")

    def test_databases_are_shown(self, session: DatabaseSession) -> None:
        """The source's, and nothing of the server's own."""
        shown = [name for (name,) in rows(session, "SHOW DATABASES") if name != "performance_schema"]
        assert shown == ["bank", "information_schema", "shop"]

    def test_the_information_schema_can_be_asked(self, session: DatabaseSession) -> None:
        asked = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'shop' ORDER BY table_name"
        assert rows(session, asked) == [("customers",), ("orders",)]
        asked = (
            "SELECT column_type FROM information_schema.columns WHERE table_name = 'customers' AND column_name = 'name'"
        )
        assert rows(session, asked) == [("varchar(50)",)]

    def test_another_database_can_be_used(self, session: DatabaseSession) -> None:
        assert rows(session, "SELECT money FROM bank.accounts WHERE id = 2") == [(50,)]
        assert session.run("USE bank").rows is None
        assert rows(session, "SELECT COUNT(*) FROM accounts") == [(2,)]
        assert rows(session, "SELECT COUNT(*) FROM shop.orders") == [(3,)]

    # What is wrong with them

    @pytest.mark.parametrize(
        ("statement", "code", "message"),
        [
            ("SELECT * FROM nothing", 1146, "Table 'shop.nothing' doesn't exist"),
            ("DESC nothing", 1146, "Table 'shop.nothing' doesn't exist"),
            ("SELECT wrong FROM customers", 1054, "Unknown column 'wrong' in 'field list'"),
            ("SELECT c.wrong FROM customers c", 1054, "Unknown column 'c.wrong' in 'field list'"),
            ("SELECT id FROM customers WHERE wrong = 1", 1054, "Unknown column 'wrong' in 'where clause'"),
            ("SELECT id FROM customers ORDER BY wrong", 1054, "Unknown column 'wrong' in 'order clause'"),
            ("SELECT id FROM customers a JOIN customers b", 1052, "Column 'id' in field list is ambiguous"),
            ("SELECT nonsense(1)", 1305, "FUNCTION shop.nonsense does not exist"),
            ("SELECT * FROM nowhere.nothing", 1049, "Unknown database 'nowhere'"),
            ("USE nowhere", 1049, "Unknown database 'nowhere'"),
            ("SELECT 1 UNION SELECT 1, 2", 1222, "The used SELECT statements have a different number of columns"),
            ("INSERT INTO orders VALUES (1)", 1136, "Column count doesn't match value count at row 1"),
            ("SELECT id FROM customers WHERE SUM(id) > 1", 1111, "Invalid use of group function"),
            ("CREATE TABLE orders (a int)", 1050, "Table 'orders' already exists"),
            ("DROP TABLE nothing", 1051, "Unknown table 'shop.nothing'"),
            ("", 1065, "Query was empty"),
            (" ; -- nothing", 1065, "Query was empty"),
        ],
    )
    def test_mistakes_are_told_in_mysqls_words(
        self, session: DatabaseSession, statement: str, code: int, message: str
    ) -> None:
        result = session.run(statement)
        assert (result.code, result.message, result.rows) == (code, message, None)

    def test_an_error_has_its_numbers_in_front(self, session: DatabaseSession) -> None:
        assert session.run("SELECT * FROM nothing").error == "1146 (42S02): Table 'shop.nothing' doesn't exist"

    @pytest.mark.parametrize(
        ("statement", "near"),
        [
            ("SELEC 1", "SELEC 1' at line 1"),
            ("SELECT *\nFROM customers WHEER id = 1", "id = 1' at line 2"),
            ("I am sorry, there is no such table.", "I am sorry, there is no such table.' at line 1"),
            ("SELECT 1; SELECT 2", "SELECT 2' at line 1"),
        ],
    )
    def test_what_is_no_sql_is_quoted(self, session: DatabaseSession, statement: str, near: str) -> None:
        result = session.run(statement)
        assert result.code == 1064
        assert result.message.startswith(
            "You have an error in your SQL syntax; check the manual that corresponds to your MySQL"
        )
        assert result.message.endswith(f"near '{near}")

    def test_of_two_statements_none_is_run(self, session: DatabaseSession) -> None:
        assert session.run("DELETE FROM orders; SELECT 1").code == 1064
        assert rows(session, "SELECT COUNT(*) FROM orders") == [(3,)]

    def test_a_semicolon_at_the_end_is_no_second_statement(self, session: DatabaseSession) -> None:
        assert rows(session, "SELECT ';' ; -- done") == [(";",)]

    def test_comments_may_come_first(self, session: DatabaseSession) -> None:
        for comment in ("--\n", "-- about\n", "#\n", "/* about */", "--\n--\n\n"):
            assert rows(session, f"{comment}SELECT 1") == [(1,)]
        assert rows(session, "SELECT 5--1") == [(6,)]

    def test_text_that_is_none_is_told(self, session: DatabaseSession) -> None:
        """Bytes that are not UTF-8, as Python has them; and NUL."""
        assert session.run("SELECT '\udcff'").code == 1300
        assert session.run("SELECT '\ud800'").code == 1300
        assert session.run(f"SELECT '{'x' * (3 << 20)}\udcff'").code == 1300
        assert session.run("SELECT 1\0").error is not None
        assert rows(session, "SELECT 'ü€😀'") == [("ü€😀",)]

    def test_a_megabyte_is_no_problem(self, session: DatabaseSession) -> None:
        text = "x" * (1 << 20)
        assert rows(session, f"SELECT LENGTH('{text}')") == [(1 << 20,)]
        assert session.run("x" * (1 << 20)).code == 1064
        wide = "SELECT " + " + ".join(["1"] * 100_000)
        assert session.run(wide).rows == ((100_000,),) or session.run(wide).error
        assert rows(session, "SELECT 1") == [(1,)]

    # How much they may use

    def test_a_longer_statement_than_allowed_is_not_run(self, small: DatabaseSession) -> None:
        assert small.run(f"DELETE FROM orders -- {'x' * 5000}").code == 1153
        assert not small.changed()

    def test_time_is_limited(self, session: DatabaseSession) -> None:
        started = time.monotonic()
        result = session.run(ENDLESS, timeout=0.3)
        assert time.monotonic() - started < 15
        assert result.timed_out
        assert (
            result.error == "3024 (HY000): Query execution was interrupted, maximum statement execution time exceeded"
        )
        assert rows(session, "SELECT 1") == [(1,)]

    def test_the_sessions_limit_holds_where_no_time_is_given(self, small: DatabaseSession) -> None:
        started = time.monotonic()
        assert small.run(ENDLESS).timed_out
        assert time.monotonic() - started < 15

    @pytest.mark.parametrize("statement", ["SELECT SLEEP(60)", "DELETE FROM orders WHERE SLEEP(60)"])
    def test_nobody_sleeps_longer_than_allowed(self, session: DatabaseSession, statement: str) -> None:
        started = time.monotonic()
        session.run(statement, timeout=0.3)
        assert time.monotonic() - started < 15
        assert rows(session, "SELECT 1") == [(1,)]

    def test_rows_are_cut(self, small: DatabaseSession) -> None:
        """And the session goes on at once, however many there were."""
        crossed = ", ".join(f"customers a{n}" for n in range(12))
        started = time.monotonic()
        result = small.run(f"SELECT a0.id FROM {crossed}", timeout=10)
        assert time.monotonic() - started < 15
        assert result.truncated
        assert len(result.rows or ()) == 100
        assert rows(small, "SELECT 1") == [(1,)]

    def test_bytes_are_cut(self, small: DatabaseSession) -> None:
        result = small.run("SELECT REPEAT('x', 3000) FROM customers")
        assert result.truncated
        assert len(result.rows or ()) == 3
        assert rows(small, "SELECT 1") == [(1,)]

    @pytest.fixture
    def small(self, database: Database, source: DatabaseSource) -> DatabaseSession:
        """Provide a session with small limits."""
        session = database.open(source, "shop")
        session.limits = QueryLimits(seconds=3.0, rows=100, bytes=10_000, statement=4000)
        return session
