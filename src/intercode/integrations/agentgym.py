"""The routes that AgentGym's clients ask: an environment is made, begun by the index of a task, and stepped.

Each of AgentGym's environments has a client of its own. Theirs for SQLGym has the plainest routes, which these follow.
What names an environment is a secret here and no number: who does not know it cannot reach the episode.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from msgspec import Struct
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from intercode.errors import UserError
from intercode.integrations.openenv import protocol
from intercode.integrations.openenv.http import read, reply, route, while_connected
from intercode.integrations.openenv.routes import OpenEnvRoutes
from intercode.integrations.serving.bodies import LimitedBodies
from intercode.integrations.serving.guard import TokenGuard
from intercode.integrations.serving.sessions import EpisodeSession, ServedSessions
from intercode.types import Action


class EnvRequest(Struct):
    """Which environment is meant: what `/create` returned."""

    env_idx: str


class ResetRequest(EnvRequest):
    """Which task is to begin, by its index in the data set."""

    item_id: int


class StepRequest(EnvRequest):
    """What to do: code, `submit`, `submit ANSWER` or `skip`."""

    action: str


class AgentGymRoutes:
    """Answers to AgentGym's clients, over the sessions of *pool*."""

    def __init__(self, pool: ServedSessions) -> None:
        self._pool = pool
        self._last_texts: WeakKeyDictionary[EpisodeSession, str] = WeakKeyDictionary()

    def all(self) -> list[Route]:
        """Return the routes."""
        return [
            route("GET", "/", self.ok),
            route("POST", "/create", self.create),
            route("POST", "/reset", self.reset),
            route("POST", "/step", self.step),
            route("GET", "/observation", self.observation),
            route("POST", "/close", self.close),
        ]

    async def ok(self, request: Request) -> Response:
        """Return whether somebody is there."""
        return reply("ok")

    async def create(self, request: Request) -> Response:
        """Make an environment; the name by which the other routes know it."""
        return reply((await self._pool.open()).id)

    async def reset(self, request: Request) -> Response:
        """Begin an episode: what is asked of the agent, and nothing beside it."""
        asked = await read(request, ResetRequest)
        session = self._pool.find(asked.env_idx)
        self._last_texts[session] = (await session.reset(task=asked.item_id)).text
        return reply([self._last_texts[session], None])

    async def step(self, request: Request) -> Response:
        """Take one action. What is given up has a reward of 0, as AgentGym wants a number."""
        asked = await read(request, StepRequest)
        session = self._pool.find(asked.env_idx)
        try:
            turn = await while_connected(request, session.act(Action.parse(asked.action)))
        except ClientDisconnect:
            await self._pool.close(session, "disconnected")
            raise
        moved = protocol.step_answer(session, turn)
        self._last_texts[session] = moved["observation"]["text"]
        answer = {"state": self._last_texts[session], "reward": moved["reward"] or 0.0, "done": moved["done"]}
        return reply(answer | {"info": moved["metadata"]})

    async def observation(self, request: Request) -> Response:
        """Return what the agent saw last."""
        session = self._pool.find(request.query_params.get("env_idx", ""))
        if session not in self._last_texts:
            raise UserError("no episode goes on: reset first")
        return reply(self._last_texts[session])

    async def close(self, request: Request) -> Response:
        """End the environment."""
        await self._pool.close(self._pool.find((await read(request, EnvRequest)).env_idx))
        return reply(True)


def make_app(pool: ServedSessions, *, description: str, token: str = "") -> ASGIApp:
    """Return the ASGI application that serves the sessions of *pool*. Its shutdown ends them all."""
    watch = OpenEnvRoutes(pool, "agentgym", description)
    routes = [
        *AgentGymRoutes(pool).all(),
        route("GET", "/health", watch.health),
        route("GET", "/metrics", watch.metrics),
    ]
    app = Starlette(routes=routes, lifespan=lambda app: pool.lifespan())
    return TokenGuard(LimitedBodies(app, pool.memory), token)
