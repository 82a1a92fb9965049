"""The embedded SQLite is in this process: no session takes so much of its memory that the machine would end it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from intercode.types.databases import DatabaseSession, DatabaseSource
from intercode.worlds.sql.databases.sqlite import SqliteDatabase
from intercode.worlds.sql.databases.sqlite.aggregates import GroupConcat
from intercode.worlds.sql.databases.sqlite.statement_runner import SessionVariables

MOST = 2500
"""MB that a process may hold at its worst statement; without limits each takes 3000 and more, or minutes."""

COUNTING = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < {}) "
HUGE = "REPEAT('x', 1000000)"
GREEDY = {
    "variables": ("SET " + ", ".join(f"@v{number} = {HUGE}" for number in range(1500)), 1041),
    "columns": (f"SELECT {', '.join([HUGE] * 499)}", None),
    "more columns": (f"SELECT {', '.join([HUGE] * 501)}", 1117),
    "joined": (f"{COUNTING.format(3000)} SELECT GROUP_CONCAT(CONCAT(n, {HUGE}) ORDER BY n) FROM t", None),
    "joined and sorted": (f"{COUNTING.format(3000)} SELECT GROUP_CONCAT(n ORDER BY CONCAT(n, {HUGE})) FROM t", 1153),
    "joined once": (f"{COUNTING.format(3000)} SELECT GROUP_CONCAT(DISTINCT CONCAT(n, {HUGE})) FROM t", 1153),
    "a table": (f"CREATE TABLE big AS {COUNTING.format(3000)} SELECT CONCAT(n, {HUGE}) AS text FROM t", 1114),
    "a temporary table": (
        f"CREATE TEMPORARY TABLE big AS {COUNTING.format(3000)} SELECT CONCAT(n, {HUGE}) AS text FROM t",
        1114,
    ),
    "not MySQL's": (f"{COUNTING.format(3000)} SELECT LENGTH(JSON_GROUP_ARRAY({HUGE})) FROM t", 1227),
    "without an end": ("SELECT printf('%.*c', 1000000000, 'x')", 1227),
}

PROGRAM = """
import resource, sys
from intercode.types.databases import DatabaseSource
from intercode.worlds.sql.databases.sqlite import SqliteDatabase
from pathlib import Path

resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
with SqliteDatabase() as database, database.open(DatabaseSource("shop", Path(sys.argv[1]), "sql"), "shop") as session:
    print(session.run(sys.argv[2], timeout=60).code)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10)
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "shop.sql").write_text("CREATE TABLE t (a INT);\nINSERT INTO t VALUES (1);\n")
    return tmp_path


@pytest.fixture
def session(shop: Path) -> Iterator[DatabaseSession]:
    with SqliteDatabase() as database, database.open(DatabaseSource("shop", shop, "sql"), "shop") as session:
        yield session


@pytest.mark.parametrize("statement", GREEDY)
def test_no_statement_takes_all_memory(shop: Path, statement: str) -> None:
    text, code = GREEDY[statement]
    done = subprocess.run([sys.executable, "-c", PROGRAM, shop, text], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    said, held = done.stdout.split()
    assert said == str(code if code is not None else 0)
    assert int(held) < MOST


def test_a_session_goes_on_after_that(session: DatabaseSession) -> None:
    session.run("SET @small = 'kept'")
    assert session.run(GREEDY["variables"][0]).code == 1041
    assert session.run("SELECT @small, a FROM t").rows == (("kept", 1),)
    assert session.run("SET @v1 = 'new'").error is None
    assert session.run("SELECT @v1").rows == (("new",),)


def test_a_variable_that_is_set_anew_needs_no_more_room() -> None:
    variables = SessionVariables()
    assert all(variables.put("a", "x" * (1 << 20)) for _ in range(100))
    assert all(variables.put(f"b{number}", "x" * (1 << 20)) for number in range(62))
    assert not variables.put("c", "x" * (1 << 20))
    assert variables.put("a", None)
    assert variables.put("c", "x" * (1 << 20))


@pytest.mark.parametrize("down", [0, 1])
def test_what_is_left_out_of_joined_texts_would_not_be_seen(monkeypatch: pytest.MonkeyPatch, down: int) -> None:
    """With and without keys to sort by, of which some are NULL."""
    rows = [(f"{number}{'x' * (number * 37 % 300)}", number % 7 or None) for number in range(200)]
    for keyed in (False, True):
        whole = [(text, key if keyed else None) for text, key in rows]
        joined = GroupConcat()
        for text, key in whole:
            joined.step(0, down, "; ", text, key)
        order = sorted(whole, key=lambda row: row[1] or 0, reverse=bool(down)) if keyed else whole
        assert joined.finalize() == "; ".join(text for text, _ in order)[:1024]
        assert len(joined.values) < len(whole)
