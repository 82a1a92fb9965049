"""How episodes of the Bash world branch: by the files of the session, and what the shell carries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from intercode.envs.bash.shell import ShellState
from intercode.envs.core.branching import Branching
from intercode.envs.core.snapshots import SavedState
from intercode.sandboxes.base import Snapshot

if TYPE_CHECKING:
    from intercode.envs.bash.env import BashEnv

E = TypeVar("E", bound="BashEnv")


@dataclass(frozen=True, slots=True)
class BashState:
    """What is kept of the Bash world."""

    files: Snapshot
    shell: ShellState

    def close(self) -> None:
        """Forget it."""
        self.files.close()


class BashBranching(Branching[E]):
    """See `Branching`. Processes are not part of a state."""

    def key(self) -> dict[str, str]:
        """See `Branching.key`: what one shell carries is nothing to the other."""
        return super().key() | {"shell": self.env.shell}

    def save(self) -> SavedState:
        """The file system, and what the shell carries."""
        assert self.env._shell is not None
        memory = self.env._shell.memory()  # before the file system: asking may start what writes
        return BashState(self.env.current_session.snapshot(), memory)

    def load(self, state: SavedState) -> None:
        """See `Branching.load`."""
        assert isinstance(state, BashState)
        super().load(state.files)
        self.env._shell = self.env.make_shell()
        self.env._shell.recall(state.shell)

    def detach(self) -> None:
        """See `Branching.detach`."""
        super().detach()
        self.env._shell = None
