"""The part of the database contract about walls: what a session must not reach."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest

from intercode.testing.database_fixtures import NAMES, rows
from intercode.types.databases import Database, DatabaseSession, DatabaseSource

ATTACKS = {
    "accounts are read": "SELECT * FROM mysql.user",
    "accounts are changed": "UPDATE mysql.user SET Host = '%'",
    "an account is made": "CREATE USER eve",
    "rights are given": "GRANT ALL ON *.* TO CURRENT_USER",
    "a setting of the server": "SET GLOBAL max_connections = 1",
    "another setting": "SET @@global.read_only = 1",
    "a setting that stays": "SET PERSIST max_connections = 1",
    "a file is read": "LOAD DATA INFILE '/etc/passwd' INTO TABLE customers (city)",
    "a local file is read": "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE customers (city)",
    "the server ends": "SHUTDOWN",
    "a library is loaded": "CREATE FUNCTION f RETURNS INTEGER SONAME 'x.so'",
    "a plug-in is installed": "INSTALL PLUGIN x SONAME 'x.so'",
    "logs are not written": "SET sql_log_bin = 0",
    "logs are thrown away": "RESET MASTER",
    "a database file is opened": "ATTACH DATABASE '/tmp/x' AS x",
    "a database file is written": "VACUUM INTO '/tmp/x'",
    "a setting of the engine": "PRAGMA writable_schema = 1",
    "the engine's own tables": "SELECT * FROM sqlite_master",
    "the engine's own tables by a function": "SELECT * FROM pragma_table_info('customers')",
    "an extension": "SELECT load_extension('x')",
    "a virtual table": "CREATE VIRTUAL TABLE v USING fts5(x)",
}
"""Statements that must fail."""


class DatabaseIsolationTests:
    """See `DatabaseContract`."""

    @pytest.mark.parametrize("attack", ATTACKS)
    def test_what_is_not_the_sessions_is_refused(self, database: Database, source: DatabaseSource, attack: str) -> None:
        """And everything is as before."""
        with database.open(source, "shop") as session:
            result = session.run(ATTACKS[attack])
            silent = ATTACKS[attack] == "SET sql_log_bin = 0" and result.rows is None
            assert result.error is not None or silent
        with database.open(source, "shop") as later:
            assert rows(later, "SELECT id, name FROM customers ORDER BY id") == NAMES

    def test_no_file_is_written(self, session: DatabaseSession, tmp_path: Path) -> None:
        tmp_path.chmod(0o777)
        for way in ("OUTFILE", "DUMPFILE"):
            assert session.run(f"SELECT 'x' INTO {way} '{tmp_path}/made'").error is not None
        assert list(tmp_path.iterdir()) == []

    def test_no_file_is_read(self, session: DatabaseSession, tmp_path: Path) -> None:
        (tmp_path / "secret").write_text("secret")
        (tmp_path / "secret").chmod(0o644)
        result = session.run(f"SELECT LOAD_FILE('{tmp_path}/secret')")
        assert result.error is not None or result.rows == ((None,),)

    def test_other_sessions_are_out_of_reach(self, database: Database, source: DatabaseSource) -> None:
        """None can be seen or ended."""
        with database.open(source, "shop") as session, database.open(source, "shop") as beside:
            beside.run("SELECT 1")
            assert len(session.run("SHOW PROCESSLIST").rows or ()) <= 1
            for number in range(1, 60):
                session.run(f"KILL {number}")
            assert rows(beside, "SELECT id, name FROM customers ORDER BY id") == NAMES
            assert rows(session, "SELECT 1") == [(1,)]

    def test_who_looks_at_the_state_lends_no_rights(self, session: DatabaseSession) -> None:
        """A view may run as whoever reads it: it is read with the rights of who made it."""
        made = session.run("CREATE FUNCTION who() RETURNS VARCHAR(90) SQL SECURITY INVOKER RETURN CURRENT_USER()")
        if made.error is None:
            ((mine,),) = rows(session, "SELECT CURRENT_USER()")
            assert session.run("CREATE SQL SECURITY INVOKER VIEW seen AS SELECT who() AS who").error is None
            assert session.state()["seen"].rows == ((mine,),)

    @pytest.mark.parametrize("deed", ["SET PASSWORD = 'x'", "SET PASSWORD = PASSWORD('x')", "DROP DATABASE shop"])
    def test_nothing_that_a_session_does_to_itself_is_our_failure(self, session: DatabaseSession, deed: str) -> None:
        """Who locks himself out, and hangs up, goes on and is judged."""
        session.run("CREATE VIEW seen AS SELECT id FROM customers")
        session.run(deed)
        session.run("KILL CONNECTION_ID()")
        assert rows(session, "SELECT 1") == [(1,)]
        assert "seen" in session.state() or deed.startswith("DROP")

    no_own_locks: ClassVar[str] = ""
    """Why locks by name are seen by other sessions; empty where they are not."""

    def test_locks_by_name_are_the_sessions_own(self, database: Database, source: DatabaseSource) -> None:
        if self.no_own_locks:
            pytest.skip(self.no_own_locks)
        with database.open(source, "shop") as session, database.open(source, "shop") as beside:
            taken = session.run("SELECT GET_LOCK('door', 0)")
            if taken.error is None:
                assert rows(beside, "SELECT GET_LOCK('door', 0)") == [(1,)]
