"""How an ending is judged."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Literal

from intercode.types.conversation import Json, plain_fields

Scoring = Literal["paper", "exact"]
"""`paper`: what the published benchmark computes, faults included. `exact`: what it should have been. A world is played
in one of the two ways, and both are rewards of our worlds."""

SCORINGS: tuple[Scoring, ...] = ("paper", "exact")

CHEATED = "cheated: "
"""Begins the name of a part that is 1 where cheating was proved, and 0 where it was not; the kind follows."""

LONGEST_NAME = 80
"""Characters of the name of a reward."""

_NOT_IN_NAMES = re.compile(r"[^\w.-]")

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


Scores = Mapping[str, Score]
"""The judgements of one ending, by the names of the rewards: the world's own, and one that was chosen beside them."""


def scores_as_dict(scores: Scores | None) -> Json | None:
    """Return judgements as JSON, None where nothing was judged."""
    return None if scores is None else {name: score.as_dict() for name, score in scores.items()}


def reward_name(reward: str) -> str:
    """Return the name under which a *reward*, a plug-in or a Python file, stores its scores: words, dots and dashes."""
    return _NOT_IN_NAMES.sub("_", PurePath(reward).stem if reward.endswith(".py") else reward)[:LONGEST_NAME]


def leading_reward(scoring: Scoring, chosen: str) -> str:
    """Return the reward that counts in what is played under *scoring*, where *chosen* judges too ("": none does)."""
    return chosen if chosen and scoring == "exact" else scoring


def shown_rewards(leading: str) -> list[str]:
    """Return the rewards that are shown where one leads, in order: that one, and the world's own."""
    return list(dict.fromkeys((leading, *SCORINGS)))
