"""What happens in the runs while somebody looks on, as server-sent events: told from the files alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from intercode.errors import BadDataError
from intercode.runs import activity
from intercode.view import rows
from intercode.view.encoding import encode
from intercode.view.library import RunLibrary

EVERY = 0.25
"""Seconds between two looks at the files."""

BEAT = 60
"""Looks without any news after which a line is sent all the same, so that a lost connection is noticed."""


@dataclass
class EventStream:
    """One reader's stream. It begins with where every run stands; a page that knows other numbers asks for the rest."""

    library: RunLibrary
    is_gone: Callable[[], Awaitable[bool]]
    _known: dict[str, tuple[str, int]] = field(default_factory=dict)
    _doing: dict[str, Any] = field(default_factory=dict)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the events, until the reader is gone."""
        quiet = 0
        yield b"retry: 500\n\n"
        while not await self.is_gone():
            events = await asyncio.to_thread(self._news)
            for event in events:
                yield b"data: " + encode(event) + b"\n\n"
            quiet = 0 if events else quiet + 1
            if quiet >= BEAT:
                quiet = 0
                yield b": still here\n\n"
            await asyncio.sleep(EVERY)

    def _news(self) -> list[dict[str, Any]]:
        self.library.refresh()
        names = list(self.library.runs)
        found = [event for name in names for event in self._news_of(name)]
        if gone := self._known.keys() - set(names):
            for name in gone:
                del self._known[name]
        return found

    def _news_of(self, name: str) -> list[dict[str, Any]]:
        try:
            index = self.library.find(name)
        except BadDataError:
            return []
        found: list[dict[str, Any]] = []
        state = (index.generation, index.count)
        if self._known.get(name) != state:
            before = self._known.get(name)
            self._known[name] = state
            event = {"event": "stored", "run": name, "generation": state[0], "count": state[1]}
            if before is not None and before[0] == state[0]:
                event |= {
                    "after": before[1],
                    "rows": [
                        rows.as_row(e.outline, index.manifest.leading_reward) for e in index.entries_after(before[1])
                    ],
                }
            found.append(event)
        doing = activity.read(index.folder)
        if doing != self._doing.get(name):
            self._doing[name] = doing
            found.append({"event": "activity", "run": name, "activity": doing})
        return found
