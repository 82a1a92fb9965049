"""What is saved of the SQL world: its statements, which are run again on an untouched copy of the database."""

from __future__ import annotations

from dataclasses import dataclass

from intercode.worlds.sql.scoring.final_state import SqlFinalState


@dataclass(frozen=True, slots=True)
class SqlState:
    """What is kept of the world: statements that did more than read, the last outcome, the state's name."""

    statements: tuple[str, ...]
    last: SqlFinalState
    state: str

    def close(self) -> None:
        """It holds nothing."""
