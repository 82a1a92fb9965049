"""How episodes of the SQL world branch: by their statements, run again on an untouched copy of the database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from intercode.envs.core.branching import NO_WAY_BACK, Branching
from intercode.envs.core.snapshots import SavedState
from intercode.envs.sql.nondeterminism import nondeterministic_state
from intercode.errors import SnapshotError
from intercode.rewards.sql.final_state import SqlFinalState

if TYPE_CHECKING:
    from intercode.envs.sql.env import SqlEnv


@dataclass(frozen=True, slots=True)
class SqlState:
    """What is kept of the world: statements that did more than read, the last outcome, the state's name."""

    statements: tuple[str, ...]
    last: SqlFinalState
    state: str

    def close(self) -> None:
        """It holds nothing."""


class SqlBranching(Branching["SqlEnv"]):
    """See `Branching`."""

    env: SqlEnv

    def key(self) -> dict[str, str]:
        """See `Branching.key`."""
        return super().key() | {"database": type(self.env.database).__name__}

    def save(self) -> SqlState:
        """What was run, to be run again on an untouched copy, and what that must come to.

        Raises:
            SnapshotError: If chance or the clock has left what nobody could compare then.
        """
        env = self.env
        if env._session and (statement := nondeterministic_state(env._ran)):
            raise SnapshotError(
                "this state cannot be saved: time or chance has made what is in a variable, a temporary table or a "
                f"transaction, which would be another next time, in {statement[:200]}; snapshot before that"
            )
        state = env.history[-1].state_hash if env.history else env.state_hash()  # between turns nothing changes it
        return SqlState(tuple(env._ran), env.last, state)

    def load(self, state: SavedState) -> None:
        """See `Branching.load`.

        Raises:
            SnapshotError: If the statements come to another state: they use chance or time.
        """
        assert isinstance(state, SqlState)
        env = self.env
        env.prepare()
        for text in state.statements:
            env.execute(text)
        env.last = state.last
        if env.state_hash() != state.state:
            raise SnapshotError(f"{NO_WAY_BACK}: its statements depend on time or chance")

    def detach(self) -> None:
        """See `Branching.detach`."""
        self.env.connection = None
