"""Who plays golds, in worlds that have no name too."""

from __future__ import annotations

from intercode.agents.oracle import OracleAgent
from intercode.types import TaskView
from intercode.world_specs import WorldSpec


class GoldAgent(OracleAgent):
    """Plays golds as *world* reads them."""

    def __init__(self, world: WorldSpec) -> None:
        super().__init__()
        self._world = world

    def reset(self, task: TaskView, *, seed: int, gold: str | None = None) -> None:
        """Begin an episode whose answer is *gold*."""
        self._plan = iter(self._world.gold_actions(gold))
