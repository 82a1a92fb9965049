"""A moment of an episode, kept: what `Env.snapshot` gives, and `Env.restore` and `Env.fork` go on from."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, NoReturn, Protocol

from intercode.closing import Closeable
from intercode.errors import UserError
from intercode.types import Status, Task, Turn

FIELDS = (
    "task",
    "turn",
    "_idle",
    "answer",
    "status",
    "started_at",
    "_handed_in",
    "_potential",
    "_first",
    "_playing",
    "_np_random",
    "_np_random_seed",
    "_order",
)
"""What an environment knows of its episode beside `history` and what its world freezes."""


class SavedState(Protocol):
    """What a world keeps of itself: whatever it is, it can be given back."""

    def close(self) -> None:
        """Forget it. Closing twice is harmless."""


@dataclass(eq=False)
class EnvSnapshot(Closeable):
    """An episode at one moment: the world's own state (`world`), all turns so far, the random numbers to come.

    It can be restored any number of times, by every environment with the same `Branching.key` that shares the
    sandbox or database of the one it was taken from, for as long as that is open. It holds memory: close it, or use it
    in a `with`. It can be neither copied nor pickled.
    """

    task: Task
    history: tuple[Turn, ...]
    seconds: float
    """How long the episode had been going on."""

    world: SavedState
    fields: Mapping[str, Any] = field(repr=False)
    kind: Mapping[str, str] = field(default_factory=dict, repr=False)
    """What the environment must be like that goes on from here (see `Branching.key`)."""

    closed: bool = field(default=False, init=False)

    @property
    def turn(self) -> int:
        """How many actions had run."""
        turn: int = self.fields["turn"]
        return turn

    @property
    def status(self) -> Status | None:
        """How the episode had ended; None while it went on."""
        status: Status | None = self.fields["status"]
        return status

    def close(self) -> None:
        """Forget it. Episodes that were restored from it go on. Closing twice is harmless."""
        self.closed = True
        self.world.close()

    def check(self, kind: Mapping[str, str]) -> None:
        """Check that an environment can go on from here.

        Raises:
            UserError: If one of *kind* cannot.
        """
        if self.closed:
            raise UserError("this snapshot is closed: take another with snapshot(), and close that one after use")
        for name, theirs in self.kind.items():
            if kind.get(name) != theirs:
                raise UserError(
                    f"this snapshot is another environment's: the {name} is {theirs} there, and {kind.get(name)} here; "
                    "restore it in an environment with the same options"
                )

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a snapshot cannot be copied or pickled: restore it as often as you like, or take another one")


def save_fields(env: object) -> dict[str, Any]:
    """The fields of *env*'s episode, none of them shared with it."""
    return {name: deepcopy(getattr(env, name)) if name != "task" else getattr(env, name) for name in FIELDS}


def restore_fields(env: object, fields: Mapping[str, Any]) -> None:
    """Give *env* fields that were kept; they can be given again."""
    for name, value in fields.items():
        setattr(env, name, deepcopy(value) if name != "task" else value)
