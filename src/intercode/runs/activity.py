"""What a run is doing at the moment, in a file of its folder: for whoever looks on from another process."""

from __future__ import annotations

import contextlib
import json
import os
import time
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

from intercode.runs.callback import ProgressCallback
from intercode.runs.episode_record import Key
from intercode.util.atomic_write import write_text
from intercode.util.regular_files import read_text

NAME = "activity.json"

EVERY = 0.2
"""Seconds between two writings, where there is something new."""

BEAT = 2.0
"""Seconds between two writings where there is nothing new: they tell that the run goes on."""

STALE = 3 * BEAT
"""Seconds without a writing after which nobody writes any more: the process was killed."""


class Activity(ProgressCallback):
    """Writes who plays which episode, in which turn, into the run's folder; removes it when the run is over.

    Where nothing can be written the run goes on without.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._lock, self._over = Lock(), Event()
        self._flights: dict[Key, dict[str, Any]] = {}
        self._total = self._finished = 0
        self._is_new = True
        self._thread: Thread | None = None

    def on_start(self, total: int, finished: int, successes: int) -> None:
        self._total, self._finished = total, finished
        self._thread = Thread(target=self._write_on, name="activity", daemon=True)
        self._thread.start()

    def on_reset(self, episode: Key) -> None:
        self._change(episode, {"task": episode[0], "repeat": episode[1], "turn": 0, "since": time.time()})

    def on_step(self, episode: Key, turn: int) -> None:
        with self._lock:
            flight = self._flights.get(episode, {})
        self._change(episode, {**flight, "turn": turn, "step_since": time.time()})

    def on_episode_end(self, episode: Key, success: bool | None, error: str) -> None:
        with self._lock:
            self._flights.pop(episode, None)
            self._finished += 1
            self._is_new = True

    def close(self) -> None:
        """The run is over: nobody is at work."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)

    def _change(self, episode: Key, flight: dict[str, Any]) -> None:
        with self._lock:
            self._flights[episode] = flight
            self._is_new = True

    def _write_on(self) -> None:
        last = 0.0
        while True:
            now = time.monotonic()
            with self._lock:
                is_due = self._is_new or now - last >= BEAT
                self._is_new = False
                data = {"process": os.getpid(), "total": self._total, "finished": self._finished}
                text = json.dumps(data | {"workers": list(self._flights.values())}) if is_due else ""
            if text:
                last = now
                self._write(text)
            if self._over.wait(EVERY):
                return

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError):
            write_text(self._path, text)


def read(folder: Path) -> dict[str, Any] | None:
    """Return what the run in *folder* is doing; None where nobody plays it."""
    path = folder / NAME
    try:
        if time.time() - path.stat().st_mtime > STALE:
            return None
        found = json.loads(read_text(path, within=folder))
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
