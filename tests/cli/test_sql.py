"""The SQL world from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from terminal import intercode

FEW = ("--tasks", "bicycles,old-orders", "--database", "sqlite")


def test_sql_tasks_are_played_shown_and_replayed(tmp_path: Path) -> None:
    run = tmp_path / "run"
    done = intercode("run", "--world", "sql", *FEW, "--out", run)
    assert done.returncode == 0, done.stderr
    assert "starter-sql with oracle  (database sqlite@SQLite" in done.stdout
    assert "Query OK" in intercode("show", run, "old-orders").stdout
    replayed = intercode("replay", run)
    assert "everything agrees" in replayed.stdout, replayed.stdout


def test_a_run_knows_its_database_and_resumes_on_it_only(tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert intercode("run", "--world", "sql", *FEW, "--handicap", "--out", run).returncode == 0
    manifest = json.loads((run / "manifest.json").read_text())
    assert (manifest["settings"]["database"], manifest["settings"]["handicap"]) == ("sqlite", True)
    assert manifest["images"]["sqlite"].startswith("SQLite 3")
    assert set(manifest["data"]) == {"starter-sql", "starter-sql databases"}
    assert intercode("run", "--resume", "--out", run).returncode == 0
    other = intercode("run", "--resume", "--out", run, "--database", "mysql")
    assert other.returncode == 2
    assert "database is 'sqlite', not 'mysql'" in other.stderr


def test_a_database_that_is_not_there_is_said_before_anything_is_stored(tmp_path: Path) -> None:
    """And the password is not repeated."""
    url = "mysql://me:secret@127.0.0.1:9/"
    done = intercode("run", "--world", "sql", "--database", url, "--out", tmp_path / "run")
    assert done.returncode == 1
    assert "no database server" in done.stderr or "127.0.0.1" in done.stderr, done.stderr
    assert "secret" not in done.stdout + done.stderr
    assert not (tmp_path / "run").exists()
    assert intercode("run", "--world", "sql", "--database", "oracle9").returncode == 2


BROKEN = """
from intercode.worlds.sql.databases.sqlite import SqliteDatabase
from intercode.errors import DatabaseError

class DyingDatabase(SqliteDatabase):
    opened = 0
    def open(self, source, name):
        self.opened += 1
        if self.opened > {alive}:
            raise DatabaseError(f"the server died with session {{self.opened}}.")
        return super().open(source, name)
"""
"""The file of a database that opens so many sessions, and then fails for ever: ImportError would be told at once."""


def test_a_run_whose_episodes_all_fail_alike_stops_and_says_why(tmp_path: Path) -> None:
    """One session is for trying out, before the run begins."""
    (tmp_path / "dying.py").write_text(BROKEN.format(alive=1))
    command = ("run", "--world", "sql", "--database", "./dying.py", "--limit", "9")
    done = intercode(*command, "--out", "first", cwd=tmp_path)
    assert done.returncode == 1
    message = "intercode: stopped: the first 3 episodes all failed alike: DatabaseError: the server died with session"
    assert message in done.stderr
    assert (
        "0 of 9 episodes are stored, 9 are left)\n  fix: remove the cause, or play the others anyway with --keep-going"
        in done.stderr
    )
    going = intercode(*command, "--out", "second", "--keep-going", cwd=tmp_path)
    assert going.returncode == 1
    assert "9 of 9 done, 0 succeeded, 9 errors" in going.stderr


def test_a_replay_whose_episodes_all_fail_alike_stops_and_says_why(tmp_path: Path) -> None:
    (tmp_path / "dying.py").write_text(BROKEN.format(alive=0))
    assert intercode("run", "--world", "sql", "--limit", "5", "--database", "sqlite", "--out", "run", cwd=tmp_path)
    again = ("replay", "run", "--database", "./dying.py", "--i-know-this-is-unsafe")
    done = intercode(*again, cwd=tmp_path)
    assert done.returncode == 1
    assert "intercode: stopped: the first 3 episodes all failed alike: DatabaseError: the server died" in done.stderr
    going = intercode(*again, "--keep-going", cwd=tmp_path)
    assert "5 of 5 done, 0 agree, 5 errors" in going.stderr


SPIDER = [
    {"query": "How many?", "gold": "SELECT COUNT(*) FROM a", "db": "d", "hardness": "easy", "db_tables": {}}
    for _ in range(33)
]
"""Tasks `spider/0` to `spider/32`, of which 9, 17, 19, 23, 27 and 31 are void in the real ones, and 30 is wrong."""


def test_void_and_wrong_golds_of_spider_can_be_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "spider").mkdir()
    (tmp_path / "spider" / "ic_spider_dev.json").write_text(json.dumps(SPIDER))
    (tmp_path / "spider" / "ic_spider_dbs.sql").write_text("CREATE DATABASE d; USE d; CREATE TABLE a (b int);")
    monkeypatch.setenv("INTERCODE_DATA", str(tmp_path))
    given = ("--dataset", "spider", "--database", "sqlite", "--tasks", "spider/2?,spider/3?")
    whole, sound = tmp_path / "whole", tmp_path / "sound"
    assert intercode("run", *given, "--out", whole).returncode == 0
    done = intercode("run", *given, "--without-wrong-golds", "--out", sound)
    assert done.returncode == 0, done.stderr
    assert len(json.loads((sound / "manifest.json").read_text())["tasks"]) == 12
    for options, left in (((), 13), (("--without-wrong-golds",), 12), (("--without-void", "--without-wrong-golds"), 9)):
        (report,) = json.loads(intercode("report", whole, *options, "--json").stdout)
        assert (report["summary"]["episodes"], report["planned"], report["missing"]) == (left, left, 0)
        assert report["left_out"] == 13 - left
    assert "4 tasks left out, as their golds are faulty" in intercode("report", whole, *options).stdout
    refused = intercode("report", "--paper", whole, "--without-void")
    assert refused.returncode == 2
    assert "leave them out" in refused.stderr
