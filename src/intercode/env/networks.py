"""What an agent's programs and those that judge may reach, and what they have had of it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

from intercode.errors import SandboxError
from intercode_sandbox.network.hosts import NetworkPolicy, network_policy
from intercode_sandbox.network.usage import NetworkUsage
from intercode_sandbox.sandbox import Session


@dataclass(slots=True)
class Networks:
    """What was chosen for an environment, as `Limits.network` has it, and what the present episode has used."""

    agents: NetworkPolicy | None = None
    """What was chosen for agents. None: nothing; it is as the limits say."""

    verifiers: NetworkPolicy | None = None
    """What was chosen for programs that judge. None: nothing; it is as the data set says."""

    used: NetworkUsage | None = None
    """What sessions of the present episode that have ended had of their networks; None where none had one."""

    @classmethod
    def of(cls, agents: str | Sequence[str] | None, verifiers: str | Sequence[str] | None) -> Self:
        """Read what was chosen, if anything was.

        Raises:
            UserError: If it is no network.
        """
        return cls(
            None if agents is None else network_policy(agents),
            None if verifiers is None else network_policy(verifiers),
        )

    def usage(self, session: Session | None) -> NetworkUsage | None:
        """Return what the episode has had of networks: *session*, the ones before, and what judged. None: it had none.

        Raises:
            SandboxError: If a network ended before its session.
        """
        now = None if session is None else session.network_usage()
        return self.used if now is None else now + (self.used or NetworkUsage())

    def note(self, session: Session) -> None:
        """Count what *session* has had of a network, before it ends: it was one of the present episode's.

        Raises:
            SandboxError: If its network has ended before.
        """
        self.used = self.usage(session)

    def note_ended(self, session: Session) -> None:
        """Do the same for one that is over: whoever needs to know that its network was gone has asked before."""
        with suppress(SandboxError):
            self.note(session)
