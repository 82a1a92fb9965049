"""One episode: the loop that everything else is about."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace

from intercode.agents.base import Agent
from intercode.env.actions import as_action
from intercode.env.env import Env
from intercode.env.snapshots import EnvSnapshot
from intercode.errors import AnswerTooLateError, BudgetExceededError, MachineError, RefusalError
from intercode.models.core.deadline import answer_within
from intercode.runs.branches import EnvBranches
from intercode.types import Action, Observation, Status, Task, Trajectory, Turn
from intercode.types.conversation import NO_USAGE, Usage
from intercode_sandbox.network.usage import NetworkUsage


@dataclass
class EpisodeRun:
    """One agent, one task, one world. `play` runs it from reset to ending.

    `between` is called before every action with the number of turns taken; what it raises ends the episode there. It
    begins from a `beginning`, if the environment has kept one of an episode of this task before its first action.
    `on_action` is called with every action before it is taken; `during` gives a context in which it is taken.
    `clock` is the time that its world is told at the beginning, in seconds since 1970 (None: now).
    """

    env: Env
    agent: Agent
    task: Task
    name: str = ""
    seed: int = 0
    repeat: int = 0
    between: Callable[[int], None] = lambda turns: None
    on_action: Callable[[Action], None] = lambda action: None
    during: Callable[[Env, Action], AbstractContextManager[None]] = lambda env, action: nullcontext()
    beginning: EnvSnapshot | None = None
    clock: float | None = None
    turns: list[Turn] = field(default_factory=list)
    phases: dict[str, float] = field(default_factory=lambda: {"reset": 0.0, "agent": 0.0, "world": 0.0})
    usage: Usage = field(default=NO_USAGE, init=False)
    network: NetworkUsage | None = field(default=None, init=False)
    started: float = field(default=0.0, init=False)
    started_at: float = field(default=0.0, init=False)

    def play(self) -> Trajectory:
        """Return the whole episode.

        The machine's failures, and an empty purse, end it as an `error`; bugs are let through.

        Where the model's provider refuses to answer, it ends as `refused`.

        Raises:
            BadDataError: If the agent gives what is no action.
        """
        self.started = time.monotonic()
        self.started_at = time.time() if self.clock is None else self.clock
        try:
            observation, reward = self._begin(), 0.0
            while self.env.status is None:
                self.between(len(self.turns))
                action = self._act(observation, reward)
                self.on_action(action)
                turn = self._step(action)
                observation, reward = turn.observation, turn.reward
            self.network = self.env.networks.usage(self.env.session)
        except RefusalError as error:
            self.usage += error.usage or NO_USAGE
            return self._trajectory("refused", error=f"{type(error).__name__}: {error}")
        except (MachineError, BudgetExceededError) as error:
            return self.failure(error)
        return self._trajectory(self.env.status)

    def failure(self, error: Exception) -> Trajectory:
        """Return what there is of it, as an `error`: for what `play` has raised."""
        return self._trajectory("error", error=f"{type(error).__name__}: {error}")

    def _begin(self) -> Observation:
        started = time.monotonic()
        if self.beginning is None:
            observation = self.env.start_episode(self.task, seed=self.seed, started_at=self.started_at)
        else:
            observation = self.env.restore(self.beginning)
        if self.agent.wants_branches:
            self.agent.branches = EnvBranches(self.env)
        self.agent.reset(self.task.view(), seed=self.seed, gold=self.env.task.gold if self.agent.sees_gold else None)
        self._spent("reset", started)
        return observation

    def _act(self, observation: Observation, reward: float) -> Action:
        started = time.monotonic()
        try:
            with answer_within(self.env.clock.seconds_left):
                return as_action(self.agent.act(observation, reward), f"the agent {self.name}: act()")
        except AnswerTooLateError as error:
            return Action("nothing", f"[{error}]")  # which the environment takes as the last one
        finally:
            self._spent("agent", started)
            self.usage = sum((call.reply.usage for call in self.agent.calls), self.usage)

    def _step(self, action: Action) -> Turn:
        started = time.monotonic()
        with self.during(self.env, action):
            turn = self.env.take_action(action)
        self._spent("world", started)
        self.turns.append(replace(turn, thought=self.agent.thought, calls=self.agent.calls, trials=self.agent.trials))
        return turn

    def _spent(self, phase: str, started: float) -> None:
        self.phases[phase] += time.monotonic() - started

    def _trajectory(self, status: Status, error: str = "") -> Trajectory:
        return Trajectory(
            task=self.task.view(),
            agent=self.name,
            status=status,
            turns=tuple(self.turns),
            scores=self.turns[-1].scores if self.turns and status in ("submitted", "truncated") else None,
            seed=self.seed,
            repeat=self.repeat,
            image=self.env.backend_id,
            started_at=self.started_at,
            seconds=time.monotonic() - self.started,
            error=error,
            phases=self.phases,
            usage=self.usage,
            network=self.network,
        )
