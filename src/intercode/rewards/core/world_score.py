"""What a world itself says of an episode."""

from __future__ import annotations

from intercode.rewards.base import EpisodeResult
from intercode.types import Score, Scoring


def world_score(result: EpisodeResult, scoring: Scoring) -> Score:
    """The world's own score under *scoring*; 0 for a task without a gold, to which nothing can be compared."""
    if result.scores is None:
        return Score(0.0, False, notes=("the task has no gold to compare with",))
    return result.scores[scoring]
