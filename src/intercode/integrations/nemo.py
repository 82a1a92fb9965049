"""NeMo Gym's resources server: /seed_session begins an episode, tools act in it, /verify judges it.

A row of the data set names its task at the top, as `rows` writes it. Sessions that are neither verified nor
closed (/close_session) end once they are idle for `session_timeout` seconds. Since NeMo Gym 0.7 whoever seeds a session
may name it.
"""

from __future__ import annotations

from collections import OrderedDict
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
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

from intercode import datasets, world_specs
from intercode.integrations.openenv import protocol
from intercode.integrations.openenv.failures import FAILURES, describe
from intercode.integrations.openenv.server import ServerOptions, make_pool
from intercode.integrations.scored_tasks import scored_tasks
from intercode.integrations.serving.sessions import EpisodeSession, ServedSessions
from intercode.models.core.chat_protocol import tools_to_json
from intercode.runs.job import Job, prepare
from intercode.runs.settings import Settings
from intercode.types import Action
from intercode.types.conversation import ToolCall
from intercode.world_specs import prompts
from intercode.world_specs.tools import read_call, tools


class IntercodeResourcesServerConfig(BaseResourcesServerConfig):
    """What is served. Other options of a run, such as `turns` and `sandbox`, are `settings`."""

    dataset: str = "starter"
    settings: dict[str, Any] = {}
    max_sessions: int = 256
    session_timeout: float = 600.0


class IntercodeSeedRequest(BaseSeedSessionRequest):
    """Which task an episode is of."""

    task: str


class IntercodeNamedSeedRequest(BaseModel):
    """The same from an environment server, which names the session itself; the task is in its data, or named."""

    model_config = ConfigDict(extra="forbid")

    resources_session_id: str = Field(min_length=1)
    episode_id: dict[str, Any]
    task_id: dict[str, Any]
    task_data: dict[str, Any]

    @property
    def task(self) -> str:
        """The name of the task."""
        return str(self.task_data.get("task") or self.task_id["task_id"])


class IntercodeNamedSeedResponse(BaseModel):
    """The session's name."""

    resources_session_id: str


class IntercodeCloseRequest(BaseModel):
    """Which session ends."""

    model_config = ConfigDict(extra="forbid")

    resources_session_id: str = Field(min_length=1)
    episode_id: dict[str, Any] = {}


class IntercodeVerifyResponse(BaseVerifyResponse):
    """The reward, and both scores; none where the episode was given up, or the machine broke it.

    Then `mask_sample` says so, for NeMo Gym since 0.7: the reward is none.
    """

    scores: dict[str, Any]
    mask_sample: bool = False
    failure_reason: str | None = None


CAN_MASK = "mask_sample" in BaseVerifyResponse.model_fields
"""Whether this NeMo Gym leaves masked samples out of its figures."""

MOST_CLOSED = 100_000
"""Names of closed sessions that are remembered, so that a seed that comes late begins none."""


