"""Connections of our web servers: none stays that never ends its request, never reads an answer, or is one too many.

uvicorn waits for all of these without end, before anybody is asked for a token.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_SECONDS = 20.0
"""Seconds from a request's first byte, or from the connection's beginning, to its last one."""

STALL_SECONDS = 30.0
"""Seconds for which a client may read nothing while an answer waits for it."""

MOST = 1024
"""Connections at once; one more is closed as it comes."""


class Timer:
    """Calls *action* after *seconds* unless it is stopped. Starting one that runs changes nothing."""

    def __init__(self, seconds: float, action: Any) -> None:
        self._seconds, self._action = seconds, action
        self._handle: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Begin to count, unless it counts already."""
        if self._handle is None:
            self._handle = asyncio.get_running_loop().call_later(self._seconds, self._action)

    def stop(self) -> None:
        """Count no more."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None


class HttpProtocol(H11Protocol):
    """HTTP as uvicorn speaks it, with an end to its patience."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """See uvicorn."""
        super().connection_made(transport)
        self._request = Timer(REQUEST_SECONDS, transport.abort)
        self._stall = Timer(STALL_SECONDS, transport.abort)
        self._request.start()
        if len(self.connections) > MOST:
            transport.abort()

    def data_received(self, data: bytes) -> None:
        """See uvicorn."""
        self._request.start()
        super().data_received(data)
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):  # all of the request is here
            self._request.stop()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """See uvicorn."""
        self._request.stop()
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        """See uvicorn."""
        self._request.stop()
        self._stall.stop()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """See uvicorn."""
        super().pause_writing()
        self._stall.start()

    def resume_writing(self) -> None:
        """See uvicorn."""
        self._stall.stop()
        super().resume_writing()
