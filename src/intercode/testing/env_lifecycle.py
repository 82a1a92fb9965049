"""The part of the contract of a world that is about failures and ends (see `testing/env.py`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded

from intercode.env.env import Env
from intercode.errors import MachineError, SandboxError, SandboxGoneError, SessionLostError
from intercode_sandbox.sandbox import Limits
from intercode_sandbox.scripted import ScriptedSandbox
from intercode_sandbox.testing.fixtures import appears, disappears, mark

MakeEnv = Callable[..., Env]
"""Makes an environment, with the options of `Env` that it is given."""


class EnvLifecycleContract:
    """Inherited by `EnvContract`."""

    harmless: ClassVar[str]

    background: ClassVar[str] = "sleep {} >/dev/null 2>&1 &"
    """One that leaves a process behind, which has the text given among its arguments; empty where none can."""

    failures: ClassVar[tuple[MachineError, ...]] = (SandboxError("broke"), SandboxGoneError("died"))
    """What the machine may fail with."""

    breakage: ClassVar[MachineError] = SessionLostError("broke")
    """What is raised when an agent has broken the session that it is in."""

    def failing(self, make: MakeEnv, failure: MachineError) -> Env:
        """Return an environment in which the first action of all meets with *failure*, and no other does."""
        return make(sandbox=ScriptedSandbox(fails={0: failure}), limits=Limits(seconds=0.5))

    def beside(self, make: MakeEnv, other: Env) -> Env:
        """Return an environment in the sandbox of *other*, or on its database."""
        return make(sandbox=other.sandbox)

    def test_the_machines_failure_is_no_reward(self, make: MakeEnv) -> None:
        """It is raised, the episode is over, and the next one can begin."""
        for error in self.failures:
            with self.failing(make, error) as env:
                env.reset()
                with pytest.raises(MachineError):
                    env.step(self.harmless)
                assert env.status == "error"
                with pytest.raises(ResetNeeded):
                    env.step("submit")
                env.reset()
                env.step(self.harmless)

    def test_what_an_agent_breaks_is_judged_as_failed(self, make: MakeEnv) -> None:
        """Never the machine's error, which would not be counted: the episode is over, and worth nothing."""
        with self.failing(make, self.breakage) as env:
            env.reset()
            _, reward, terminated, truncated, info = env.step(self.harmless)
            assert (reward, terminated, truncated, env.status) == (0.0, False, True, "truncated")
            assert all(not score.success and score.value == 0 for score in info["scores"].values())
            assert env.leading_reward in info["scores"]
            with pytest.raises(ResetNeeded):
                env.step("submit")
            env.reset()
            env.step(self.harmless)
            assert env.status is None

    def test_closing_twice_is_harmless_and_final(self, make: MakeEnv) -> None:
        env = make()
        env.reset()
        env.close()
        env.close()
        with pytest.raises(ClosedEnvironmentError):
            env.reset()
        with pytest.raises(ResetNeeded):
            env.step(self.harmless)

    def test_no_process_outlives_its_episode(self, make: MakeEnv) -> None:
        """Neither into the next one nor beyond the end."""
        if not self.background:
            pytest.skip("nothing can be left running in this world")
        env, sleeping = make(), mark()
        try:
            for end in (env.reset, env.close):
                env.reset()
                env.step(self.background.format(sleeping))
                assert appears(sleeping)
                end()
                assert disappears(sleeping)
        finally:
            env.close()

    def test_a_place_that_was_given_is_not_closed(self, make: MakeEnv) -> None:
        """Others may be using it: a sandbox, or a database."""
        with make() as first, self.beside(make, first) as second:
            first.reset()
            second.close()
            first.step(self.harmless)
