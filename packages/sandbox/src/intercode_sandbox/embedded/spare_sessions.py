"""Sessions made ready ahead, while agents think: a reset then takes one that is there.

To order one is to send a message: the zygote and its children do the work, and nobody waits for that here. One is
ordered with every start but the first of its kind, so at most as many are ready as were started at once, and in the end
as much work is done as without. Only sessions that do not depend on when they start are made ahead (see
`EmbeddedSandbox.start`).
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from intercode_sandbox.embedded.session import EmbeddedSession
from intercode_sandbox.errors import MachineError
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Limits

MOST = 32
"""Sessions that are ready or on their way, of all kinds together."""

SECONDS = 60.0
"""How long one is kept: what the kernel has set in it (times of /dev and /proc) must not be too old."""


@dataclass(frozen=True, slots=True)
class SessionKind:
    """Sessions that are alike: one can stand in for the other."""

    image: str
    digest: str
    limits: Limits

    @classmethod
    def of(cls, image: Image, limits: Limits) -> SessionKind:
        """Return the kind of a session of *image* under *limits*."""
        return cls(image.name, image.digest, limits)


class SpareSessions:
    """See the module: at most *most* of them, none for 0. Safe to use from several threads."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._guard = threading.Lock()
        self._ready: dict[SessionKind, deque[tuple[float, EmbeddedSession]]] = {}
        """Those that are there; an empty queue, too, for each kind that was ever started."""

        self._count = 0
        self._is_closed = False

    def take(self, kind: SessionKind) -> EmbeddedSession | None:
        """Return one that is ready, the oldest that is not too old; None where there is none."""
        old: list[EmbeddedSession] = []
        found = None
        with self._guard:
            ready = self._ready.get(kind)
            while ready and found is None:
                made, session = ready.popleft()
                self._count -= 1
                if time.monotonic() - made < SECONDS:
                    found = session
                else:
                    old.append(session)
        for session in old:
            session.close()
        return found

    def order(self, kind: SessionKind, make: Callable[[], EmbeddedSession]) -> None:
        """Have one made by *make*, if this was not the first of its *kind* and there are not too many."""
        with self._guard:
            ready = self._ready.get(kind)
            if ready is None:
                self._ready[kind] = deque()
                return
            if self._is_closed or self._count >= self._most:
                return
            self._count += 1
        session = None
        try:
            session = make()
        except MachineError:
            pass  # whoever starts one then is told
        finally:
            self._note(ready, session)

    def _note(self, ready: deque[tuple[float, EmbeddedSession]], session: EmbeddedSession | None) -> None:
        """Keep *session*, unless none was made, or nobody can take it any more."""
        with self._guard:
            if session is not None and not self._is_closed:
                ready.append((time.monotonic(), session))
                return
            self._count -= 1
        if session is not None:
            session.close()

    def close(self) -> None:
        """Make no more. The sandbox closes those that are there."""
        with self._guard:
            self._is_closed = True
            self._ready.clear()
