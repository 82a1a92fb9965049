"""Threads that share one piece of work, and end together: when it is done, when one of them fails, or on Ctrl-C."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

PATIENCE = 5.0
"""Seconds that threads get, all together, to notice that they are to stop."""

GLANCE = 0.1
"""Seconds between two looks at who is still there."""


@dataclass
class WorkerPool:
    """Threads that each call `work` once. `work` looks at `stopped` now and then; `stop` ends what it waits for.

    Threads, since they wait for models and kernels; daemons, so that none can hold up the end of the program. `waiting`
    is how many of them wait for what cannot be ended, such as a model's answer: nobody waits for those.
    """

    work: Callable[[], None]
    stop: Callable[[], None]
    waiting: Callable[[], int] = lambda: 0
    patience: float = PATIENCE
    stopped: threading.Event = field(default_factory=threading.Event)
    _failures: list[BaseException] = field(default_factory=list)
    _left: int = 0
    _ended: threading.Condition = field(default_factory=threading.Condition)

    def run(self, count: int) -> None:
        """Work until all threads are through. Raises what the first of them raised, and KeyboardInterrupt.

        Threads are counted, not joined: Ctrl-C in a join makes Python 3.11 take the thread for one that has ended.
        """
        try:
            for _ in range(count):
                with self._ended:
                    self._left += 1
                threading.Thread(target=self._run_and_report, daemon=True).start()
            with self._ended:
                while self._left and not self.stopped.is_set():
                    self._ended.wait(GLANCE)  # a wait without end would not notice Ctrl-C
        finally:
            self.stopped.set()
            self.stop()
            self.wait_for_workers()
        if self._failures:
            raise self._failures[0]

    def wait_for_workers(self) -> None:
        """Give those that are about to end the time to."""
        deadline = time.monotonic() + self.patience
        with self._ended:
            while self._left > self.waiting() and time.monotonic() < deadline:
                self._ended.wait(GLANCE)

    def _run_and_report(self) -> None:
        """Keep what goes wrong in a thread for everybody, unless all are being stopped anyway."""
        try:
            self.work()
        except BaseException as error:  # noqa: BLE001 - raised again by `run`, in the main thread
            if not self.stopped.is_set():
                self._failures.append(error)
                self.stopped.set()
        finally:
            with self._ended:
                self._left -= 1
                self._ended.notify()
