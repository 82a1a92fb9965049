"""Code that runs, stopped from another thread as Ctrl-C in a terminal stops it."""

from __future__ import annotations

from threading import Lock
from types import TracebackType

from intercode_sandbox.sandbox import Session

GRACE = 1.0
"""Seconds that programs have to end once they are interrupted."""


class RunningCode:
    """Whether an action's code runs: it does inside a `with` block of this."""

    def __init__(self) -> None:
        self._runs = Lock()
        """Held while code runs: an event would cost more than all else that a `with` block does."""

    def __enter__(self) -> None:
        self._runs.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._runs.release()

    def interrupt(self, session: Session) -> None:
        """Send SIGINT to what runs in *session*, and kill all there if the code still runs `GRACE` seconds later.

        Does nothing where no code runs.

        Raises:
            SandboxError: If the session has ended.
        """
        if not self._runs.locked():
            return
        session.interrupt()
        if self._runs.acquire(timeout=GRACE):
            self._runs.release()
        else:
            session.kill()
