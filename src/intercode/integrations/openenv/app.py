"""The application: OpenEnv's routes over the sessions of a pool."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from intercode.integrations.openenv.http import reply
from intercode.integrations.openenv.routes import OpenEnvRoutes
from intercode.integrations.openenv.socket import serve_socket
from intercode.integrations.openenv.tasks import TaskRoutes
from intercode.integrations.serving.bodies import LimitedBodies
from intercode.integrations.serving.guard import TokenGuard
from intercode.integrations.serving.sessions import ServedSessions

ENV_NAME = "intercode"
"""What the task routes call the environment."""


def make_app(
    pool: ServedSessions, *, description: str, token: str = "", on_close: Callable[[], None] = lambda: None
) -> ASGIApp:
    """Return the ASGI application that serves the sessions of *pool*.

    Its shutdown ends them all, and calls *on_close* then.
    """
    routes = [*OpenEnvRoutes(pool, ENV_NAME, description).all(), *TaskRoutes(pool.tasks, ENV_NAME).all()]
    document = _openapi(routes)

    async def openapi(request: Request) -> Response:
        return reply(document)

    async def socket(websocket: WebSocket) -> None:
        await serve_socket(websocket, pool)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        try:
            async with pool.lifespan():
                yield
        finally:
            on_close()

    app = Starlette(
        routes=[*routes, Route("/openapi.json", openapi), WebSocketRoute("/ws", socket)],
        exception_handlers={HTTPException: _refuse},
        lifespan=lifespan,
    )
    return TokenGuard(LimitedBodies(app, pool.memory), token)


async def _refuse(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return reply({"detail": error.detail}, error.status_code)


def _openapi(routes: list[Route]) -> dict[str, Any]:
    """Return what `openenv validate` asks of a server: its version, and which routes it has."""
    paths: dict[str, Any] = {}
    for each in routes:
        for method in sorted((each.methods or set()) - {"HEAD"}):
            summary = (each.endpoint.__doc__ or "").partition("\n")[0]
            answers = {"200": {"description": "JSON"}}
            paths.setdefault(each.path, {})[method.lower()] = {"summary": summary, "responses": answers}
    return {"openapi": "3.1.0", "info": {"title": "InterCode", "version": "1.0.0"}, "paths": paths}
