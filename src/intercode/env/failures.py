"""What ends an episode before its time: what an agent has broken, and what the machine could not do."""

from __future__ import annotations

from types import TracebackType

from intercode.env.world import World
from intercode.errors import DatabaseLostError, MachineError, SessionLostError

BROKEN = (SessionLostError, DatabaseLostError)
"""What an agent has broken itself: judged, as a failure, and never the machine's error."""

LOST = "the session has been broken by what ran in it: the episode is over, and has failed"
"""What an agent that has broken its session is told, and what the score says."""


class MachineFailuresEnd:
    """When the machine fails in a `with` block of this, the episode of *env* is over, unscored."""

    __slots__ = ("_env",)  # each turn makes one

    def __init__(self, env: World) -> None:
        self._env = env

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, MachineError):
            self._env.episode = self._env.current_episode.ended("error")
