"""What is saved of capture the flag: as in the Bash world, with the challenge and the files of its service."""

from __future__ import annotations

from dataclasses import dataclass

from intercode.datasets.challenges import Challenge
from intercode.env.saved_state import SavedState
from intercode_sandbox.sandbox import Snapshot


@dataclass(frozen=True, slots=True)
class CtfState:
    """What is kept of the world: the Bash world, the challenge, the flags so far, and the files of a service."""

    shell: SavedState
    challenge: Challenge
    submissions: tuple[str, ...]
    service: Snapshot | None

    def close(self) -> None:
        """Forget it."""
        self.shell.close()
        if self.service is not None:
            self.service.close()
