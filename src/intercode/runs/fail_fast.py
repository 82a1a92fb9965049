"""Stop work whose first episodes all fail for one and the same reason: that reason would end all the others too."""

from __future__ import annotations

import re
import threading

from intercode.errors import ContextOverflowError, MachineError, StoppedEarlyError

FIRST = 3
"""How many episodes must fail alike, none having ended otherwise."""

_CHANGING = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{6,}\b|\d+")
"""Numbers, and ids in hexadecimal: they differ from one episode to the next where the reason is the same."""


class FailFast:
    """Is told how each episode ended, from any thread. With *keep_going* it lets all of them fail."""

    def __init__(self, *, keep_going: bool = False) -> None:
        self._lock = threading.Lock()
        self._is_over = keep_going
        self._reasons: list[str] = []

    def record(self, task: str, error: str, *, more: bool) -> None:
        """An episode of *task* has ended, with *error* or "" for none; *more* says whether any are still to be played.

        Raises:
            StoppedEarlyError: If the first `FIRST` episodes all failed for one reason and there are more. Says the
                reason.
        """
        with self._lock:
            if self._is_over:
                return
            self._reasons.append(reason(task, error))
            self._is_over = not error or not _is_the_machines(error) or len(set(self._reasons)) > 1
            if self._is_over or len(self._reasons) < FIRST or not more:
                return
            self._is_over = True
        raise StoppedEarlyError(f"stopped: the first {FIRST} episodes all failed alike: {error}")


def reason(task: str, error: str) -> str:
    """Return *error* without what differs from one task to another where the reason is the same."""
    return _CHANGING.sub("#", error.replace(task, "TASK"))


def _is_the_machines(error: str) -> bool:
    """Return whether the class that an episode's error begins with is one of the machine's, and no task's own."""
    return error.partition(":")[0] in _names(MachineError) - _names(ContextOverflowError)


def _names(kind: type[MachineError]) -> set[str]:
    """Return the name of *kind* and those of all classes made from it, plug-ins' too."""
    return {kind.__name__}.union(*map(_names, kind.__subclasses__()))
