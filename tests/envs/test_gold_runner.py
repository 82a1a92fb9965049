"""Golds run where no agent ever was: what breaks there is nobody's failure, and each is played once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from threading import Barrier

import pytest

from envs.tiny import TinyDataset
from intercode.databases.base import DatabaseSession, DatabaseSource
from intercode.databases.sqlite import SqliteDatabase
from intercode.envs.bash import BashEnv
from intercode.envs.core.gold_runner import GoldRunner, fresh, gold_session
from intercode.envs.sql import SqlEnv
from intercode.errors import DatabaseError, DatabaseLostError, SandboxError, SessionLostError
from intercode.sandboxes.base import Sandbox
from intercode.types import Action


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
            assert session.limits == env.current_session.limits


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
