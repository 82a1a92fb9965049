"""What plays: one environment, one agent, episode after episode, in a thread of the run's process or of another."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from intercode.agents.base import Agent
from intercode.env.env import Env
from intercode.errors import IntercodeError
from intercode.registry import refuse_exit
from intercode.runs.episode import EpisodeRun
from intercode.runs.episode_record import Key
from intercode.types import Action, Task, Trajectory


@dataclass(frozen=True, slots=True)
class Assignment:
    """One episode to play."""

    task: Task
    repeat: int
    seed: int

    @property
    def key(self) -> Key:
        """Its name within the run."""
        return self.task.id, self.repeat


class AssignmentSource(Protocol):
    """Where a player gets its episodes, and brings them when they are over. Each is called from the player's thread."""

    def take(self) -> Assignment | None:
        """Return the next episode; None where there is none, or the run is being stopped."""

    def on_reset(self, assignment: Assignment) -> None:
        """It is being reset."""

    def on_step(self, assignment: Assignment, turns: int) -> None:
        """So many turns were taken, and the agent is asked for another. What is raised ends the episode."""

    def on_action(self, assignment: Assignment, action: Action) -> None:
        """Its agent has decided for *action*, which is about to be taken."""

    def finish(self, assignment: Assignment, trajectory: Trajectory) -> None:
        """It is over."""


def play_assignments(
    source: AssignmentSource, make_env: Callable[[], Env], make_agent: Callable[[], Agent], name: str
) -> None:
    """Play what *source* has, to the last; *name* is what the agent is called.

    Raises:
        BadDataError: If the agent, or a world of somebody's own, would end the program.
    """
    with refuse_exit(f"{name} or its world"):
        agent = make_agent()
        with make_env() as env:
            is_prepared = False
            while (assignment := source.take()) is not None:
                source.on_reset(assignment)
                if not is_prepared:
                    _prepare(env, agent, assignment)
                    is_prepared = True
                source.finish(assignment, _episode(source, assignment, env, agent, name).play())


def _prepare(env: Env, agent: Agent, assignment: Assignment) -> None:
    """Import what playing needs, and start the first session: that takes seconds, and is no part of an episode.

    What fails here fails again in the episode, which says so.
    """
    with suppress(IntercodeError):
        agent.prepare()
        env.start_episode(assignment.task, seed=assignment.seed)


def _episode(source: AssignmentSource, assignment: Assignment, env: Env, agent: Agent, name: str) -> EpisodeRun:
    return EpisodeRun(
        env,
        agent,
        assignment.task,
        name=name,
        seed=assignment.seed,
        repeat=assignment.repeat,
        between=partial(source.on_step, assignment),
        on_action=partial(source.on_action, assignment),
    )
