"""How an ending is judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from intercode.conversation import Json, plain_fields

Scoring = Literal["paper", "exact"]
"""`paper`: what the published benchmark computes, faults included. `exact`: what it should have been."""

SCORINGS: tuple[Scoring, ...] = ("paper", "exact")

StepReward = Literal["none", "progress"]
"""What an agent gets after an action that does not end the episode: nothing, or how much nearer it came to success."""


@dataclass(frozen=True, slots=True)
class Score:
    """A judgement.

    Attributes:
        value: The reward: from 0 to 1, or from -1 under the published scoring of SQL.
        success: Whether the request is met.
        parts: What the value is made of, by name.
        notes: Explanations for people.
    """

    value: float
    success: bool
    parts: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def as_dict(self) -> Json:
        """As JSON."""
        return plain_fields(self) | {"parts": dict(self.parts)}


Scores = Mapping[Scoring, Score]
"""Both judgements of one ending."""


def scores_as_dict(scores: Scores | None) -> Json | None:
    """Both judgements as JSON, None where nothing was judged."""
    return None if scores is None else {scoring: score.as_dict() for scoring, score in scores.items()}
