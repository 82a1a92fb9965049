"""What a worker has to say. What nobody waits for is held back a little, so that much of it travels as one."""

from __future__ import annotations

import threading
import time
from collections.abc import Set
from contextlib import suppress

from intercode.runs.episode_record import Key
from intercode.runs.processes.messages import ChannelEnd, EpisodeFinished, EpisodeNews, ToWorker, WorkerMessage

DELAY = 0.1
"""Seconds that a message may be late for which nobody waits: a person who looks on does not see it."""


class Outbox:
    """Sends messages over *link* in the order in which any threads put them.

    One that nobody waits for goes at once where nothing was sent in the last *delay* seconds, else with the others that
    come until then. So who seldom has news tells it at once, and who has many tells them together. News of an episode
    that goes together with its end is left out.
    """

    def __init__(self, link: ChannelEnd[ToWorker], delay: float) -> None:
        self._link, self._delay = link, delay
        self._messages: list[WorkerMessage] = []
        self._last = float("-inf")
        self._guard = threading.Lock()
        self._is_waiting = threading.Event()
        threading.Thread(target=self._send_late, name="outbox", daemon=True).start()

    def put(self, message: WorkerMessage, *, urgent: bool = False) -> None:
        """Send *message*, and before it all that was put before: at once if it is *urgent*, else soon.

        Raises:
            OSError: If the other side has gone.
        """
        with self._guard:
            self._messages.append(message)
            if urgent or time.monotonic() - self._last >= self._delay:
                self._send()
            else:
                self._is_waiting.set()

    def flush(self) -> None:
        """Send what is there, now.

        Raises:
            OSError: If the other side has gone.
        """
        with self._guard:
            self._send()

    def _send(self) -> None:
        messages, self._messages = self._messages, []
        self._is_waiting.clear()
        if messages:
            self._last = time.monotonic()
            over = {each.record.key for each in messages if isinstance(each, EpisodeFinished)}
            self._link.send([each for each in messages if not _is_old(each, over)])

    def _send_late(self) -> None:
        with suppress(OSError):  # who listens finds out, and ends this process
            while True:
                self._is_waiting.wait()
                time.sleep(self._delay)
                self.flush()


def _is_old(message: WorkerMessage, over: Set[Key]) -> bool:
    """Return whether *message* is news of one of the episodes that are *over*."""
    return isinstance(message, EpisodeNews) and (message.task, message.repeat) in over
