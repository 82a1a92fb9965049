"""What a statement can reach: doubt makes it worse, never better."""

from __future__ import annotations

import pytest

from intercode.worlds.sql.databases.dialect.access_level import access_level, one_step

READ = [
    "SELECT * FROM a WHERE b = 'update; delete'",
    "(SELECT 1) UNION (SELECT 2)",
    "WITH x AS (SELECT 1) SELECT * FROM x",
    "SHOW TABLES",
    "SHOW CREATE TABLE a",
    "DESC a",
    "EXPLAIN DELETE FROM a",
    "USE b",
    "SELECT REPLACE(a, 'x', 'y'), TRUNCATE(b, 2), INSERT('a', 1, 1, 'b') FROM c",
    "SELECT role, status, password, full, call FROM users",
    "SELECT @@sql_mode",
    "-- nothing but a comment",
]
SESSION = [
    "SET sql_mode = ''",
    "SELECT @x := 5",
    "SELECT 1 INTO @x",
    "BEGIN",
    "START TRANSACTION",
    "LOCK TABLES a WRITE",
    "SELECT GET_LOCK('a', 1)",
    "SELECT user(), CONNECTION_ID()",
    "SHOW PROCESSLIST",
    "SHOW FULL COLUMNS FROM a",
    "SELECT * FROM information_schema.columns",
    "KILL 5",
    "DO SLEEP(1)",
]
WRITE = [
    "INSERT INTO a VALUES (1)",
    "update a set b = 1",
    "CREATE TEMPORARY TABLE a (b int)",
    "I am sorry",
    "CALL p()",
    "PREPARE s FROM 'DELETE FROM a'",
    "/*! DELETE FROM a */",
    "SELECT 1 /*! INTO @x */",
    "WITH x AS (SELECT 1) DELETE FROM a",
    "SELECT * FROM a FOR UPDATE",
    "SELECT NEXTVAL(s)",
    "SET GLOBAL a = 1",
    "SET PASSWORD = 'x'",
    "SET STATEMENT max_statement_time = 1 FOR INSERT INTO a VALUES (1)",
    "BEGIN NOT ATOMIC INSERT INTO a VALUES (1); END",
    "ANALYZE TABLE a",
    "XA START 'x'",
    "SELECT 'never ends",
    "GRANT ALL ON a.* TO b",
    "HANDLER a OPEN",
]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        *((text, "read") for text in READ),
        *((text, "session") for text in SESSION),
        *((text, "write") for text in WRITE),
    ],
)
def test_statements_reach(statement: str, expected: str) -> None:
    assert access_level(statement) == expected


@pytest.mark.parametrize(
    ("statement", "expected"),
    [("INSERT INTO a VALUES (1)", True), ("I am sorry", True), ("CALL p()", False), ("BEGIN NOT ATOMIC x; END", False),
     ("/*! DELETE FROM a */", False), ("DROP TABLE a, b", False)],
)  # fmt: skip
def test_scripts_may_have_done_something_before_they_fail(statement: str, expected: bool) -> None:
    assert one_step(statement) is expected
