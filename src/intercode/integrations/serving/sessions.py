"""Sessions: each client plays in an environment of its own, and none of them outlives its client for long."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from typing import Literal

from gymnasium.utils import seeding

from intercode.env import task_order
from intercode.env.async_env import AsyncEnv
from intercode.env.env import Env
from intercode.errors import MachineError, UserError
from intercode.integrations.serving.logs import log_event
from intercode.integrations.serving.memory import MessageMemory
from intercode.integrations.serving.metrics import Metrics
from intercode.integrations.serving.served_tasks import ServedTasks
from intercode.types import Action, Observation, Turn

Reason = Literal["closed", "disconnected", "idle", "replaced", "failed", "stopped"]
"""Why a session ended: its client closed it or is gone, it was idle, its client opened another and there was no room
for both, a bug broke it, or the server stopped."""

THREADS = 32
"""How many actions run at once unless told. Most of them wait for programs in sandboxes."""


class RefusedError(UserError):
    """The server takes no more sessions or episodes: there are too many, or it is about to stop."""


class UnknownSessionError(UserError):
    """No session has that id; it may have ended."""


class EpisodeSession:
    """The episodes of one client, one after the other. `ServedSessions.open` makes it, `ServedSessions.close` ends it.

    A call that is cancelled, as where a client is gone, leaves nothing behind: see `AsyncEnv`.

    Attributes:
        id: A secret: whoever knows it can go on with the session.
        env: The environment, for looking at. Only `reset` and `act` change it.
        ended: Set once the session is over; `reason` says why.
        steps: How many actions were taken in the episode.
        episode_id: What the client calls the episode.
        owner: What tells the client's sessions from others'; None where nothing does.
    """

    def __init__(self, pool: ServedSessions, env: Env, owner: str | None = None) -> None:
        self.id, self.owner = secrets.token_urlsafe(16), owner
        self.env = env
        self.ended = asyncio.Event()
        self.reason: Reason = "closed"
        self.steps, self.episode_id = 0, ""
        self.last_used, self.is_busy = time.monotonic(), False
        self._pool, self._has_begun = pool, False
        self._calls = AsyncEnv(env, pool=pool.workers)
        self._order: list[int] = []
        self._random, _ = seeding.np_random()

    @property
    def in_episode(self) -> bool:
        """Return whether an episode has begun and not ended."""
        return self._has_begun and self.env.status is None

    async def reset(self, *, seed: int | None = None, task: int | str | None = None) -> Observation:
        """Begin an episode of *task* (an index or an id; None: the next one of an order that *seed* decides).

        Raises:
            RefusedError: If the server is about to stop.
            UserError: For an unknown task.
            MachineError: If the world does not start.
        """
        self._pool.check_open()
        if seed is not None:
            self._order, (self._random, _) = [], seeding.np_random(seed)
        options = {} if task is None else {"task": task}
        chosen = task_order.choose(self._pool.tasks, options, self._order, self._random)
        with self._one_call("reset"):
            self.steps, self._has_begun = 0, False
            _, info = await self._calls.areset(seed=seed, options={"task": chosen.id})
            self._has_begun = True
        observation: Observation = info["observation"]
        return observation

    async def act(self, action: Action, *, seconds: float | None = None) -> Turn:
        """Take *action*; it is stopped after *seconds*.

        Raises:
            UserError: If there is no episode.
            MachineError: If it was lost.
        """
        with self._one_call("step"):
            if not self.in_episode:
                raise UserError("no episode goes on: reset first")
            turn = await self._calls.atake_action(action, seconds=seconds)
            self.steps += 1
            if self.env.status is not None:
                self._pool.metrics.episodes.labels(self.env.status).inc()
        return turn

    async def close(self) -> None:
        """Stop what runs and end the environment. Pools call this."""
        await self._calls.aclose()

    @contextmanager
    def _one_call(self, name: str) -> Iterator[None]:
        """Provide one call at a time, whose seconds and failures are counted."""
        if self.is_busy:
            raise UserError("the session is busy: wait for the answer to what was asked before")
        began, self.is_busy = time.monotonic(), True
        try:
            yield
            self._pool.metrics.seconds.labels(name).observe(time.monotonic() - began)
        except MachineError as error:
            kind, task = type(error).__name__, self.env.task.id
            self._pool.metrics.machine_errors.labels(kind).inc()
            self._pool.metrics.episodes.labels("error").inc()
            log_event("error", session=self.id[:6], task=task, error=kind, detail=str(error))
            raise
        finally:
            self.last_used, self.is_busy = time.monotonic(), False


class ServedSessions:
    """The sessions of a server: how many there may be, how long they may be idle, and how they all end.

    *make_env* makes an environment for each; *idle_seconds* is how long nothing may be asked of one.
    """

    def __init__(
        self,
        make_env: Callable[[], Env],
        tasks: ServedTasks,
        *,
        max_sessions: int = 64,
        idle_seconds: float = 600.0,
        threads: int = THREADS,
    ) -> None:
        self.tasks, self.max_sessions, self.idle_seconds = tasks, max_sessions, idle_seconds
        self.metrics = Metrics(lambda: len(self._sessions))
        self.workers = ThreadPoolExecutor(threads, thread_name_prefix="episode")
        self.memory = MessageMemory()
        self.is_draining = False
        self._make_env = make_env
        self._sessions: dict[str, EpisodeSession] = {}
        self._opening = 0
        self._closing: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._sessions)

    async def open(self, owner: str | None = None) -> EpisodeSession:
        """Return a new session.

        Where there are too many, it replaces the one that its *owner* has not used for the longest time.

        Raises:
            RefusedError: If there are too many of others, or the server is about to stop.
        """
        self.check_open()
        while len(self._sessions) + self._opening >= self.max_sessions:
            own = [each for each in self._sessions.values() if each.owner == owner and not each.is_busy]
            if owner is None or not own:
                self.metrics.refused.inc()
                full = f"all {self.max_sessions} sessions are in use"
                raise RefusedError(f"{full}: reset one that you have, or try again later (--max-sessions)")
            await self.close(min(own, key=lambda each: each.last_used), "replaced")
        self._opening += 1
        making = asyncio.get_running_loop().run_in_executor(self.workers, self._make_env)
        try:
            env = await asyncio.shield(making)
        except asyncio.CancelledError:
            making.add_done_callback(_close_unclaimed)
            raise
        finally:
            self._opening -= 1
        if self.is_draining:
            env.close()
            self.check_open()
        session = EpisodeSession(self, env, owner)
        self._sessions[session.id] = session
        log_event("open", session=session.id[:6], sessions=len(self))
        return session

    def find(self, name: str) -> EpisodeSession:
        """Return the session with that id.

        Raises:
            UnknownSessionError: If there is none.
        """
        try:
            return self._sessions[name]
        except KeyError:
            raise UnknownSessionError("no session has this id: it was closed, or idle for too long") from None

    def check_open(self) -> None:
        """Check that the server takes new work.

        Raises:
            RefusedError: If it is about to stop.
        """
        if self.is_draining:
            raise RefusedError("the server is about to stop: no episode begins")

    async def close(self, session: EpisodeSession, reason: Reason = "closed") -> None:
        """End *session*. Closing twice is harmless; the caller's cancellation does not keep it from ending."""
        if self._sessions.pop(session.id, None) is None:
            return
        session.reason = reason
        session.ended.set()
        closing = asyncio.create_task(self._close(session))
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)
        await asyncio.shield(closing)

    async def _close(self, session: EpisodeSession) -> None:
        self.metrics.closed.labels(session.reason).inc()
        try:
            await session.close()
        except Exception as error:  # noqa: BLE001 - whatever a world raises at its end, the others' sessions end too
            log_event("error", session=session.id[:6], error=type(error).__name__, detail=str(error))
        log_event("close", session=session.id[:6], reason=session.reason, sessions=len(self))

    async def reap(self) -> None:
        """Close sessions that are idle for too long, until this is cancelled."""
        while True:
            await asyncio.sleep(min(1.0, self.idle_seconds / 4))
            now = time.monotonic()
            for session in list(self._sessions.values()):
                if not session.is_busy and now - session.last_used > self.idle_seconds:
                    await self.close(session, "idle")

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Idle sessions are closed meanwhile, and all of them in the end."""
        reaping = asyncio.create_task(self.reap())
        try:
            yield
        finally:
            reaping.cancel()
            await self.close_all()

    async def drain(self, seconds: float) -> None:
        """Begin nothing new, and wait until every episode has ended, *seconds* at most."""
        self.is_draining = True
        log_event("drain", sessions=len(self), seconds=seconds)
        deadline = time.monotonic() + seconds
        while any(each.is_busy or each.in_episode for each in self._sessions.values()):
            if time.monotonic() > deadline:
                break
            await asyncio.sleep(0.02)

    async def close_sessions(self) -> None:
        """End all sessions, and wait until each has."""
        await asyncio.gather(*(self.close(each, "stopped") for each in list(self._sessions.values())))
        while self._closing:
            await asyncio.gather(*self._closing)

    async def close_all(self) -> None:
        """End all sessions, and the threads that they ran in. No session can be opened afterwards."""
        self.is_draining = True
        await self.close_sessions()
        self.workers.shutdown()


def _close_unclaimed(making: asyncio.Future[Env]) -> None:
    """Close an environment that nobody waits for any more."""
    if not making.cancelled() and making.exception() is None:
        making.result().close()
