"""The part of the database contract about lives: what one session does, no other sees."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ClassVar

import pytest

from intercode.errors import BadDataError, DatabaseError, UnknownNameError
from intercode.testing.database_fixtures import NAMES, rows, run_successfully
from intercode.types.databases import Database, DatabaseSession, DatabaseSource

DEEDS = {
    "insert": "INSERT INTO customers (name) VALUES ('Eve')",
    "update": "UPDATE customers SET name = 'X'",
    "delete": "DELETE FROM orders",
    "create": "CREATE TABLE fresh (a int)",
    "drop": "DROP TABLE orders",
    "alter": "ALTER TABLE customers ADD COLUMN extra int DEFAULT 5",
    "truncate": "TRUNCATE TABLE orders",
    "view": "CREATE VIEW seen AS SELECT id FROM customers",
    "index": "CREATE INDEX fresh ON customers (born)",
    "replace": "REPLACE INTO orders (number) VALUES (100)",
    "temporary": "CREATE TEMPORARY TABLE fresh (a int)",
}
"""Statements that change something."""


class DatabaseLifecycleTests:
    """See `DatabaseContract`."""

    episodes: ClassVar[tuple[int, int]] = (6, 24)
    """How many sessions that write are open at a time, and how many in all."""

    # What changes

    def test_a_session_that_reads_changes_nothing(self, session: DatabaseSession) -> None:
        for statement in ("SELECT * FROM customers", "SHOW TABLES", "DESC orders", "USE bank", "SELEC", "SELECT x"):
            session.run(statement)
        assert not session.changed()

    def test_settings_are_no_change(self, session: DatabaseSession) -> None:
        for statement in (
            "SET sql_mode = ''",
            "SET @x = 1",
            "COMMIT",
            "DELETE FROM nothing",
            "DELETE FROM orders WHEER 1",
        ):
            session.run(statement)
        assert not session.changed()

    @pytest.mark.parametrize("deed", [deed for deed in DEEDS if deed != "temporary"])
    def test_a_change_is_seen(self, session: DatabaseSession, deed: str) -> None:
        run_successfully(session, DEEDS[deed])
        assert session.changed()

    def test_what_was_rolled_back_counts_as_tried(self, session: DatabaseSession) -> None:
        """It may leave traces: the next number, for one."""
        for statement in ("BEGIN", DEEDS["insert"], "ROLLBACK"):
            run_successfully(session, statement)
        assert session.changed()
        assert rows(session, "SELECT id, name FROM customers ORDER BY id") == NAMES

    # Nobody else sees it

    @pytest.mark.parametrize("deed", DEEDS)
    def test_no_other_session_sees_a_change(self, database: Database, source: DatabaseSource, deed: str) -> None:
        """Neither one that was open before, nor one at the same time, nor one later."""
        with database.open(source, "shop") as before:
            fresh = _everything(before)
            with database.open(source, "shop") as session, database.open(source, "shop") as beside:
                run_successfully(session, DEEDS[deed])
                assert _everything(beside) == fresh
                assert _everything(before) == fresh
            with database.open(source, "shop") as later:
                assert _everything(later) == fresh
                assert not later.changed()

    def test_settings_end_with_the_session(self, database: Database, source: DatabaseSource) -> None:
        with database.open(source, "shop") as session:
            run_successfully(session, "USE bank")
            session.run("SET SESSION sql_mode = 'ANSI_QUOTES'")
            session.run("SET NAMES latin1")
            session.run("SET @mine = 5")
        for _ in range(3):
            with database.open(source, "shop") as later:
                assert rows(later, 'SELECT "x" FROM orders LIMIT 1') == [("x",)]
                assert rows(later, "SELECT name FROM customers WHERE city = 'Köln'") == [("Anna",)]
                assert rows(later, "SHOW TABLES") == [("customers",), ("orders",)]

    @pytest.mark.parametrize("lock", ["LOCK TABLES customers WRITE", "BEGIN", "START TRANSACTION"])
    def test_locks_and_transactions_end_with_the_session(
        self, database: Database, source: DatabaseSource, lock: str
    ) -> None:
        """And hold up nobody meanwhile."""
        with database.open(source, "shop") as session, database.open(source, "shop") as beside:
            run_successfully(session, lock)
            run_successfully(session, "UPDATE customers SET name = 'X'")
            assert run_successfully(beside, "UPDATE customers SET name = 'Y'").affected == 4
        with database.open(source, "shop") as later:
            assert rows(later, "SELECT id, name FROM customers ORDER BY id") == NAMES

    def test_numbers_are_given_out_anew(self, database: Database, source: DatabaseSource) -> None:
        for _ in range(3):
            with database.open(source, "shop") as session:
                run_successfully(session, DEEDS["insert"])
                assert rows(session, "SELECT MAX(id) FROM customers") == [(11,)]

    def test_other_databases_are_fresh_too(self, database: Database, source: DatabaseSource) -> None:
        with database.open(source, "shop") as session:
            run_successfully(session, "USE bank")
            run_successfully(session, "UPDATE accounts SET money = 0")
        with database.open(source, "bank") as later:
            assert rows(later, "SELECT money FROM accounts ORDER BY id") == [(100,), (50,)]

    def test_many_that_write_at_once_do_not_meet(self, database: Database, source: DatabaseSource) -> None:
        """Each sees its own rows and no others'."""
        at_once, in_all = self.episodes
        seen: list[list[tuple[object, ...]]] = []
        lock = threading.Lock()

        def episode(number: int) -> None:
            with database.open(source, "shop") as session:
                run_successfully(session, f"INSERT INTO customers (name, city) VALUES ('{number}', 'mine')")
                run_successfully(session, f"UPDATE orders SET weight = {number}")
                found = rows(session, "SELECT id, name FROM customers WHERE city = 'mine'")
                found += rows(session, "SELECT DISTINCT weight FROM orders")
                with lock:
                    seen.append([found == [(11, str(number)), (float(number),)], found])  # type: ignore[list-item]

        with ThreadPoolExecutor(at_once) as crowd:
            list(crowd.map(episode, range(in_all)))
        assert [entry for entry in seen if not entry[0]] == []
        assert len(seen) == in_all

    # Its state

    def test_the_state_is_every_table(self, session: DatabaseSession) -> None:
        state = session.state()
        assert sorted(state) == ["customers", "orders"]
        assert state["customers"].columns == ("id", "name", "city", "born")
        assert sorted(row[:2] for row in state["customers"].rows) == NAMES
        assert state["orders"].create.startswith("CREATE TABLE `orders`")

    def test_the_state_is_the_same_each_time(self, database: Database, source: DatabaseSource) -> None:
        with database.open(source, "shop") as one, database.open(source, "shop") as other:
            assert one.state() == other.state() == one.state()

    @pytest.mark.parametrize("deed", [deed for deed in DEEDS if deed not in ("temporary", "index")])
    def test_the_state_shows_a_change(self, session: DatabaseSession, deed: str) -> None:
        before = session.state()
        run_successfully(session, DEEDS[deed])
        assert session.state() != before

    def test_the_same_change_makes_the_same_state(self, database: Database, source: DatabaseSource) -> None:
        with database.open(source, "shop") as one, database.open(source, "shop") as other:
            for session in (one, other):
                run_successfully(session, "DELETE FROM orders WHERE number = 101")
                run_successfully(session, DEEDS["alter"])
            assert one.state() == other.state()

    def test_the_state_is_what_is_committed(self, session: DatabaseSession) -> None:
        """And asking for it does not end the transaction."""
        before = session.state()
        run_successfully(session, "BEGIN")
        run_successfully(session, DEEDS["update"])
        assert session.state() == before
        assert rows(session, "SELECT name FROM customers WHERE id = 1") == [("X",)]
        run_successfully(session, "COMMIT")
        assert session.state() != before

    def test_a_lock_does_not_hide_the_state(self, session: DatabaseSession) -> None:
        run_successfully(session, "LOCK TABLES customers WRITE")
        assert sorted(row[:2] for row in session.state()["customers"].rows) == NAMES

    def test_a_view_is_state_by_what_it_shows(self, session: DatabaseSession) -> None:
        run_successfully(
            session, "CREATE VIEW seen AS SELECT id, CONCAT(name, '!') AS loud FROM customers WHERE id < 3"
        )
        run_successfully(
            session, "CREATE OR REPLACE VIEW seen AS SELECT id, CONCAT(name, '?') AS loud FROM customers WHERE id < 2"
        )
        table = session.state()["seen"]
        assert (table.columns, table.rows) == (("id", "loud"), ((1, "Anna?"),))
        assert table.create.startswith("CREATE VIEW ")

    @pytest.mark.parametrize("source_of", ["SELECT nope FROM customers", "SELECT id FROM nothing"])
    def test_a_view_of_nothing_is_not_made(self, session: DatabaseSession, source_of: str) -> None:
        assert session.run(f"CREATE VIEW seen AS {source_of}").code in (1054, 1146)
        assert sorted(session.state()) == ["customers", "orders"]
        assert session.run("SELECT * FROM seen").code == 1146

    def test_a_view_that_lost_its_table_does_no_harm(self, session: DatabaseSession) -> None:
        """Neither to who looks at it nor to who looks at everything."""
        run_successfully(session, "CREATE VIEW seen AS SELECT number FROM orders")
        run_successfully(session, "DROP TABLE orders")
        assert session.run("SELECT * FROM seen").error is not None
        assert session.run("DESC seen").error is not None
        for statement in ("SHOW CREATE VIEW seen", "SHOW TABLES", "SELECT table_name FROM information_schema.tables"):
            rows(session, statement)
        assert (session.state()["seen"].columns, session.state()["seen"].rows) == ((), ())

    def test_a_view_without_end_does_not_hold_up_its_judge(self, session: DatabaseSession) -> None:
        crossed = ", ".join(f"customers a{n}" for n in range(20))
        run_successfully(session, f"CREATE VIEW seen AS SELECT SUM(a0.id * a1.id * a19.id) AS total FROM {crossed}")
        started = time.monotonic()
        assert session.state()["seen"].rows == ()
        assert time.monotonic() - started < 15

    def test_temporary_tables_are_no_state(self, session: DatabaseSession) -> None:
        """Not even one that hides a real table."""
        before = session.state()
        run_successfully(session, "CREATE TEMPORARY TABLE orders (a int)")
        assert session.state() == before

    def test_a_dropped_database_has_no_tables(self, session: DatabaseSession) -> None:
        if session.run("DROP DATABASE shop").error is None:
            assert session.state() == {}
        else:
            assert sorted(session.state()) == ["customers", "orders"]

    # Ends

    def test_closing_twice_is_harmless(self, database: Database, source: DatabaseSource) -> None:
        session = database.open(source, "shop")
        session.run(DEEDS["delete"])
        session.close()
        session.close()

    def test_nothing_can_be_done_after_close(self, database: Database, source: DatabaseSource) -> None:
        session = database.open(source, "shop")
        session.close()
        with pytest.raises(DatabaseError):
            session.run("SELECT 1")
        with pytest.raises(DatabaseError):
            session.state()

    def test_databases_are_listed(self, database: Database, source: DatabaseSource) -> None:
        assert database.names(source) == ["bank", "shop"]

    def test_an_unknown_database_is_told_with_the_known(self, database: Database, source: DatabaseSource) -> None:
        with pytest.raises(UnknownNameError, match="no database 'shops' in contract; there are: bank, shop"):
            database.open(source, "shops")

    def test_a_dump_that_is_not_there_is_told(self, database: Database, tmp_path: Path) -> None:
        with pytest.raises(BadDataError, match=r"absent\.sql: no such file"):
            database.load(DatabaseSource("absent", tmp_path / "absent.sql"))

    def test_a_dump_that_does_not_load_is_told_with_its_line(self, database: Database, tmp_path: Path) -> None:
        path = tmp_path / "bad.sql"
        path.write_text("CREATE TABLE a (b int);\n\nINSERT INTO a VALUES (1);\nINSERT INTO missing VALUES (1);\n")
        with pytest.raises(BadDataError, match=r"bad\.sql, line 4: .*missing"):
            database.load(DatabaseSource("bad", path))

    def test_a_dump_without_statements_is_told(self, database: Database, tmp_path: Path) -> None:
        path = tmp_path / "cut.sql"
        path.write_text("-- it ended here\n")
        with pytest.raises(BadDataError, match=r"cut\.sql: no SQL statement in it"):
            database.load(DatabaseSource("cut", path))

    def test_a_folder_of_scripts_is_a_source(self, database: Database, tmp_path: Path) -> None:
        (tmp_path / "one.sql").write_text("CREATE TABLE a (b int); INSERT INTO a VALUES (1);")
        (tmp_path / "two.sql").write_text("CREATE TABLE a (b int); INSERT INTO a VALUES (2);")
        source = DatabaseSource("folder", tmp_path, "sql")
        assert database.names(source) == ["one", "two"]
        with database.open(source, "two") as session:
            assert rows(session, "SELECT b FROM a") == [(2,)]

    def test_it_says_what_it_is(self, database: Database) -> None:
        assert any(sign.isdigit() for sign in database.version())
        assert database.dialect in ("mysql", "mariadb", "sqlite")


def _everything(session: DatabaseSession) -> object:
    """Return all that can be seen of both databases."""
    found = [session.run(f"SELECT * FROM {table}").rows for table in ("customers", "orders", "bank.accounts")]
    found += [session.run(f"SHOW CREATE TABLE {table}").rows for table in ("customers", "orders")]
    return [*found, session.run("SHOW TABLES").rows, session.run("SELECT * FROM fresh").code]
