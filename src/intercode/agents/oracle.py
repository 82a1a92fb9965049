"""The agent that knows the answer: what it scores says how sound the tasks and the rewards are."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import ClassVar

from intercode import world_specs
from intercode.agents.base import Agent
from intercode.errors import UserError
from intercode.types import Action, Observation, TaskView


class OracleAgent(Agent):
    """Plays the gold in one action and submits, or hands it in where it is the answer. A task without one it skips.

    With `look=true` it looks first, as somebody does who does not know the answer: at a file's first lines, a folder,
    or the columns of tables, in worlds that have such (`WorldSpec.first_looks`). Models that learn from its
    conversations then learn to look.
    """

    sees_gold: ClassVar[bool] = True

    def __init__(self, *, look: str = "false", **options: str) -> None:
        super().__init__(**options)
        if look not in ("true", "false"):
            raise UserError(f"look={look}: the oracle looks first or does not, so this is true or false")
        self._looks = look == "true"
        self._plan: Iterator[Action] = iter(())

    def reset(self, task: TaskView, *, seed: int, gold: str | None = None) -> None:
        """Begin an episode whose answer is *gold*."""
        world = world_specs.find(task.world)
        looks = world.first_looks(task.query, gold) if self._looks and gold is not None else ()
        self._plan = chain((Action("execute", look) for look in looks), world.gold_actions(gold))

    def act(self, observation: Observation, reward: float) -> Action:
        """Return the gold, then `submit`, whatever is observed."""
        return next(self._plan, Action("submit"))
