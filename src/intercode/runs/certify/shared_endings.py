"""What several threads know of the endings over one image: what one of them has run the others need not run.

Each thread has a cache of its own, since what it forgets and runs again is its own affair. Between two tasks it takes
over what the others have seen meanwhile.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event

from intercode.runs.certify.endings import EndingCache


@dataclass(eq=False)
class SharedEndings:
    """The caches of those who work over one image. Safe to use from several threads."""

    started_at: float = field(default_factory=time.time)
    """When the sessions of all of them begin."""

    is_begun: Event = field(default_factory=Event)
    """Whether one task is done: most of what is the same for all tasks is run at the first of them."""

    _caches: list[EndingCache] = field(default_factory=list)

    @contextmanager
    def joined_by(self, cache: EndingCache) -> Iterator[None]:
        """*cache* is one of them. Who is not the first waits until that one has done its first task."""
        self._caches.append(cache)
        try:
            if self._caches[0] is not cache:
                self.is_begun.wait()
            yield
        finally:
            self.is_begun.set()
            self._caches.remove(cache)

    def tell(self, cache: EndingCache) -> None:
        """Have *cache* know what the others know."""
        for other in self._caches.copy():
            if other is not cache:
                cache.learn_from(other)
