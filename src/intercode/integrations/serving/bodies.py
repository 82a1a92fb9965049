"""Requests over HTTP: a limit on the body of each, and on all that are not answered yet."""

from __future__ import annotations

import re

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from intercode.integrations.serving.memory import FULL, MAX_MESSAGE, MemoryShare, MessageMemory

TOO_LARGE = f"a request may have {MAX_MESSAGE} bytes"

LENGTH = re.compile("[0-9]{1,9}")


class LimitedBodies:
    """Lets requests through to *app* whose bodies are no longer than one may be, and find room beside all others."""

    def __init__(self, app: ASGIApp, memory: MessageMemory) -> None:
        self._app, self._memory = app, memory

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        length = Headers(scope=scope).get("content-length", "0")
        if not LENGTH.fullmatch(length) or int(length) > MAX_MESSAGE:
            await _discard(receive)
            await JSONResponse({"detail": TOO_LARGE}, 413)(scope, receive, send)
            return
        share, size = MemoryShare(self._memory), 0

        async def receive_counted() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > MAX_MESSAGE or not share.hold(size):
                share.hold(0)
                if message.get("more_body"):
                    await _discard(receive)
                raise HTTPException(413, TOO_LARGE) if size > MAX_MESSAGE else HTTPException(503, FULL)
            return message

        try:
            await self._app(scope, receive_counted, send)
        finally:
            share.hold(0)


async def _discard(receive: Receive) -> None:
    """Read on and keep nothing: a client that is cut off while it sends does not hear the answer."""
    left, more = 4 * MAX_MESSAGE, True
    while more and left > 0:
        message = await receive()
        left -= len(message.get("body", b""))
        more = bool(message.get("more_body"))
