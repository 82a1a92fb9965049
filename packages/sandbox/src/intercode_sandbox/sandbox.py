"""The promise of a sandbox: WHERE commands run.

A sandbox starts sessions from an image; each session is a world of its own until it is closed. Three rules hold for
every one of them, and `intercode_sandbox.testing.contract` checks them:

- what a command does wrong is in its `Result`; only the sandbox's own failure is an exception (`SandboxError`);
- nothing of a session lives on after `close()`, and no session sees another;
- `changes`, `read`, `write` and `snapshot` are done from outside: no program in the session can answer for them.
"""

from __future__ import annotations

from abc import abstractmethod

from intercode_sandbox.errors import UserError
from intercode_sandbox.images import Image
from intercode_sandbox.limits import Limits
from intercode_sandbox.results import Change, Entry, FileType, Result
from intercode_sandbox.session import Process, Prompt, Session, Snapshot, TerminalProcess
from intercode_sandbox.util.closing import Closeable
from intercode_sandbox.util.naming import sandbox_name

__all__ = [
    "Change",
    "Entry",
    "FileType",
    "Limits",
    "Process",
    "Prompt",
    "Result",
    "Sandbox",
    "Session",
    "Snapshot",
    "TerminalProcess",
]

GIVES_NONE = (
    "a network is wanted (network in task.toml, --network, or Limits(network=…)), and {} gives none: "
    "choose the embedded or the docker sandbox, on Linux, or fetch what is wanted while the image is built"
)


class Sandbox(Closeable):
    """A way to run code. Making one is cheap and starts nothing; safe to use from several threads."""

    isolated: bool = True
    """Whether hostile code is held. `local` says False and must be asked for by name."""

    limits: Limits = Limits()  # those of sessions that name none
    gives_network: bool = False
    """True if sessions with `Limits.network` have one; all others have none, but for those of `local`."""

    gives_terminal: bool = False
    """True if sessions have `Session.open_terminal`, which a persistent shell needs."""

    @property
    def label(self) -> str:
        """Cache key: sandboxes with equal labels share gold results, since they show the same image alike."""
        return type(self).__name__

    def check(self, limits: Limits | None) -> None:
        """Check that this sandbox can give these limits.

        Raises:
            UserError: If they ask for a network, and it gives none.
        """
        if limits is not None and limits.has_network and not self.gives_network:
            raise UserError(GIVES_NONE.format(sandbox_name(self)))

    @abstractmethod
    def start(
        self,
        image: Image,
        *,
        snapshot: Snapshot | None = None,
        started_at: float | None = None,
        limits: Limits | None = None,
        shuffle: int = 0,
    ) -> Session:
        """Start a session. If that fails, nothing is left behind.

        Args:
            image: Its file system.
            snapshot: Go on from this snapshot, of a session of the same image. None: a fresh session.
            started_at: The time that the image's files without a time of their own get, in seconds since 1970. None:
                now.
            limits: What it may use. None: the sandbox's own.
            shuffle: Seeds an unusual order in which directories of the image's own layers (all but the lowest) are
                read; everything else stays equal. 0: the usual order.

        Raises:
            SandboxError: If the sandbox does not start.
            ImageError: If the image cannot be built.
            UserError: If the sandbox cannot give the limits (see `check`).
        """

    @abstractmethod
    def close(self) -> None:
        """End every session and whatever is kept ready. Closing twice is harmless."""
