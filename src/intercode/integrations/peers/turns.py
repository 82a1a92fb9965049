"""Engines that ask a model, one text after another: the model's replies are somebody else's, in another thread."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from intercode.integrations.peers.base import Shown

MOST_REPLIES = 30
"""Empty replies that an engine gets which still asks when nothing more is said; then it is cancelled."""

GRACE = 5.0
"""Seconds that an engine gets to end, and once more when it is cancelled."""

SAY, RUN = "say", "run"


class NoReplyError(Exception):
    """Raised in an engine that asks without end."""


class EndlessError(Exception):
    """Raised where an engine was cancelled, since it asked on though nothing was said any more: it judges nothing."""


class Turns:
    """One event loop in a thread of its own, and the engine that runs there.

    An engine calls `ask` for each reply. `begin`, `reply` and `finish` are called from outside, and wait until the
    engine asks again or ends.
    """

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True, name="engine").start()
        self._asked: queue.Queue[Shown] = queue.Queue()
        self._replies: asyncio.Queue[tuple[str, str] | None] = asyncio.Queue()
        self._engine: Future[Any] | None = None

    # For who plays

    def begin(self, engine: Callable[[], Awaitable[Any]]) -> Shown:
        """Start *engine*; the one before is cancelled. What it raises before it asks anything is raised."""
        self.cancel()
        self._asked, self._replies = queue.Queue(), asyncio.Queue()
        self._engine = asyncio.run_coroutine_threadsafe(self._run(engine), self.loop)
        shown = self._wait()
        if shown.is_over:
            self._engine.result()
        return shown

    def reply(self, kind: str, text: str) -> Shown:
        """Reply to what was asked last."""
        if self._engine is None or self._engine.done():
            return Shown("", is_over=True)
        self.loop.call_soon_threadsafe(self._replies.put_nowait, (kind, text))
        return self._wait()

    def finish(self) -> Any:
        """Reply nothing any more, and return what the engine does.

        Raises:
            EndlessError: If it asks on for all that.
        """
        assert self._engine is not None
        for _ in range(MOST_REPLIES):
            if self._engine.done():
                break
            self.reply(SAY, "")
        else:
            self.cancel()
            raise EndlessError
        return self._engine.result()

    def cancel(self) -> None:
        """End the engine, if one runs."""
        if self._engine is not None and not self._engine.done():
            self.loop.call_soon_threadsafe(self._replies.put_nowait, None)
            try:
                self._engine.result(timeout=GRACE)
            except Exception:  # noqa: BLE001 - of an episode that nobody wants any more
                if self._engine.cancel():
                    self._wait_for_end()

    def _wait_for_end(self) -> None:
        """Wait until a cancelled engine has cleaned up: some do not let two run at once."""
        with suppress(queue.Empty):
            while not self._asked.get(timeout=GRACE).is_over:
                pass

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run something else in the loop, to its end."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    # For the engine

    async def ask(self, shown: str) -> tuple[str, str]:
        """Show the agent a text, and return the kind of its reply and the reply.

        Raises:
            NoReplyError: If nobody replies any more.
        """
        self._asked.put(Shown(shown))
        reply = await self._replies.get()
        if reply is None:
            raise NoReplyError
        return reply

    async def _run(self, engine: Callable[[], Awaitable[Any]]) -> Any:
        try:
            return await engine()
        finally:
            self._asked.put(Shown("", is_over=True))

    def _wait(self) -> Shown:
        shown = self._asked.get()
        if shown.is_over and self._engine is not None:
            self._engine.exception()  # until it is done
        return shown
