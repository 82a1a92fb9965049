"""What clients have sent and nobody has answered yet: there is a limit for all of them together."""

from __future__ import annotations

MAX_MESSAGE = 8 << 20
"""Bytes of the longest request, of the longest message over a WebSocket, and of all of a client's that wait."""

TOGETHER = 64 << 20
"""Bytes of all requests and messages at once, without the small ones."""

SMALL = 64 << 10
"""Bytes that each client may send however much others have sent."""

FULL = "too much waits for an answer already: try again later"


class MessageMemory:
    """The room for all requests and messages that are not answered yet."""

    def __init__(self, most: int = TOGETHER) -> None:
        self.most, self.used = most, 0


class MemoryShare:
    """What one client holds of *memory*."""

    def __init__(self, memory: MessageMemory) -> None:
        self._memory, self._counted = memory, 0

    def hold(self, size: int) -> bool:
        """Hold *size* bytes in place of what was held before, if there is room for them; return whether there is."""
        counted = max(0, size - SMALL)
        used = self._memory.used + counted - self._counted
        if counted > self._counted and used > self._memory.most:
            return False
        self._memory.used, self._counted = used, counted
        return True
