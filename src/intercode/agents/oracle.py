"""The agent that knows the answer: what it scores says how sound the tasks and the rewards are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from intercode import world_specs
from intercode.agents.base import Agent
from intercode.types import Action, Observation, TaskView


class OracleAgent(Agent):
    """Plays the gold in one action and submits, or hands it in where it is the answer. A task without one it skips."""

    sees_gold: ClassVar[bool] = True

    def __init__(self, **options: str) -> None:
        super().__init__(**options)
        self._plan: Iterator[Action] = iter(())

    def reset(self, task: TaskView, *, seed: int, gold: str | None = None) -> None:
        """Begin an episode whose answer is *gold*."""
        self._plan = iter(world_specs.find(task.world).gold_actions(gold))

    def act(self, observation: Observation, reward: float) -> Action:
        """Return the gold, then `submit`, whatever is observed."""
        return next(self._plan, Action("submit"))
