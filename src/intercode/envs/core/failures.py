"""What ends an episode before its time: what an agent has broken, and what the machine could not do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from intercode.errors import DatabaseLostError, MachineError, SessionLostError

if TYPE_CHECKING:
    from intercode.envs.base import Env

BROKEN = (SessionLostError, DatabaseLostError)
"""What an agent has broken itself: judged, as a failure, and never the machine's error."""

LOST = "the session has been broken by what ran in it: the episode is over, and has failed"
"""What an agent that has broken its session is told, and what the score says."""


@contextmanager
def machine_failures_end(env: Env) -> Iterator[None]:
    """When the machine fails in here, the episode of *env* is over, unscored."""
    try:
        yield
    except MachineError:
        env.status, env._playing = "error", False
        raise
