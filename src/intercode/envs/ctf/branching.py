"""How episodes of capture the flag branch: as in the Bash world, with the challenge and the files of its service."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from intercode.datasets.challenges import Challenge
from intercode.envs.bash.branching import BashBranching
from intercode.envs.core.branching import NO_WAY_BACK
from intercode.envs.core.snapshots import SavedState
from intercode.errors import SandboxError, SnapshotError
from intercode.sandboxes.base import Snapshot

if TYPE_CHECKING:
    from intercode.envs.ctf.env import CtfEnv


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


class CtfBranching(BashBranching["CtfEnv"]):
    """See `Branching`."""

    env: CtfEnv

    def save(self) -> SavedState:
        """As in the Bash world, and the files of the service.

        Raises:
            UserError: If that is a `server` (see there).
        """
        env = self.env
        service = None if env._service is None else env._service.snapshot()
        try:
            shell = super().save()
        except BaseException:
            if service is not None:
                service.close()
            raise
        return CtfState(shell, env._challenge, tuple(env.submissions), service)

    def load(self, state: SavedState) -> None:
        """See `Branching.load`. The service runs again, with the files that it had."""
        assert isinstance(state, CtfState)
        self.env._challenge, self.env.submissions = state.challenge, list(state.submissions)
        super().load(state.shell)
        try:
            self.env.start_service(state.service)
        except SandboxError as error:  # it did begin: what it needs is gone since
            raise SnapshotError(f"{NO_WAY_BACK}: {error}") from error

    def detach(self) -> None:
        """See `Branching.detach`."""
        super().detach()
        self.env._service = None
