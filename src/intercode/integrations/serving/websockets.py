"""WebSockets as uvicorn speaks them, but messages that are not whole yet have limits too: of size and of time."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame

from intercode.integrations.serving.memory import FULL, MemoryShare, MessageMemory
from intercode.web_connections import REQUEST_SECONDS, STALL_SECONDS, Timer

FRAME = 64
"""Bytes that a part of a message takes beside what is in it."""

TRY_AGAIN = 1013

MALFORMED = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """One connection. What it has sent of a message is held in `memory`, which all connections of a server share."""

    memory: ClassVar[MessageMemory]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See uvicorn."""
        super().connection_made(transport)
        self._share, self._parts = MemoryShare(self.memory), 0
        self._message = Timer(REQUEST_SECONDS, self.transport.abort)
        self._stall = Timer(STALL_SECONDS, self.transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        """See uvicorn."""
        self._message.stop()
        self._stall.stop()
        self._share.hold(0)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """See uvicorn."""
        super().data_received(data)
        if not self.handshake_initiated:  # the library says nothing of an opening with too many headers, and waits
            self.transport.write(MALFORMED)
            self.transport.close()
            return
        unfinished = len(self.conn.reader.buffer) + self._parts
        if not self._share.hold(unfinished) and not self.close_sent:
            self.conn.fail(TRY_AGAIN, FULL)
            self.handle_parser_exception()
        if unfinished:
            self._message.start()
        else:
            self._message.stop()

    def handle_events(self) -> None:
        """See uvicorn."""
        super().handle_events()
        if not self.writable.is_set():  # each ping is answered: whoever reads no answers sends no more of them
            self.transport.pause_reading()

    def handle_text(self, event: Frame) -> None:
        """See uvicorn."""
        self._count(event)
        super().handle_text(event)

    def handle_bytes(self, event: Frame) -> None:
        """See uvicorn."""
        self._count(event)
        super().handle_bytes(event)

    def handle_cont(self, event: Frame) -> None:
        """See uvicorn."""
        self._count(event)
        super().handle_cont(event)

    def _count(self, event: Frame) -> None:
        """A part of a message came; with the last one it is whole, and others count it."""
        self._parts = 0 if event.fin else self._parts + len(event.data) + FRAME

    def pause_writing(self) -> None:
        """See uvicorn."""
        super().pause_writing()
        self.transport.pause_reading()
        self._stall.start()

    def resume_writing(self) -> None:
        """See uvicorn."""
        self._stall.stop()
        super().resume_writing()
        if not self.read_paused:
            self.transport.resume_reading()

    async def receive(self) -> Any:
        """See ASGI."""
        message = await super().receive()
        if not self.writable.is_set() and not self.transport.is_closing():
            self.transport.pause_reading()
        return message


def protocol_with(memory: MessageMemory) -> type[WebSocketProtocol]:
    """Return the protocol of a server whose connections share *memory*."""
    return type("WebSocketProtocol", (WebSocketProtocol,), {"memory": memory})