class IntercodeResourcesServer(SimpleResourcesServer):
    """Episodes of one data set: one a session, in an environment of its own.

    A failure of the machine is a masked sample or, before NeMo Gym 0.7, a status 500: never a reward of 0.
    """

    config: IntercodeResourcesServerConfig
    _job: Job = PrivateAttr()
    _pool: ServedSessions = PrivateAttr()
    _episodes: dict[str, EpisodeSession] = PrivateAttr(default_factory=dict)
    _seeded: dict[str, dict[str, Any]] = PrivateAttr(default_factory=dict)
    _closed: OrderedDict[str, None] = PrivateAttr(default_factory=OrderedDict)

    def setup_webserver(self) -> FastAPI:
        """Return the application: a route for each tool of the world, beside those of every resources server."""
        settings = Settings(agent="human", dataset=self.config.dataset).changed(**self.config.settings)
        self._job = prepare(settings)
        limits = ServerOptions(max_sessions=self.config.max_sessions, session_timeout=self.config.session_timeout)
        self._pool = make_pool(self._job, limits)
        app: FastAPI = super().setup_webserver()
        if not hasattr(SimpleResourcesServer, "close_resources_session"):
            app.post("/close_session")(self.close_resources_session)
        for tool in tools(world_specs.find(self._job.settings.world)):
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

    async def seed_session(
        self, request: Request, body: IntercodeNamedSeedRequest | IntercodeSeedRequest
    ) -> IntercodeNamedSeedResponse | BaseSeedSessionResponse:
        """Begin an episode; one that the session had before is given up, unless it is seeded again by its name."""
        if isinstance(body, IntercodeSeedRequest):
            await self._drop(request.session[SESSION_ID_KEY])
            await self._begin(request.session[SESSION_ID_KEY], body.task)
            return BaseSeedSessionResponse()
        name = request.session[SESSION_ID_KEY] = body.resources_session_id
        if name in self._closed:
            raise HTTPException(409, "this session is closed: /seed_session begins one by another name")
        if self._seeded.setdefault(name, body.episode_id) != body.episode_id:
            raise HTTPException(409, "this session is another episode's: /seed_session begins one by another name")
        if name not in self._episodes:
            await self._begin(name, body.task)
        return IntercodeNamedSeedResponse(resources_session_id=name)

    async def _begin(self, name: str, task: str) -> None:
        with _answer_failures():
            session = await self._pool.open()
            self._forget_finished()
            try:
                await session.reset(task=task)
            except BaseException:
                self._seeded.pop(name, None)
                await self._pool.close(session, "failed")
                raise
            self._episodes[name] = session

    async def close_resources_session(self, body: IntercodeCloseRequest) -> IntercodeNamedSeedResponse:
        """End a session that was seeded by this name, if it is there. Nothing begins by this name again."""
        name = body.resources_session_id
        self._closed[name] = None
        try:
            await self._drop(name)
        except BaseException:
            del self._closed[name]
            raise
        while len(self._closed) > MOST_CLOSED:
            self._closed.popitem(last=False)
        return IntercodeNamedSeedResponse(resources_session_id=name)

    async def verify(self, request: Request, body: BaseVerifyRequest) -> IntercodeVerifyResponse:
        """Judge the episode, which is handed in as it stands unless it has ended, and end the session.

        What was given up earns 0, and has no scores.
        """
        session = self._session(request)
        try:
            with _answer_failures():
                if session.in_episode:
                    await session.act(Action("submit"))
        except HTTPException as error:
            if error.status_code < 500:
                raise
            return _unjudged(body, str(error.detail))
        finally:
            await self._drop(request.session[SESSION_ID_KEY])
        status, turn = session.env.status, session.env.history[-1] if session.env.history else None
        if status == "error" or turn is None or (turn.scores is None and status != "skipped"):
            return _unjudged(body, f"the episode was not judged: it ended as {status}")
        scores = turn.scores or {}
        reward = (
            scores[session.env.leading_reward].value if scores else 0.0
        )  # of the whole episode, whatever the turn earned
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

    async def _drop(self, name: str) -> None:
        self._seeded.pop(name, None)
        session = self._episodes.pop(name, None)
        if session is not None:
            await self._pool.close(session)

    def _forget_finished(self) -> None:
        self._episodes = {name: each for name, each in self._episodes.items() if not each.ended.is_set()}


def _unjudged(body: BaseVerifyRequest, why: str) -> IntercodeVerifyResponse:
    """Return a sample that counts nowhere, where NeMo Gym knows such.

    Raises:
        HTTPException: Where it does not.
    """
    if not CAN_MASK:
        raise HTTPException(500, why)
    return IntercodeVerifyResponse(**body.model_dump(), reward=0.0, scores={}, mask_sample=True, failure_reason=why)


def rows(dataset: str = "starter") -> list[dict[str, Any]]:
    """Return a data set as NeMo Gym wants it: one row for each task that can be judged.

    It has the question and the tools, and not the gold.
    """
    found = datasets.load(dataset)
    prompt = prompts.find("tool_use", found.world)
    system = {"role": "system", "content": prompt.part("system", shell=prompts.shell("fresh"))}
    offered = [
        {"type": "function", "strict": False, **each["function"]}
        for each in tools_to_json(tools(world_specs.find(found.world)))
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
