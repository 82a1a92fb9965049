"""The part of the contract of a world that is about snapshots and forks (see `testing/env.py`)."""

from __future__ import annotations

import copy
import pickle
from typing import ClassVar

import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded

from intercode.env.env import Env
from intercode.errors import UserError
from intercode.types import Action


class BranchesContract:
    """Inherited by `EnvContract`."""

    changing: ClassVar[str]
    harmless: ClassVar[str]
    branches: ClassVar[int] = 25
    """How many of one state are tried."""

    def test_there_is_nothing_to_keep_before_the_first_reset(self, env: Env) -> None:
        with pytest.raises(ResetNeeded):
            env.snapshot()

    def test_a_snapshot_brings_back_state_and_turns(self, env: Env) -> None:
        env.reset(seed=1)
        env.take_action(Action("execute", self.harmless))
        before, turns = env.state_hash(), tuple(env.history)
        with env.snapshot() as snapshot:
            env.take_action(Action("execute", self.changing))
            assert env.state_hash() != before
            env.take_action(Action("submit"))
            seen = env.restore(snapshot)
        assert (env.state_hash(), tuple(env.history), env.status, env.turn) == (before, turns, None, 1)
        assert seen == turns[-1].observation

    def test_what_had_changed_is_in_a_snapshot_too(self, env: Env) -> None:
        env.reset(seed=1)
        env.take_action(Action("execute", self.changing))
        changed = env.state_hash()
        with env.snapshot() as snapshot:
            env.reset(seed=2)
            for _ in range(2):
                env.restore(snapshot)
                assert env.state_hash() == changed
        env.take_action(Action("execute", self.harmless))
        assert env.turn == 2

    def test_many_branches_of_one_state_never_see_each_other(self, env: Env) -> None:
        """Each begins where all began, and comes to what it would come to alone."""
        env.reset(seed=1)
        env.take_action(Action("execute", self.harmless))
        before, ends = env.state_hash(), set()
        with env.snapshot() as snapshot:
            for _ in range(self.branches):
                env.restore(snapshot)
                assert (env.state_hash(), env.turn) == (before, 1)
                env.take_action(Action("execute", self.changing))
                ends.add(env.state_hash())
        assert len(ends) == 1
        assert before not in ends

    def test_what_cannot_be_restored_is_refused_and_the_episode_goes_on(self, env: Env) -> None:
        env.reset(seed=1)
        env.take_action(Action("execute", self.changing))
        state, turns = env.state_hash(), tuple(env.history)
        closed, strange = env.snapshot(), env.snapshot()
        closed.close()
        strange.kind = {**strange.kind, "scoring": "another"}
        for snapshot, why in ((closed, "is closed: take another"), (strange, "the scoring is another there")):
            with pytest.raises(UserError, match=why):
                env.restore(snapshot)
        with pytest.raises(UserError, match="not NoneType"):
            env.restore(None)  # type: ignore[arg-type]
        assert (env.state_hash(), tuple(env.history), env.status) == (state, turns, None)
        env.take_action(Action("execute", self.harmless))
        strange.close()

    def test_neither_it_nor_its_snapshots_can_be_copied_or_pickled(self, env: Env) -> None:
        """Else two would own the same session, and end it for each other."""
        env.reset(seed=1)
        with env.snapshot() as snapshot:
            for way in (copy.copy, copy.deepcopy, pickle.dumps):
                for each in (env, snapshot):
                    with pytest.raises(TypeError, match="cannot be copied or pickled"):
                        way(each)

    def test_there_is_nothing_to_keep_once_it_is_closed(self, env: Env) -> None:
        env.reset(seed=1)
        env.close()
        for branch in (env.snapshot, env.fork):
            with pytest.raises(ClosedEnvironmentError, match="make another"):
                branch()

    def test_random_numbers_go_on_from_a_snapshot(self, env: Env) -> None:
        env.reset(seed=1)
        with env.snapshot() as snapshot:
            orders = []
            for _ in range(2):
                env.restore(snapshot)
                orders.append([env.reset()[1]["task"] for _ in range(4)])
        assert orders[0] == orders[1]

    def test_forks_do_not_see_each_other(self, env: Env) -> None:
        env.reset(seed=1)
        before = env.state_hash()
        forks = [env.fork() for _ in range(3)]
        for twin in forks[:2]:
            twin.take_action(Action("execute", self.changing))
        assert env.state_hash() == forks[2].state_hash() == before
        assert forks[0].state_hash() == forks[1].state_hash() != before
        assert (env.turn, forks[0].turn, forks[2].turn) == (0, 1, 0)
        for twin in forks:
            twin.close()
        assert env.take_action(Action("submit")).scores is not None

    def test_a_fork_is_judged_as_the_original_would_be(self, env: Env) -> None:
        env.reset(seed=1)
        env.take_action(Action("execute", env.task.gold or ""))
        twin = env.fork()
        assert twin.take_action(Action("submit")).scores == env.take_action(Action("submit")).scores
        twin.close()
