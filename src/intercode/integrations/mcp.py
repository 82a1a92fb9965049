"""Episodes for MCP clients: a tool that begins one, the world's own tool, `submit` and `skip`.

MCP's newer protocol has no sessions, so `reset` gives the client a session's name, and the other tools take it. It is a
secret: who does not know it cannot reach the episode.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.types import ASGIApp

from intercode import __version__, world_specs
from intercode.integrations.openenv import protocol
from intercode.integrations.openenv.failures import FAILURES, describe
from intercode.integrations.openenv.server import ServerOptions, make_pool
from intercode.integrations.openenv.server import describe as describe_job
from intercode.integrations.serving.bodies import LimitedBodies
from intercode.integrations.serving.guard import TokenGuard
from intercode.integrations.serving.server import EpisodeServer
from intercode.integrations.serving.sessions import ServedSessions
from intercode.runs.job import prepare
from intercode.runs.settings import Settings
from intercode.types import Action
from intercode.world_specs import WorldSpec
from intercode.world_specs.tools import SKIP, tools

ABOUT = (
    "{}. Call reset to begin an episode; it returns the task and the name of your session, which the other tools take. "
    "Call submit when you are done: it returns the reward."
)

RESET = (
    "Begin an episode and return its task and session. Name a task by its id; without one, the next task comes, in an "
    "order that seed decides. Name a session of yours to use it again; without one, a new session is opened."
)

ONLY_CLIENT = "stdio"
"""The owner of all sessions, where there is one client."""

CONNECTION = "mcp-session-id"
"""The header that tells connections apart in MCP's older protocol."""


class EpisodeTools:
    """The tools of one world, over the sessions of *pool*."""

    def __init__(self, pool: ServedSessions) -> None:
        self._pool = pool

    async def reset(
        self, context: Context[Any, Any], task: str | None = None, seed: int | None = None, session: str | None = None
    ) -> dict[str, Any]:
        """Begin an episode in *session*, or in a new one."""
        owner = ONLY_CLIENT if context.headers is None else context.headers.get(CONNECTION)
        return await _tool_result(self._reset(task, seed, session, owner))

    async def act(self, session: str, code: str) -> dict[str, Any]:
        """Run code."""
        return await _tool_result(self._take(session, Action("execute", code)))

    async def submit(self, session: str, answer: str = "") -> dict[str, Any]:
        """Hand in."""
        return await _tool_result(self._take(session, Action("submit", answer)))

    async def skip(self, session: str) -> dict[str, Any]:
        """Give up."""
        return await _tool_result(self._take(session, Action("skip")))

    async def _reset(self, task: str | None, seed: int | None, name: str | None, owner: str | None) -> dict[str, Any]:
        session = self._pool.find(name) if name else await self._pool.open(owner)
        try:
            observation = await session.reset(seed=seed, task=task)
        except BaseException:
            if not name:
                await self._pool.close(session, "failed")
            raise
        return {"session": session.id, "task": session.env.task.id, "text": observation.text}

    async def _take(self, name: str, action: Action) -> dict[str, Any]:
        session = self._pool.find(name)
        turn = await session.act(action)
        told = protocol.step_answer(session, turn)
        if told["done"]:
            await self._pool.close(session)
        shown = {each: told["observation"][each] for each in ("text", "exit_code", "timed_out", "truncated")}
        return shown | {"reward": told["reward"], "done": told["done"], "scores": told["metadata"].get("scores")}


def make_server(pool: ServedSessions, world: WorldSpec, *, description: str) -> MCPServer[Any]:
    """Return an MCP server whose tools play the episodes of *pool* in *world*."""
    episodes = EpisodeTools(pool)
    action, submit, _ = tools(world)
    server: MCPServer[Any] = MCPServer(
        "intercode", version=__version__, instructions=ABOUT.format(description), log_level="ERROR"
    )
    server.add_tool(episodes.reset, "reset", description=RESET)
    server.add_tool(episodes.act, action.name, description=action.description)
    server.add_tool(episodes.submit, "submit", description=submit.description)
    server.add_tool(episodes.skip, "skip", description=SKIP.description)
    return server


def serve_stdio(settings: Settings, options: ServerOptions, *, say: Callable[[str], None]) -> None:
    """Serve the client at standard input and output until it is gone. *say* hears of slow beginnings.

    Raises:
        UserError: If an option is impossible.
        MachineError: If the world does not start.
    """

    async def run(server: MCPServer[Any], pool: ServedSessions) -> None:
        async with pool.lifespan():
            await server.run_stdio_async()

    with prepare(settings.changed(agent="human"), say=say) as job:
        job.try_out()
        pool = make_pool(job, options)
        asyncio.run(run(make_server(pool, world_specs.find(job.settings.world), description=describe_job(job)), pool))


def serve_http(
    settings: Settings, options: ServerOptions, *, say: Callable[[str], None], ready: Callable[[str], None]
) -> None:
    """Serve over streamable HTTP until SIGTERM or Ctrl-C; *ready* gets the address. Raises as `serve_stdio`."""
    with prepare(settings.changed(agent="human"), say=say) as job:
        job.try_out()
        pool = make_pool(job, options)
        server = make_server(pool, world_specs.find(job.settings.world), description=describe_job(job))
        app = make_app(server, pool, token=options.token)
        listening = EpisodeServer(app, pool, host=options.host, port=options.port, drain_seconds=options.drain_timeout)
        ready(f"{listening.url}/mcp")
        listening.run()


def make_app(server: MCPServer[Any], pool: ServedSessions, *, token: str = "") -> ASGIApp:
    """Return the same over streamable HTTP, at /mcp. Who may ask is decided by our `TokenGuard`."""
    from mcp.server.transport_security import TransportSecuritySettings

    inner = server.streamable_http_app(
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False)
    )

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with inner.router.lifespan_context(inner), pool.lifespan():
            yield

    app = Starlette(routes=[Mount("/", inner)], lifespan=lifespan)
    return TokenGuard(LimitedBodies(app, pool.memory), token)


async def _tool_result(work: Awaitable[dict[str, Any]]) -> dict[str, Any]:
    """Return what came of *work*; a failure is the tool's error, whose text the client sees."""
    try:
        return await work
    except FAILURES as error:
        raise ToolError(str(describe(error)[0]["message"])) from None
