"""The promise of an agent: WHO acts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

from intercode import registry
from intercode.conversation import ModelCall
from intercode.types import Action, Observation, TaskView, Trial


@dataclass(frozen=True, slots=True)
class BranchResult:
    """What an action would do: what would be observed, the reward, and whether the episode would be over."""

    observation: Observation
    reward: float
    ended: bool


class Branches(Protocol):
    """For agents that want to look ahead: the episode's present state, to be branched."""

    def try_out(self, actions: Sequence[Action]) -> tuple[BranchResult, ...]:
        """What each of *actions* does in a branch of its own; the episode itself stands as it did.

        Raises SnapshotError, a UserError, for a state that cannot be branched, MachineError when a branch cannot be
        had.
        """


class Agent(ABC):
    """Plays one episode at a time. A runner makes one agent per episode in flight; `reset` begins the next.

    What an agent raises as `MachineError` makes the episode an `error`; anything else is a bug and is left to crash.
    """

    sees_gold: ClassVar[bool] = False
    """Only for agents that are not judged (`oracle`): `reset` then gets the gold."""

    interactive: ClassVar[bool] = False
    """A person answers at this terminal: one episode at a time, in the main thread, and no display but its own."""

    needs_model: ClassVar[bool] = False
    """Its constructor takes `model`, an `intercode.models.base.Answers`."""

    sees_reward: bool = False
    """The world is to judge, and to tell the reward, after every action and not only at the end."""

    shell: Literal["fresh", "persistent"] = "fresh"
    """What stays between commands, where the world has a shell: files, or variables too. Set before `reset`."""

    branches: Branches | None = None
    """Set before `reset` where `wants_branches` says so: the episode's state, to be tried out."""

    wants_branches: ClassVar[bool] = False

    def __init__(self, **options: str) -> None:
        """Options come from the command line as `--agent-option name=value`; unknown ones raise UnknownNameError."""
        if options:
            known = [name for name in registry.options(type(self)) if name != "model"]
            registry.refuse_unknown(type(self).__name__, options, known)

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

    @property
    def trials(self) -> tuple[Trial, ...]:
        """What it tried in branches before its last action, for the trajectory."""
        return ()
