"""Code that runs, stopped from another thread as Ctrl-C in a terminal stops it."""

from __future__ import annotations

from threading import Event
from types import TracebackType

from intercode.sandboxes.base import Session

GRACE = 1.0
"""Seconds that programs have to end once they are interrupted."""


class RunningCode:
    """Whether an action's code runs: it does inside a `with` block of this."""

    def __init__(self) -> None:
        self._ended = Event()
        self._ended.set()

    def __enter__(self) -> None:
        self._ended.clear()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()

    def interrupt(self, session: Session) -> None:
        """Send SIGINT to what runs in *session*, and kill all there if the code still runs `GRACE` seconds later.

        Does nothing where no code runs. Raises SandboxError where the session has ended.
        """
        if self._ended.is_set():
            return
        session.interrupt()
        if not self._ended.wait(GRACE):
            session.kill()
