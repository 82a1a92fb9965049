"""Golds run where no agent ever was: what breaks there is nobody's failure, and each is played once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from threading import Barrier

import pytest

from env.tiny import TinyDataset
from intercode.env.gold_runner import GoldRunner, fresh, gold_session
from intercode.errors import DatabaseError, DatabaseLostError, SandboxError, SessionLostError
from intercode.types import Action
from intercode.types.databases import DatabaseSession, DatabaseSource, QueryResult
from intercode.worlds.bash import BashEnv
from intercode.worlds.sql import SqlEnv
from intercode.worlds.sql.databases.sqlite import SqliteDatabase
from intercode_sandbox.sandbox import Sandbox


@pytest.mark.parametrize(("lost", "expected"), [(SessionLostError, SandboxError), (DatabaseLostError, DatabaseError)])
def test_what_breaks_under_a_gold_is_no_agents_failure(lost: type[Exception], expected: type[Exception]) -> None:
    """An error of the class *lost* would be: worlds take it for the agent's doing."""
    with pytest.raises(expected, match="that only a gold used has broken: gone") as caught, fresh(nullcontext):
        raise lost("gone")
    assert not isinstance(caught.value, lost)


class BreakingDatabase(SqliteDatabase):
    """Dies under every session that is opened once it `is_broken`."""

    is_broken = False

    def open(self, source: DatabaseSource, name: str) -> DatabaseSession:
        if self.is_broken:
            raise DatabaseLostError("gone")
        return super().open(source, name)


def test_a_gold_that_breaks_the_database_leaves_the_episode_unscored() -> None:
    with BreakingDatabase() as database, SqlEnv("starter-sql", database=database) as env:
        env.start_episode(env.dataset[0])
        env.take_action(Action("execute", "SELECT 1"))
        database.is_broken = True  # what is opened now is the gold's
        with pytest.raises(DatabaseError, match="that only a gold used has broken"):
            env.take_action(Action("submit"))
        assert env.status == "error"


def test_a_world_plays_its_gold_where_the_agent_has_left_nothing(sandbox: Sandbox) -> None:
    with BashEnv(TinyDataset(), sandbox=sandbox) as env:
        env.reset()
        env.step("echo x > /shop/left")
        with gold_session(env) as session:
            assert session.changes() == []
            assert session.limits == replace(env.current_session.limits, judging=True)


def test_many_threads_play_a_gold_once() -> None:
    runner, played, together = GoldRunner(), list[int](), Barrier(4)

    def ask(number: int) -> int:
        together.wait(10)
        return runner.once("gold", lambda: played.append(number) or number)  # type: ignore[func-returns-value]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(ask, range(4)))
    assert len(played) == len(set(found)) == 1


def test_runners_of_one_backend_are_the_same_and_of_one_kind() -> None:
    class Other(GoldRunner):
        pass

    with SqliteDatabase() as database, SqliteDatabase() as another:
        assert GoldRunner.of(database) is GoldRunner.of(database)
        assert GoldRunner.of(database) is not GoldRunner.of(another)
        assert type(Other.of(database)) is Other


def test_what_is_no_fact_is_played_again() -> None:
    runner, endings = GoldRunner(), iter(["out of time", "whole", "never"])
    found = [
        runner.once("gold", lambda: next(endings), is_fact=lambda ending: ending != "out of time") for _ in range(3)
    ]
    assert found == ["out of time", "whole", "whole"]


class SlowDatabase(SqliteDatabase):
    """Whose sessions run out of time as long as it `is_busy`; `timeouts` are the seconds that statements were given."""

    def __init__(self) -> None:
        super().__init__()
        self.is_busy = False
        self.timeouts: set[float | None] = set()

    def open(self, source: DatabaseSource, name: str) -> DatabaseSession:
        session = super().open(source, name)
        run = session.run

        def run_slowly(statement: str, *, timeout: float | None = None) -> QueryResult:
            self.timeouts.add(timeout)
            return QueryResult(None, error="3024", timed_out=True) if self.is_busy else run(statement, timeout=timeout)

        session.run = run_slowly  # type: ignore[method-assign]
        return session


def test_a_sql_gold_that_was_cut_is_the_machines_error_and_forgotten() -> None:
    """It has ten times the agent's time; once the machine is idle again, the right answer is right."""
    with SlowDatabase() as database, SqlEnv("starter-sql", database=database) as env:
        task = env.dataset[0]
        env.start_episode(task)
        env.take_action(Action("execute", task.gold or ""))
        database.is_busy = True
        database.timeouts.clear()
        with pytest.raises(DatabaseError, match="did not end in 100 s"):
            env.take_action(Action("submit"))
        assert database.timeouts == {100.0}
        assert env.status == "error"
        database.is_busy = False
        env.start_episode(task)
        env.take_action(Action("execute", task.gold or ""))
        turn = env.take_action(Action("submit"))
        assert turn.scores is not None
        assert turn.scores["exact"].success
