"""NeMo Gym's resources server: /seed_session begins an episode, tools act in it, /verify judges it.

A row of the data set names its task at the top, as `rows` writes it. Sessions that are never verified are closed once
they are idle for `session_timeout` seconds.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from fastapi import FastAPI, HTTPException, Request
from nemo_gym.base_resources_server import (
    BaseResourcesServerConfig,
    BaseSeedSessionRequest,
    BaseSeedSessionResponse,
    BaseVerifyRequest,
    BaseVerifyResponse,
    SimpleResourcesServer,
)
from nemo_gym.server_utils import SESSION_ID_KEY
from pydantic import PrivateAttr

from intercode import datasets, worlds
from intercode.conversation import ToolCall
from intercode.integrations.openenv import protocol
from intercode.integrations.openenv.failures import FAILURES, describe
from intercode.integrations.openenv.server import ServerOptions, make_pool
from intercode.integrations.scored_tasks import scored_tasks
from intercode.integrations.serving.sessions import EpisodeSession, SessionPool
from intercode.models.core.chat_protocol import tools_to_json
from intercode.runs.job import Job, prepare
from intercode.runs.settings import Settings
from intercode.types import Action
from intercode.worlds import prompts
from intercode.worlds.tools import read_call, tools


class IntercodeResourcesServerConfig(BaseResourcesServerConfig):
    """What is served. Other options of a run, such as `turns` and `sandbox`, are `settings`."""

    dataset: str = "starter"
    settings: dict[str, Any] = {}
    max_sessions: int = 256
    session_timeout: float = 600.0


class IntercodeSeedRequest(BaseSeedSessionRequest):
    """Which task an episode is of."""

    task: str


class IntercodeVerifyResponse(BaseVerifyResponse):
    """The reward, and both scores; none where the episode was given up."""

    scores: dict[str, Any]


class IntercodeResourcesServer(SimpleResourcesServer):
    """Episodes of one data set: one a session, in an environment of its own.

    A failure of the machine is a status 500, never a reward of 0.
    """

    config: IntercodeResourcesServerConfig
    _job: Job = PrivateAttr()
    _pool: SessionPool = PrivateAttr()
    _episodes: dict[str, EpisodeSession] = PrivateAttr(default_factory=dict)

    def setup_webserver(self) -> FastAPI:
        """The application: a route for each tool of the world, beside those of every resources server."""
        settings = Settings(agent="human", dataset=self.config.dataset).changed(**self.config.settings)
        self._job = prepare(settings)
        limits = ServerOptions(max_sessions=self.config.max_sessions, session_timeout=self.config.session_timeout)
        self._pool = make_pool(self._job, limits)
        app: FastAPI = super().setup_webserver()
        for tool in tools(worlds.find(self._job.settings.world)):
            app.post(f"/{tool.name}")(self._tool(tool.name))
        inner = app.router.lifespan_context

        @asynccontextmanager
        async def lifespan(application: FastAPI) -> AsyncIterator[Any]:
            try:
                async with inner(application) as state, self._pool.lifespan():
                    yield state
            finally:
                self._job.close()

        app.router.lifespan_context = lifespan
        return app

    async def seed_session(self, request: Request, body: IntercodeSeedRequest) -> BaseSeedSessionResponse:
        """Begin an episode; one that the session had before is given up."""
        await self._drop(request)
        with _answer_failures():
            session = await self._pool.open()
            self._forget_finished()
            try:
                await session.reset(task=body.task)
            except BaseException:
                await self._pool.close(session, "failed")
                raise
            self._episodes[request.session[SESSION_ID_KEY]] = session
        return BaseSeedSessionResponse()

    async def verify(self, request: Request, body: BaseVerifyRequest) -> IntercodeVerifyResponse:
        """Judge the episode, which is handed in as it stands unless it has ended, and end the session.

        What was given up earns 0, and has no scores.
        """
        session = self._session(request)
        try:
            with _answer_failures():
                if session.in_episode:
                    await session.act(Action("submit"))
        finally:
            await self._drop(request)
        status, turn = session.env.status, session.env.history[-1] if session.env.history else None
        if status == "error" or turn is None or (turn.scores is None and status != "skipped"):
            raise HTTPException(500, f"the episode was not judged: it ended as {status}")
        scores = turn.scores or {}
        reward = scores[session.env.scoring].value if scores else 0.0  # of the whole episode, whatever the turn earned
        return IntercodeVerifyResponse(**body.model_dump(), reward=reward, scores=protocol.scores_to_json(scores))

    def _tool(self, name: str) -> Any:
        async def call(request: Request) -> dict[str, Any]:
            session = self._session(request)
            world = session.env.world_spec
            with _answer_failures():
                action = read_call(
                    world, ToolCall("", name, (await request.body()).decode("utf-8", "replace")), tools(world)
                )
                turn = await session.act(action)
            return {"output": turn.observation.text, "done": session.env.status is not None}

        return call

    def _session(self, request: Request) -> EpisodeSession:
        found = self._episodes.get(request.session[SESSION_ID_KEY])
        if found is None or found.ended.is_set():
            raise HTTPException(409, "no episode goes on in this session: /seed_session begins one")
        return found

    async def _drop(self, request: Request) -> None:
        session = self._episodes.pop(request.session[SESSION_ID_KEY], None)
        if session is not None:
            await self._pool.close(session)

    def _forget_finished(self) -> None:
        self._episodes = {name: each for name, each in self._episodes.items() if not each.ended.is_set()}


def rows(dataset: str = "starter") -> list[dict[str, Any]]:
    """A data set as NeMo Gym wants it: one row for each task that can be judged.

    It has the question and the tools, and not the gold.
    """
    found = datasets.load(dataset)
    prompt = prompts.find("tool_use", found.world)
    system = {"role": "system", "content": prompt.part("system", shell=prompts.shell("fresh"))}
    offered = [
        {"type": "function", "strict": False, **each["function"]}
        for each in tools_to_json(tools(worlds.find(found.world)))
    ]
    return [
        {
            "task": task.id,
            "responses_create_params": {
                "input": [system, {"role": "user", "content": prompt.part("first", query=task.query)}],
                "tools": offered,
            },
        }
        for task in scored_tasks(found)
    ]


@contextmanager
def _answer_failures() -> Iterator[None]:
    """Failures are answers with a status of their own."""
    try:
        yield
    except FAILURES as error:
        told, status = describe(error)
        raise HTTPException(status, told) from error
