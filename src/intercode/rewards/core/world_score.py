"""What a world itself says of an episode."""

from __future__ import annotations

from intercode.rewards.base import EpisodeResult
from intercode.types import Score


def world_score(result: EpisodeResult, scoring: str) -> Score:
    """Return the world's own score under *scoring*; 0 for a task without a gold, to which nothing can be compared."""
    if result.scores is None or scoring not in result.scores:
        return Score(0.0, False, notes=("the task has no gold to compare with",))
    return result.scores[scoring]
