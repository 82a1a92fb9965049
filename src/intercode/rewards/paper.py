"""The reward as published, faults included: each world's `paper` scoring."""

from __future__ import annotations

from intercode.rewards.base import EpisodeResult, Reward
from intercode.rewards.core.world_score import world_score
from intercode.types import Score


class PaperReward(Reward):
    """What the world says under `paper`. It can pay for nothing, and below 0 in SQL, as the published program does."""

    def score(self, result: EpisodeResult) -> Score:
        """See `Reward.score`. 0 for a task without a gold."""
        return world_score(result, "paper")
