"""The promise of an agent: WHO acts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from intercode.conversation import ModelCall
from intercode.errors import UserError
from intercode.types import Action, Observation, TaskView


class Agent(ABC):
    """Plays one episode at a time. A runner makes one agent per episode in flight; `reset` begins the next.

    What an agent raises as `MachineError` makes the episode an `error`; anything else is a bug and is left to crash.
    """

    sees_gold: ClassVar[bool] = False
    """Only for agents that are not judged (`oracle`): `reset` then gets the gold."""

    interactive: ClassVar[bool] = False
    """A person answers at this terminal: one episode at a time, in the main thread, and no display but its own."""

    def __init__(self, **options: str) -> None:
        """Options come from the command line as `--agent-option name=value`; unknown ones raise UserError."""
        if options:
            raise UserError(f"{type(self).__name__} has no option called {' or '.join(map(repr, sorted(options)))}")

    def check(self, tasks: Sequence[TaskView]) -> None:  # noqa: B027 - most can play anything
        """Called once, before a run, with all of its tasks: raise UserError for those that it could never play."""

    @abstractmethod
    def reset(self, task: TaskView, *, seed: int, gold: str | None = None) -> None:
        """Begin an episode. *gold* is None unless `sees_gold`."""

    @abstractmethod
    def act(self, observation: Observation, reward: float) -> Action:
        """The next action, after the last one gave *observation* and *reward* (at first: the query, and 0.0)."""

    @property
    def thought(self) -> str:
        """What it thought before its last action, for the trajectory; "" where it does not say."""
        return ""

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        """The questions it put to a model for its last action, answered ones only, for the trajectory.

        After an `act` that raised, those that it had answered by then.
        """
        return ()
