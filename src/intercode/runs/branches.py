"""Looking ahead: actions are tried in forks of an environment, which itself stands as it did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from intercode.agents.base import Trial
from intercode.envs.base import Env
from intercode.types import Action


@dataclass(frozen=True, slots=True)
class EnvBranches:
    """The state of *env*, for an agent that wants to branch it. It never sees the environment itself."""

    env: Env

    def try_out(self, actions: Sequence[Action]) -> tuple[Trial, ...]:
        """See `Branches.try_out`."""
        return tuple(self._trial(action) for action in actions)

    def _trial(self, action: Action) -> Trial:
        fork = self.env.fork()
        try:
            turn = fork.play(action)
            reward = turn.reward if self.env.reward_every_turn else 0.0
            return Trial(turn.observation, reward, fork.status is not None)
        finally:
            fork.close()
