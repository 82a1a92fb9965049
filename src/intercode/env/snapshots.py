"""A moment of an episode, kept: what `Env.snapshot` gives, and `Env.restore` and `Env.fork` go on from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from intercode.env.episode import Episode
from intercode.env.saved_state import SavedState
from intercode.errors import UserError
from intercode.types import Status, Task, Turn
from intercode_sandbox.util.closing import Closeable


@dataclass(eq=False)
class EnvSnapshot(Closeable):
    """An episode at one moment: the world's own state (`world`), all turns so far, the random numbers to come.

    It can be restored any number of times, by every environment with the same `Env.branch_key` that shares the
    sandbox or database of the one it was taken from, for as long as that is open. It holds memory: close it, or use it
    in a `with`. It can be neither copied nor pickled.
    """

    episode: Episode
    """As it stood."""

    seconds: float
    """How long it had been going on."""

    world: SavedState
    """What the world keeps of itself."""

    chance: Mapping[str, Any] = field(repr=False)
    """The random numbers to come, and the order of the tasks to come."""

    kind: Mapping[str, str] = field(default_factory=dict, repr=False)
    """What the environment must be like that goes on from here (see `Env.branch_key`)."""

    closed: bool = field(default=False, init=False)
    """Whether it can be restored no more."""

    @property
    def task(self) -> Task:
        """Return the episode's task."""
        return self.episode.task

    @property
    def history(self) -> tuple[Turn, ...]:
        """Return all turns so far."""
        return self.episode.turns

    @property
    def turn(self) -> int:
        """Return how many actions had run."""
        return self.episode.ran

    @property
    def status(self) -> Status | None:
        """Return how the episode had ended; None while it went on."""
        return self.episode.status

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
