"""What is saved of the Bash world: the files of the session, and what the shell carries."""

from __future__ import annotations

from dataclasses import dataclass

from intercode.worlds.bash.shell import ShellState
from intercode_sandbox.sandbox import Snapshot


@dataclass(frozen=True, slots=True)
class BashState:
    """What is kept of the Bash world."""

    files: Snapshot
    shell: ShellState

    def close(self) -> None:
        """Forget it."""
        self.files.close()
