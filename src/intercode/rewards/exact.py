"""The reward that compares all of the ending with the gold's: each world's `exact` scoring."""

from __future__ import annotations

from intercode.rewards.base import EpisodeResult, Reward
from intercode.rewards.core.world_score import world_score
from intercode.types import Score


class ExactReward(Reward):
    """What the world says under `exact`; by whichever of the task's golds fits best."""

    def score(self, result: EpisodeResult) -> Score:
        """See `Reward.score`. 0 for a task without a gold."""
        return world_score(result, "exact")
