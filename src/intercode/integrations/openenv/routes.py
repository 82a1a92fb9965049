"""The routes that are no WebSocket's: episodes over plain HTTP, the schemas, and what a watchdog asks."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from intercode import __version__
from intercode.integrations.openenv import protocol, turns
from intercode.integrations.openenv.http import read, reply, route, while_connected
from intercode.integrations.serving import metrics
from intercode.integrations.serving.sessions import ServedSessions

NO_MCP = "this server has no MCP; `intercode serve DATASET --mcp` is one"


class RpcRequest(msgspec.Struct):
    """What is read of a question in JSON-RPC, to answer that there is no answer."""

    id: int | Annotated[str, Meta(max_length=255)] | None = None


class OpenEnvRoutes:
    """Answers to HTTP requests. A session over HTTP is named by `session_id`, which `/reset` gives in its metadata."""

    def __init__(self, pool: ServedSessions, name: str, description: str) -> None:
        self._pool, self._name, self._description = pool, name, description

    def all(self) -> list[Route]:
        """Return the routes."""
        return [
            route("POST", "/reset", self.reset),
            route("POST", "/step", self.step),
            route("GET", "/state", self.state),
            route("POST", "/close", self.close),
            route("GET", "/schema", self.schema),
            route("GET", "/metadata", self.metadata),
            route("GET", "/health", self.health),
            route("GET", "/metrics", self.metrics),
            route("POST", "/mcp", self.mcp),
        ]

    async def reset(self, request: Request) -> Response:
        """Begin an episode: in the session that is named, else in a new one."""
        data = await read(request, dict[str, Any])
        name = data.pop("session_id", None)
        session = await self._pool.open() if name is None else self._pool.find(str(name))
        is_begun = name is not None
        try:
            answer = await while_connected(request, turns.reset(session, self._pool.tasks, data))
            is_begun = True
        except ClientDisconnect:
            is_begun = False
            raise
        finally:
            if not is_begun:
                await self._pool.close(session, "failed")
        return reply(answer)

    async def step(self, request: Request) -> Response:
        """Take one action in the session that is named; it ends where its client goes away meanwhile."""
        asked = await read(request, protocol.StepMessage)
        session = self._pool.find(asked.session_id)
        try:
            return reply(await while_connected(request, turns.step(session, asked.action, asked.timeout_s)))
        except ClientDisconnect:
            await self._pool.close(session, "disconnected")
            raise

    async def state(self, request: Request) -> Response:
        """Return the state of the session that is named; without a name, that of no episode."""
        name = request.query_params.get("session_id")
        return reply(protocol.NO_STATE if name is None else protocol.state_of(self._pool.find(name)))

    async def close(self, request: Request) -> Response:
        """End the session that is named."""
        await self._pool.close(self._pool.find((await read(request, protocol.SessionMessage)).session_id))
        return reply({"closed": True})

    async def schema(self, request: Request) -> Response:
        """Return the JSON schemas of actions, observations and states."""
        return reply(protocol.schema())

    async def metadata(self, request: Request) -> Response:
        """Return what this environment is."""
        return reply({"name": self._name, "description": self._description, "version": __version__})

    async def health(self, request: Request) -> Response:
        """Return whether the server takes episodes; `unhealthy` once it is about to stop."""
        is_well = not self._pool.is_draining
        return reply({"status": "healthy" if is_well else "unhealthy"}, 200 if is_well else 503)

    async def metrics(self, request: Request) -> Response:
        """Figures for Prometheus."""
        return Response(self._pool.metrics.text(), headers={"content-type": metrics.CONTENT_TYPE})

    async def mcp(self, request: Request) -> Response:
        """OpenEnv's servers have this route; this one says, as JSON-RPC, that it has no MCP."""
        try:
            number, code, message = (await read(request, RpcRequest)).id, -32601, NO_MCP
        except msgspec.MsgspecError:
            number, code, message = None, -32700, "not JSON"
        return reply({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}})
