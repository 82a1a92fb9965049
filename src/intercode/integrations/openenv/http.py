"""What all routes share: bodies with a limit, answers in JSON, failures as answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from intercode.decoding import decode
from intercode.integrations.openenv import protocol
from intercode.integrations.openenv.failures import FAILURES, describe

MAX_BODY = 8 << 20
"""The longest request, in bytes; also of messages over a WebSocket."""

Handler = Callable[[Request], Awaitable[Response]]

T = TypeVar("T")


async def read(request: Request, kind: type[T]) -> T:
    """The body of *request*.

    Raises:
        msgspec.MsgspecError: If it is no JSON of that form.
        HTTPException: If it is longer than `MAX_BODY`.
    """
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            raise HTTPException(413, f"a request may have {MAX_BODY} bytes")
    return decode(bytes(body) or b"{}", kind)


def reply(value: object, status: int = 200) -> Response:
    """*value* as a JSON response."""
    return Response(protocol.encode(value), status, media_type="application/json")


def route(method: str, path: str, handler: Handler) -> Route:
    """A route whose failures are answers: `{"detail": {message, code, error}}`."""

    async def answer(request: Request) -> Response:
        try:
            return await handler(request)
        except FAILURES as error:
            told, status = describe(error)
            return reply({"detail": told}, status)

    answer.__doc__ = handler.__doc__
    return Route(path, answer, methods=[method])
