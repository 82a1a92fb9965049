"""What each turn changed, for the page: episodes are played again when somebody asks, and what came of it is kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any

from intercode.audit.replay.turn_changes import ChangeReplayer, to_json
from intercode.errors import IntercodeError
from intercode.runs.episode_record import Key
from intercode.types import trajectories
from intercode.view.index import RunIndex

KEPT = 64
"""Episodes whose changes are kept."""


@dataclass
class ChangeService:
    """Plays episodes again, one of each run at a time. *unsafe*: also where nothing guards this machine."""

    unsafe: bool = False
    _replayers: dict[str, ChangeReplayer] = field(default_factory=dict)
    _kept: OrderedDict[str, dict[str, Any]] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def changes(self, index: RunIndex, key: Key) -> dict[str, Any]:
        """Return those of the episode *key*, without telling how it goes on.

        Raises:
            IntercodeError: If it cannot be played again here.
        """
        last: dict[str, Any] = {}
        for last in self.progress(index, key):  # noqa: B007 - the last is the answer
            pass
        return last

    def progress(self, index: RunIndex, key: Key) -> Iterator[dict[str, Any]]:
        """Yield how far it is (`turn`, `turns`, or a `message`), and at last `changes` or an `error`."""
        line = index.line(key)
        name = sha256(line).hexdigest()
        if name in self._kept:
            yield self._kept[name]
            return
        queue: SimpleQueue[dict[str, Any]] = SimpleQueue()
        worker = Thread(target=self._play, args=(index, line, queue), name="changes", daemon=True)
        worker.start()
        while True:
            event = queue.get()
            if "changes" in event:
                self._kept[name] = event
                while len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
            yield event
            if "changes" in event or "error" in event:
                return

    def close(self) -> None:
        """End all sandboxes and databases."""
        for each in self._replayers.values():
            each.close()
        self._replayers.clear()

    def _play(self, index: RunIndex, line: bytes, queue: SimpleQueue[dict[str, Any]]) -> None:
        try:
            episode = trajectories.loads(line)
            replayer = self._replayer(index, lambda text: queue.put({"message": text}))
            found = replayer.play(episode, lambda turn, turns: queue.put({"turn": turn, "turns": turns}))
        except IntercodeError as error:
            queue.put({"error": str(error)})
        except BaseException as error:
            queue.put({"error": f"a fault of ours: {type(error).__name__}: {error}"})
            raise
        else:
            queue.put({"error": found.error} if found.error else {"changes": to_json(found)})

    def _replayer(self, index: RunIndex, say: Any) -> ChangeReplayer:
        with self._lock:
            name = str(index.folder)
            if name not in self._replayers:
                made = ChangeReplayer(index.folder, index.manifest, unsafe=self.unsafe, say=say)
                self._replayers[name] = made
            return self._replayers[name]
