"""Looking ahead: actions are tried in forks of an environment, which itself stands as it did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from intercode.agents.base import BranchResult
from intercode.env.env import Env
from intercode.types import Action


@dataclass(frozen=True, slots=True)
class EnvBranches:
    """The state of *env*, for an agent that wants to branch it. It never sees the environment itself."""

    env: Env

    def try_out(self, actions: Sequence[Action]) -> tuple[BranchResult, ...]:
        """See `Branches.try_out`."""
        return tuple(self._trial(action) for action in actions)

    def _trial(self, action: Action) -> BranchResult:
        fork = self.env.fork()
        try:
            turn = fork.take_action(action)
            reward = turn.reward if self.env.reward_every_turn else 0.0
            return BranchResult(turn.observation, reward, fork.status is not None)
        finally:
            fork.close()
