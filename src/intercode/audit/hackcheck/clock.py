"""The time that a check may take, shared out among the tasks."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

GOLDS = 0.25
"""The part of a task's share in which golds are played again."""

PARTS = 0.9
"""The part of the time that is shared out; the rest is for what is played when it ends."""

ATTACKS = 0.75
"""The part of a task's share in which adversaries are begun; the rest is for proofs of what they found."""

FACTOR, MOST_EXTRA, LEAST_EXTRA = 4.0, 5.0, 2.0
"""How often an attack may take what the gold took, and the seconds that it may take besides, at first and at last."""


@dataclass(frozen=True, slots=True)
class Deadlines:
    """The ends of one task's share.

    No gold is played again after `golds`, no attempt begins after `attacks`, no proof goes on after `proofs`.
    """

    golds: float = math.inf
    attacks: float = math.inf
    proofs: float = math.inf

    @property
    def no_more_golds(self) -> bool:
        """Return whether a gold that was played once is not to be played again."""
        return time.monotonic() > self.golds

    @property
    def no_more_attacks(self) -> bool:
        """Return whether no attempt may begin."""
        return time.monotonic() > self.attacks

    @property
    def no_more_proofs(self) -> bool:
        """Return whether what was found is to be told as it is."""
        return time.monotonic() > self.proofs


@dataclass
class Patience:
    """How long an attack may take, where its task's gold took *quickest* seconds.

    What an agent left may keep a verifier busy for as long as that is let: then the next gets less.
    """

    quickest: float
    _extra: float = MOST_EXTRA

    @property
    def seconds(self) -> float:
        """Return what an action, and a verifier, may take."""
        return FACTOR * self.quickest + self._extra

    def after(self, seconds: float) -> float:
        """Return what the next may take, after one that took so many *seconds*."""
        if seconds > self.seconds:
            self._extra = max(self._extra / 2, LEAST_EXTRA)
        return self.seconds


@dataclass
class Clock:
    """Shares *seconds* out among so many *tasks*, of which *parallel* are checked at once."""

    seconds: float
    tasks: int
    parallel: int
    _began: float = field(default_factory=time.monotonic)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def deadlines_of_next(self) -> Deadlines:
        """Return when the time of the next task is over: its share of what is left."""
        if math.isinf(self.seconds):
            return Deadlines()
        now = time.monotonic()
        with self._lock:
            rounds = max(1.0, self.tasks / max(1, self.parallel))
            self.tasks -= 1
        share = max(0.0, self._began + self.seconds * PARTS - now) / rounds
        return Deadlines(now + GOLDS * share, now + ATTACKS * share, now + share)

    @contextmanager
    def rings(self, stop: Callable[[], None]) -> Iterator[None]:
        """Call *stop* when all time is over, unless the block has ended before."""
        self._began = time.monotonic()
        if math.isinf(self.seconds):
            yield
            return
        timer = threading.Timer(self.seconds, stop)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
