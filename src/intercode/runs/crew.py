"""Threads that share one piece of work, and end together: when it is done, when one of them fails, or on Ctrl-C."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

PATIENCE = 5.0
"""Seconds that threads get, all together, to notice that they are to stop."""


@dataclass
class Crew:
    """Threads that each call `work` once. `work` looks at `stopped` now and then; `stop` ends what it waits for.

    Threads, since they wait for models and kernels; daemons, so that none can hold up the end of the program.
    """

    work: Callable[[], None]
    stop: Callable[[], None]
    stopped: threading.Event = field(default_factory=threading.Event)
    _failures: list[BaseException] = field(default_factory=list)

    def run(self, count: int) -> None:
        """Work until all threads are through. Raises what the first of them raised, and KeyboardInterrupt."""
        threads = [threading.Thread(target=self._guarded, daemon=True) for _ in range(count)]
        for thread in threads:
            thread.start()
        try:
            while any(thread.is_alive() for thread in threads):
                for thread in threads:
                    thread.join(0.1)  # a join without end would not notice Ctrl-C
        finally:
            self.stopped.set()
            self.stop()
            for thread in threads:
                thread.join(PATIENCE / count)
        if self._failures:
            raise self._failures[0]

    def _guarded(self) -> None:
        """What goes wrong in a thread is everybody's, unless all are being stopped anyway."""
        try:
            self.work()
        except BaseException as error:  # noqa: BLE001 - raised again by `run`, in the main thread
            if not self.stopped.is_set():
                self._failures.append(error)
                self.stopped.set()
