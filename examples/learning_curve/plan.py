"""What is run with a language model: the plan of its curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from examples.learning_curve.tasks import HELD_OUT
from examples.learning_curve.train import ARMS, Arm

ChatArm = Literal["start"] | Arm
"""`start` learns from demonstrations alone, from the weights as they were published. All others begin where it ends."""

CHAT_ARMS: tuple[ChatArm, ...] = ("start", *ARMS)


@dataclass(frozen=True)
class Plan:
    """What is run. All arms of a seed but `start` begin with the same weights: those that `start` ends with."""

    model: str = "local:smollm2-135m"
    """A name on the Hugging Face Hub, a folder, a `.gguf` file, or `local:` and a name, as `intercode run` has it."""

    agent: str = "compact"
    """As which of our agents it plays: `compact` or `react`."""

    arms: tuple[ChatArm, ...] = CHAT_ARMS
    seeds: tuple[int, ...] = (0, 1, 2)
    topics: tuple[str, ...] = ()
    """Of the tasks; none: all."""

    train: int = 900
    held_out: int = 160
    splits: tuple[str, ...] = HELD_OUT
    turns: int = 3
    longest: int = 96
    """Tokens of a reply."""

    observation: int = 300
    """Characters of what a command printed that the model is shown: long ones cost most of the time on processors."""

    demonstrations: int = 700
    warm_steps: int = 90
    warm_rate: float = 3e-4
    warm_every: int = 30
    warm_golds: int = 16
    """Demonstrations of a step of `start`."""

    steps: int = 40
    tasks: int = 8
    """Tasks of a step."""

    group: int = 8
    """Episodes of each of these."""

    rate: float = 2e-5
    every: int = 20
    """Steps between two looks at the held-out tasks."""

    batch: int = 8
    """Episodes that the model learns from at once; the others of a step wait, as their memory would not suffice."""

    @property
    def played(self) -> int:
        """How many episodes a step has."""
        return self.tasks * self.group


AFTERWARDS = (
    "arms",
    "seeds",
    "held_out",
    "splits",
    "longest",
    "steps",
    "rate",
    "every",
    "tasks",
    "group",
    "warm_every",
)
"""What the weights after the demonstrations do not depend on."""
