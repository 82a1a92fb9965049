"""Recorded SQL: read, and played again on the embedded database."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from recordings import of_sql, plan_solve, react, try_again, write

from intercode.audit.replay.comparison import ComparedEpisode, ComparedTurn, Pair, best_variant
from intercode.audit.replay.published import extra_tables, session_settings
from intercode.audit.replay.published.recorded_turns import REACT_NO_SQL
from intercode.audit.replay.published.recordings import read
from intercode.audit.replay.published.spider import SqlPlayer
from intercode.audit.replay.published.table_sightings import first_sighting
from intercode.audit.replay.replayer import replay
from intercode.audit.replay.source import ReplayOptions
from intercode.datasets.base import Dataset
from intercode.errors import BadDataError
from intercode.types import Scoring, Task
from intercode.types.databases import DatabaseSource
from intercode.worlds.sql import SqlEnv, databases
from intercode.worlds.sql.databases.mysql import MysqlDatabase
from intercode.worlds.sql.databases.sqlite import SqliteDatabase

DATA = Path(os.environ.get("INTERCODE_DATA") or Path(__file__).parents[3] / "shared" / "data")
FILES = sorted((DATA / "recorded" / "sql").glob("*.json.gz"))

published = pytest.mark.skipif(not FILES, reason="needs the published recordings of the SQL world (INTERCODE_DATA)")

DUMP = "CREATE TABLE t (x int); INSERT INTO t VALUES " + ",".join(f"({number})" for number in range(30)) + ";"


class Numbers(Dataset):
    """Tasks over one table of numbers."""

    name = "spider"
    world = "sql"

    def __init__(self, folder: Path) -> None:
        (folder / "numbers.sql").write_text(DUMP)
        self._source = DatabaseSource("numbers", folder / "numbers.sql", "sql")

    def __len__(self) -> int:
        return 1

    def __getitem__(self, index: int) -> Task:
        gold = "SELECT x FROM t WHERE x < 3 ORDER BY x"
        return Task("spider/0", "Which numbers are below 3?", gold, "sql", extra={"db": "numbers"})

    def source(self, task: Task) -> DatabaseSource:
        return self._source


def replayed(folder: Path, log: dict[str, object], scoring: Scoring = "paper") -> ComparedEpisode:
    recording = read(write(folder / "a.json", of_sql(log)))
    with SqliteDatabase() as database:
        env = SqlEnv(Numbers(folder), database=database, scoring=scoring, turns=1000)
        return SqlPlayer(recording, recording.episodes[0], scoring).play(env)


def test_tasks_are_those_of_the_data_set_that_is_named(tmp_path: Path) -> None:
    found = read(write(tmp_path / "a.json", of_sql(try_again(7, [("SELECT 1", "[(1,)]", 0.0)]))))
    assert (found.world, found.episodes[0].task, found.episodes[0].file_system) == ("sql", "spider/7", 0)
    with pytest.raises(BadDataError, match="unknown data set"):
        read(write(tmp_path / "b.json", of_sql(try_again(7, [("SELECT 1", "[(1,)]", 0.0)]), "x")))


def test_plan_and_solve_is_judged_even_where_there_was_no_code(tmp_path: Path) -> None:
    turns = [("SELECT 1", "[(1,)]", 0.0), ("All done!", "No SQL code was found in your last response.", 1.0)]
    (episode,) = read(write(tmp_path / "a.json", of_sql(plan_solve(0, turns)))).episodes
    assert [(turn.kind, turn.judged) for turn in episode.turns] == [("run", True), ("nothing", True)]
    assert episode.success


def test_an_episode_without_a_plan_has_no_turns(tmp_path: Path) -> None:
    log = of_sql(plan_solve(0, [("SELECT 1", "", 0.0)]))
    log["turn_history"] = {"actions": [], "observations": [], "rewards": [0], "steps": []}
    (episode,) = read(write(tmp_path / "a.json", log)).episodes
    assert (episode.turns, episode.success) == ((), False)


def test_each_turn_is_run_and_judged_both_ways(tmp_path: Path) -> None:
    """The order counts in `paper`, and does not in `paper-iou`."""
    turns = [("SELECT x FROM t WHERE x < 3 ORDER BY x DESC", "[(2,), (1,), (0,)]", -1.0), ("SELECT", "?", 0.0)]
    episode = replayed(tmp_path, try_again(0, turns))
    first, second = episode.turns
    assert (first.rewards["paper"].now, first.observation_agrees) == (-1.0, True)
    assert (second.rewards["paper"].now, second.observation_agrees) == (0.0, False)
    assert episode.otherwise["paper-iou"].turns[0].rewards["paper"].now == 1.0
    assert episode.success == Pair(False, False)


def test_exact_scoring_judges_recordings_too(tmp_path: Path) -> None:
    episode = replayed(tmp_path, try_again(0, [("SELECT x FROM t WHERE x < 3 ORDER BY x", "", 1.0)]), "exact")
    assert episode.turns[0].rewards["exact"].now == 1.0
    assert episode.success == Pair(True, True)


def test_react_keeps_25_rows_and_is_judged_at_the_end(tmp_path: Path) -> None:
    seen = str([(number,) for number in range(25)])
    turns = [("execute[SELECT x FROM t]", seen, 0), ("oops", REACT_NO_SQL, 0), ("submit", seen, 0.1)]
    episode = replayed(tmp_path, react(0, turns))
    assert [turn.observation_agrees for turn in episode.turns] == [True, True, True]
    assert [turn.judged for turn in episode.turns] == [False, False, True]
    assert episode.turns[-1].rewards["paper"].now == 0.1


def judged(paper: float, older: float, then: float) -> ComparedEpisode:
    def episode(now: float, **otherwise: ComparedEpisode) -> ComparedEpisode:
        turn = ComparedTurn(1, "SELECT", rewards={"paper": Pair(then, now)})
        return ComparedEpisode("spider/0", 0, (turn,), None, otherwise=otherwise)

    return episode(paper, **{"paper-iou": episode(older)})


def test_the_variant_that_fits_is_chosen_and_named() -> None:
    for episode, variant in (
        (judged(0.5, 1, 1), "paper-iou"),
        (judged(1, 0.5, 1), "paper"),
        (judged(0, -1, -1), "paper"),
    ):
        chosen, word = best_variant([episode])
        assert word.startswith(f"rewards as {variant}, which fits")
        assert chosen == [episode.otherwise.get(variant, episode)]
    plain = ComparedEpisode("spider/0", 0, (), None)
    assert best_variant([plain]) == ([plain], "")


class Databases(Dataset):
    """Tasks about the databases of these names, in this order."""

    name = "spider"
    world = "sql"

    def __init__(self, *databases: str) -> None:
        self._databases = databases

    def __len__(self) -> int:
        return len(self._databases)

    def __getitem__(self, index: int) -> Task:
        return Task(f"spider/{index}", "?", "SELECT 1", "sql", extra={"db": self._databases[index]})


ABSENT = "Error executing query: Table 'concert_singer.singers' doesn't exist"
COLUMN = "Error executing query: Unknown column 'x' in 'field list'"


@pytest.mark.parametrize(
    ("statement", "observation", "was_there"),
    [
        ("SELECT x FROM singers", ABSENT, False),
        ("SELECT x FROM singers", COLUMN, True),
        ("SELECT id FROM `Singers`", "[]", True),
        ("SELECT c.x FROM concert AS c JOIN singers ON 1", COLUMN, True),
        ("SELECT x FROM concert_singer.singers", "[]", True),
        ("SHOW TABLES", "[('concert',), ('singer',), ('singers',)]", True),
        ("show tables;", "[('concert',), ('singer',)]", False),
        ("SHOW FULL TABLES FROM concert_singer", "[('concert', 'BASE TABLE')]", False),
        ("DESC singers", "[('id', 'int', 'NO', 'PRI', None, '')]", True),
        ("CREATE TABLE singers (id int)", "None", False),
        ("CREATE TABLE singers (id int)", "Error executing query: Table 'singers' already exists", True),
        ("INSERT INTO singers VALUES (1)", "None", True),
        # these tell nothing
        ("SHOW TABLES LIKE 'c%'", "[('concert',)]", None),
        ("SHOW TABLES FROM pets_1", "[('pets',)]", None),
        ("SELECT x FROM other.singers", "[]", None),
        ("SELECT 'singers'", "[('singers',)]", None),
        ("SELECT COUNT(*) AS singers FROM singer", "[(6,)]", None),
        ("WITH singers AS (SELECT 1) SELECT * FROM singers", "[(1,)]", None),
        ("SELECT x FROM singers, y", "Error executing query: Table 'concert_singer.y' doesn't exist", None),
        ("SELECT FROM singers", "Error executing query: You have an error in your SQL syntax", None),
    ],
)
def test_a_table_was_there_if_the_recording_saw_it(
    tmp_path: Path, statement: str, observation: str, was_there: bool | None
) -> None:
    recording = read(write(tmp_path / "a.json", of_sql(try_again(0, [(statement, observation, 0.0)]))))
    turns = recording.episodes[0].turns
    assert first_sighting(turns, "concert_singer", "singers", is_current=True) is was_there


@pytest.mark.parametrize("made_by", [try_again, react, plan_solve])
@pytest.mark.parametrize("length", [1, 2])
def test_the_file_decides_which_tables_were_there_and_not_its_shape(
    tmp_path: Path, made_by: Callable[..., dict[str, Any]], length: int
) -> None:
    def turns(statement: str, observation: str) -> list[tuple[str, str, float]]:
        code = f"execute[{statement}]" if made_by is react else statement
        return [(code, observation, 0.0)] * length

    absent, seen, silent = turns("SELECT 1 FROM singers", ABSENT), turns("DESC singers", "[]"), turns("SELECT 1", "[]")
    logs = [of_sql(made_by(number, each)) for number, each in enumerate([silent, absent, silent, seen, silent])]
    recording = read(write(tmp_path / "a.json", *logs))
    found = extra_tables.extra_tables(recording, Databases(*["concert_singer"] * 5))
    assert found == [(), (), (), ("singers",), ("singers",)]
    assert extra_tables.note(found).endswith(": singers")
    elsewhere = extra_tables.extra_tables(recording, Databases(*["pets_1"] * 5))
    assert elsewhere == [()] * 5
    assert extra_tables.note(elsewhere) == ""


def test_other_data_sets_have_no_extra_tables(tmp_path: Path) -> None:
    other = read(write(tmp_path / "d.json", of_sql(try_again(0, [("SELECT 1", "[(1,)]", 0.0)]), "wikisql")))
    assert extra_tables.extra_tables(other, Databases()) == [()]


def test_a_type_that_a_connector_gave_as_bytes_is_the_same_type(tmp_path: Path) -> None:
    """Bytes elsewhere are another value."""
    seen = "[('x', b'int', 'YES', '', None, '')]"
    turns = [("DESC t", seen, 0.0), ("SHOW COLUMNS FROM t", seen, 0.0), ("SELECT 'int'", "[(b'int',)]", 0.0)]
    episode = replayed(tmp_path, try_again(0, turns))
    assert [turn.observation_agrees for turn in episode.turns] == [True, True, False]


def test_what_a_person_typed_is_shown_as_the_environment_logged_it(tmp_path: Path) -> None:
    """Rows without a list around them; judged once, where it was handed in."""
    log = of_sql(try_again(0, [("SELECT 1", "", 0.0)]))
    del log["turn_history"]
    steps = [
        ("DESC t", "('x', 'int', 'YES', '', None, '')"),
        ("SELECT x FROM t WHERE x < 3 ORDER BY x", "(0,)(1,)(2,)"),
    ]
    log["trajectory"] = [{"action": action, "observation": observation} for action, observation in steps]
    episode = replayed(tmp_path, log | {"reward": 1.0})
    assert [turn.differs for turn in episode.turns] == [False, False, False]
    assert [turn.judged for turn in episode.turns] == [False, False, True]
    assert episode.success == Pair(True, True)


def test_settings_last_until_the_numbers_of_tasks_break_off(tmp_path: Path) -> None:
    """Then another process went on, with a connection of its own. What failed, or was two statements, set nothing."""
    setting = ("execute[SET sql_mode = '']", "None", 0)
    failed = ("execute[SET nothing = 1]", "Error executing query: Unknown system variable 'nothing'", 0)
    two = ("execute[SET sql_mode = 'ANSI'; SELECT 1]", "None", 0)
    plain = ("execute[SELECT 1]", "[(1,)]", 0)
    turns = {3: [plain, setting], 4: [failed], 5: [two], 7: [plain], 8: [setting], 2: [plain]}
    logs = {str(number): of_sql(react(number, each)) for number, each in turns.items()}
    (tmp_path / "a.json").write_text(json.dumps(logs))
    found = session_settings.settings(read(tmp_path / "a.json"))
    assert found == [(), ("SET sql_mode = ''",), ("SET sql_mode = ''",), (), (), ()]
    assert session_settings.note(found) == "settings that earlier episodes had left, in 2 episodes: SET sql_mode = ''"
    assert session_settings.note([()]) == ""


@pytest.mark.skipif(databases.default() != "mysql", reason="no MySQL or MariaDB server is installed")
def test_settings_hold_for_agent_and_gold(tmp_path: Path) -> None:
    """They had one connection."""
    turns = [("SELECT @@sql_mode", "[('ANSI_QUOTES',)]", 0.0), ('SELECT x FROM t WHERE x < 3 ORDER BY "x"', "", 1.0)]
    recording = read(write(tmp_path / "a.json", of_sql(try_again(0, turns))))
    with MysqlDatabase() as database:
        env = SqlEnv(Numbers(tmp_path), database=database, scoring="paper", turns=1000)
        player = SqlPlayer(recording, recording.episodes[0], "paper", ("SET sql_mode = 'ANSI_QUOTES'",))
        episode = player.play(env)
        assert env.task.gold == "SET sql_mode = 'ANSI_QUOTES'; SELECT x FROM t WHERE x < 3 ORDER BY x"
    assert [turn.observation_agrees for turn in episode.turns] == [True, False]
    assert episode.turns[1].rewards["paper"].now == 1.0


@published
@pytest.mark.parametrize(("database", "rewards", "observations"), [("sqlite", 0.98, 0.88), ("mysql", 0.99, 0.91)])
def test_the_published_files_agree(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, database: str, rewards: float, observations: float
) -> None:
    """Sixty episodes of each, on the embedded database and on a server."""
    if database != "sqlite" and databases.default() != database:
        pytest.skip("no MySQL or MariaDB server is installed")
    monkeypatch.setenv("INTERCODE_DATA", str(DATA))
    monkeypatch.setenv("INTERCODE_CACHE", str(tmp_path))
    for compared in replay(FILES, ReplayOptions(database=database, limit=60)):
        found = compared.agreement
        assert found.errors == 0
        assert found.rewards.agreeing >= rewards * found.rewards.of, compared.path
        assert found.executed.agreeing >= observations * found.executed.of, compared.path


@published
def test_planted_tables_are_seen_and_can_be_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("INTERCODE_DATA", str(DATA))
    monkeypatch.setenv("INTERCODE_CACHE", str(tmp_path))
    several = [path for path in FILES if "10_turns" in path.name]
    for clean in (False, True):
        compared = replay(several, ReplayOptions(database="sqlite", tasks=("spider/39", "spider/108"), clean=clean))
        texts = [
            turn.observation.now
            for each in compared
            for episode in each.episodes
            for turn in episode.turns
            if turn.observation
        ]
        assert any("'singers'" in text or "'players'" in text for text in texts) is not clean
