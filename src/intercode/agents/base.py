"""The promise of an agent: WHO acts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

from intercode import registry
from intercode.types import Action, Observation, TaskView, Trial
from intercode.types.conversation import ModelCall


@dataclass(frozen=True, slots=True)
class BranchResult:
    """What an action would do.

    Attributes:
        observation: What the agent would see.
        reward: What it would earn.
        ended: Whether the episode would be over.
    """

    observation: Observation
    reward: float
    ended: bool


class Branches(Protocol):
    """For agents that want to look ahead: the episode's present state, to be branched."""

    def try_out(self, actions: Sequence[Action]) -> tuple[BranchResult, ...]:
        """Try each of *actions* in a branch of its own; the episode itself does not change.

        Returns:
            A result for each action, in order.

        Raises:
            SnapshotError: If the state cannot be branched.
            MachineError: If the machine cannot make a branch.
        """


class Agent(ABC):
    """Plays one episode at a time. A runner makes one agent per episode in flight; `reset` begins the next.

    A `MachineError` of an agent makes the episode an `error`; any other exception is a bug and is left to crash.
    """

    sees_gold: ClassVar[bool] = False
    """Only for agents that are not judged (`oracle`): `reset` then gets the gold."""

    interactive: ClassVar[bool] = False
    """A person answers at this terminal: one episode at a time, in the main thread, and no display but its own."""

    needs_model: ClassVar[bool] = False
    """Its constructor takes `model`, an `intercode.models.base.Answers`."""

    stops: ClassVar[tuple[str, ...]] = ()
    """Texts with which a model would go on beyond its reply, where the user names none (`--model-option stop`)."""

    sees_reward: bool = False
    """The world is to judge, and to tell the reward, after every action and not only at the end."""

    shell: Literal["fresh", "persistent"] = "fresh"
    """What stays between commands, where the world has a shell: files, or variables too. Set before `reset`."""

    branches: Branches | None = None
    """Set before `reset` where `wants_branches` says so: the episode's state, to be tried out."""

    wants_branches: ClassVar[bool] = False

    def __init__(self, **options: str) -> None:
        """Check the options.

        Args:
            **options: Texts, from `--agent-option name=value`.

        Raises:
            UnknownNameError: If the class has no such option.
        """
        if options:
            known = [name for name in registry.options(type(self)) if name != "model"]
            registry.refuse_unknown(type(self).__name__, options, known)

    def prepare(self) -> None:  # noqa: B027 - most need nothing
        """Load what the first episode needs; called once in each worker, outside of any episode's time."""

    def check(self, tasks: Sequence[TaskView]) -> None:  # noqa: B027 - most can play anything
        """Check, once before a run, that all of its tasks can be played.

        Raises:
            UserError: If the agent could never play some of them.
        """

    @abstractmethod
    def reset(self, task: TaskView, *, seed: int, gold: str | None = None) -> None:
        """Begin an episode.

        Args:
            task: What to do.
            seed: Where the agent's chance, if it uses any, comes from.
            gold: The answer. None unless `sees_gold`.
        """

    @abstractmethod
    def act(self, observation: Observation, reward: float) -> Action:
        """Choose the next action.

        Args:
            observation: What the last action showed; at first, the query.
            reward: What it earned; at first, 0.0.

        Raises:
            MachineError: If it cannot, as when its model gives no answer: the episode is then an `error`.
        """

    @property
    def thought(self) -> str:
        """Return what it thought before its last action, for the trajectory; "" where it does not say."""
        return ""

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        """The questions that it put to a model for its last action and that were answered, for the trajectory.

        After an `act` that raised, those that had been answered by then.
        """
        return ()

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Return what it tried in branches before its last action, for the trajectory."""
        return ()
