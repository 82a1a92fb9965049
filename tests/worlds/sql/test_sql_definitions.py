"""Golds that change how a database is made are judged where a state shows it, and refused by name where none does."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from intercode.errors import DatabaseError
from intercode.types import Action, Score
from intercode.types.databases import Database
from intercode.worlds.sql import SqlEnv
from intercode.worlds.sql.databases.mysql import MysqlDatabase, server_program
from intercode.worlds.sql.databases.sqlite import SqliteDatabase

DUMP = """
CREATE TABLE drivers (id INT PRIMARY KEY, name VARCHAR(20), points INT, speed VARCHAR(10));
INSERT INTO drivers VALUES (1,'Ann',10,'9.5'),(2,'Bob',10,'10.1'),(3,'Cy',3,'8.0'),(4,'Di',NULL,NULL);
CREATE TABLE notes (id INT, t VARCHAR(20), KEY old (t));
INSERT INTO notes VALUES (1,'a');
"""

JUDGED = {
    "CREATE INDEX i ON drivers (points)": ["ALTER TABLE drivers ADD KEY other (points)"],
    "CREATE INDEX i ON drivers (points, name)": ["CREATE INDEX x ON drivers (points, name)"],
    "DROP INDEX old ON notes": ["ALTER TABLE notes DROP KEY old"],
    "CREATE UNIQUE INDEX u ON drivers (name)": ["ALTER TABLE drivers ADD UNIQUE (name)"],
    "ALTER TABLE drivers COMMENT = 'people'": ["ALTER TABLE drivers COMMENT 'people'"],
    "ALTER TABLE drivers MODIFY name VARCHAR(20) COMMENT 'first'":
        ["ALTER TABLE drivers CHANGE name name VARCHAR(20) COMMENT 'first'"],
    "ALTER TABLE drivers MODIFY name VARCHAR(80)": ["ALTER TABLE drivers CHANGE name name VARCHAR(80)"],
    "ALTER TABLE drivers MODIFY points INT AFTER id": ["ALTER TABLE drivers MODIFY name VARCHAR(20) AFTER points"],
    "ALTER TABLE drivers ADD CHECK (points > 0)": ["ALTER TABLE drivers ADD CONSTRAINT c CHECK (`points`>0)"],
    "ALTER TABLE drivers MODIFY id INT AUTO_INCREMENT":
        ["ALTER TABLE drivers CHANGE id id INT NOT NULL AUTO_INCREMENT"],
    "ALTER TABLE drivers ALTER points SET DEFAULT 0": ["ALTER TABLE drivers MODIFY points INT DEFAULT 0"],
    "ALTER TABLE notes ADD PRIMARY KEY (id)": ["ALTER TABLE notes MODIFY id INT NOT NULL PRIMARY KEY"],
    "ALTER TABLE notes RENAME TO memos": ["RENAME TABLE notes TO memos"],
    "CREATE VIEW v AS SELECT name FROM drivers": ["CREATE OR REPLACE VIEW v AS SELECT name FROM drivers ORDER BY id"],
}  # fmt: skip
"""Golds, and other ways to do the same."""

WRONG = ("CREATE INDEX i ON drivers (speed)", "ALTER TABLE drivers MODIFY name VARCHAR(90) COMMENT 'last'")

REFUSED = {
    "CREATE TRIGGER t BEFORE INSERT ON notes FOR EACH ROW SET NEW.t = 'x'": "CREATE TRIGGER",
    "CREATE OR REPLACE TRIGGER t BEFORE INSERT ON notes FOR EACH ROW SET NEW.t = 'x'": "CREATE TRIGGER",
    "DROP TRIGGER IF EXISTS t": "DROP TRIGGER",
    "CREATE PROCEDURE p() SELECT 1": "CREATE PROCEDURE",
    "CREATE FUNCTION f() RETURNS INT RETURN 1": "CREATE FUNCTION",
    "CREATE DEFINER = CURRENT_USER FUNCTION f() RETURNS INT RETURN 1": "CREATE FUNCTION",
    "CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO DELETE FROM notes": "CREATE EVENT",
    "CREATE TEMPORARY TABLE t AS SELECT * FROM drivers": "CREATE TEMPORARY TABLE",
    "CREATE DATABASE other": "CREATE DATABASE",
    "ALTER TABLE notes AUTO_INCREMENT = 100": "ALTER TABLE … AUTO_INCREMENT",
    "GRANT SELECT ON drivers TO 'x'@'%'": "GRANT",
    "CREATE USER u": "CREATE USER",
    "COMMENT ON TABLE drivers IS 'people'": "COMMENT",
    "SET @x = 5": "SET",
    "LOCK TABLES drivers READ": "LOCK",
    "ALTER TABLE drivers ENGINE = InnoDB": "ALTER TABLE",
}
"""Golds, and what they are called."""


@pytest.fixture(scope="module", params=["sqlite", "mysql"])
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    if request.param == "mysql":
        try:
            server_program.find()
        except DatabaseError as error:
            pytest.skip(str(error))
    with SqliteDatabase() if request.param == "sqlite" else MysqlDatabase() as database:
        yield database


@pytest.fixture(scope="module")
def env(database: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqlEnv]:
    folder = tmp_path_factory.mktemp("set")
    (folder / "databases").mkdir()
    (folder / "databases" / "shop.sql").write_text(DUMP)
    golds = [*JUDGED, *REFUSED, "CREATE SEQUENCE s", "UPDATE notes SET t = 'a'", "DROP TABLE nothing"]
    tasks = [{"id": str(at), "query": gold, "gold": gold, "database": "shop"} for at, gold in enumerate(golds)]
    (folder / "tasks.json").write_text(json.dumps(tasks))
    with SqlEnv(str(folder), database=database, scoring="exact") as env:
        yield env


def judged(env: SqlEnv, gold: str, *statements: str) -> Score:
    env.reset(options={"task": next(task.id for task in env.dataset if task.gold == gold)})
    for statement in statements:
        env.step(statement)
    scores = env.take_action(Action("submit")).scores
    assert scores is not None
    return scores["exact"]


@pytest.mark.parametrize("gold", JUDGED)
def test_what_a_state_shows_is_judged(env: SqlEnv, gold: str) -> None:
    """However it is done; doing nothing, or something else, is worth less."""
    for right in (gold, *JUDGED[gold]):
        assert judged(env, gold, right).success, right
    assert judged(env, gold, "SELECT 1 WHERE 1 = 0").value == 0
    for wrong in WRONG:
        assert not judged(env, gold, wrong).success, wrong
    assert judged(env, gold, "DROP TABLE notes", "DROP TABLE drivers").value < 0.5


def test_details_count_only_where_they_are_the_task(env: SqlEnv) -> None:
    """Who makes an index on the way has done nothing wrong."""
    gold = "ALTER TABLE drivers ALTER points SET DEFAULT 0"
    assert judged(env, gold, gold, "CREATE INDEX i ON drivers (points)").success


@pytest.mark.parametrize("gold", REFUSED)
def test_what_no_state_shows_is_refused_by_name(env: SqlEnv, gold: str) -> None:
    score = judged(env, gold, gold)
    assert score.value == 0
    assert score.notes[-1].startswith(f"{REFUSED[gold]} is not judged: ")
    assert "let the gold end with a statement that shows what it did" in score.notes[-1]


def test_sequences_are_judged_where_there_are_any(env: SqlEnv) -> None:
    score = judged(env, "CREATE SEQUENCE s", "CREATE SEQUENCE s")
    assert score.success or score.notes[-1].startswith("CREATE SEQUENCE is not judged: of the servers only MariaDB")


def test_golds_that_are_wrong_are_called_so(env: SqlEnv) -> None:
    for gold, why in (("UPDATE notes SET t = 'a'", "vacuous gold"), ("DROP TABLE nothing", "the gold itself fails")):
        assert judged(env, gold, gold).notes[-1].startswith(why)
