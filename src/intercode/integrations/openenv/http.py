"""What all routes share: bodies with a limit, answers in JSON, failures as answers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from intercode.integrations.openenv import protocol
from intercode.integrations.openenv.failures import FAILURES, describe
from intercode.util.decoding import decode

Handler = Callable[[Request], Awaitable[Response]]

T = TypeVar("T")


async def read(request: Request, kind: type[T]) -> T:
    """Return the body of *request*.

    Raises:
        msgspec.MsgspecError: If it is no JSON of that form.
        HTTPException: If it is too long, or there is no room for it.
    """
    return decode(await request.body() or b"{}", kind)


async def while_connected(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Do *work*, which is stopped where the client of *request* goes away meanwhile.

    Raises:
        ClientDisconnect: If it went.
    """
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(_leaving(request))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnect
        return working.result()
    finally:
        working.cancel()
        leaving.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


async def _leaving(request: Request) -> None:
    """Wait until the client of *request*, whose body is read, goes away."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def reply(value: object, status: int = 200) -> Response:
    """Return *value* as a JSON response."""
    return Response(protocol.encode(value), status, media_type="application/json")


def route(method: str, path: str, handler: Handler) -> Route:
    """Return a route whose failures are answers: `{"detail": {message, code, error}}`."""

    async def answer(request: Request) -> Response:
        try:
            return await handler(request)
        except ClientDisconnect:
            return Response(status_code=400)  # nobody reads it
        except FAILURES as error:
            told, status = describe(error)
            return reply({"detail": told}, status)

    answer.__doc__ = handler.__doc__
    return Route(path, answer, methods=[method])
