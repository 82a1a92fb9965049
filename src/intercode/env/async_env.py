"""An environment for programs that await: `areset`, `astep`, `aclose`, each in a thread of a pool."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from functools import cache, partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar

from gymnasium.error import ClosedEnvironmentError

from intercode_sandbox.util.closing import NOT_COPIED

if TYPE_CHECKING:
    from intercode.env.env import Env
    from intercode.types import Action, Turn

T = TypeVar("T")

THREADS = 32
"""Of the pool that all share: so many calls are under way at once, the others wait."""

AGAIN = 0.5
"""Seconds between two tries to stop an action: it may run one program after the other."""


@cache
def shared_pool() -> ThreadPoolExecutor:
    """Return the pool of all environments that bring none.

    Its threads start with the first calls and end with the program.
    """
    return ThreadPoolExecutor(THREADS, "intercode")


class AsyncEnv:
    """An environment whose calls are awaited: many episodes share one event loop, and their actions overlap.

        async with AsyncEnv(intercode.make("starter")) as env:
            query, info = await env.areset()
            text, reward, terminated, truncated, info = await env.astep("ls")

    The calls of one environment are done one after the other.

    A cancelled call, as by `asyncio.wait_for`, is waited for: `Env.interrupt` stops its action, and the cancellation
    goes on once the action has ended. What the action did stays, as a turn of the episode, and the episode goes on.
    What cannot be stopped (building an image, a judgement) is waited for. `aclose` stops what runs.

    Args:
        env: The environment. It is closed with this one.
        pool: Whose threads run the calls. None: 32 threads that all environments share. It is not closed.
    """

    def __init__(self, env: Env, *, pool: Executor | None = None) -> None:
        self.env = env
        self._pool = pool
        self._turn = asyncio.Lock()
        self._running: Future[Any] | None = None
        self._closing: asyncio.Task[None] | None = None

    async def areset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """See `Env.reset`."""
        return await self._call(partial(self.env.reset, seed=seed, options=options))

    async def astep(
        self, action: str, *, seconds: float | None = None
    ) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """See `Env.step`.

        Args:
            action: As `Env.step` takes it.
            seconds: When to stop the action, if that is sooner than the environment's own limit.

        Raises:
            ClosedEnvironmentError: If this environment is closed, as all its calls do.
        """
        return await self._call(partial(self.env.step_within, action, seconds))

    async def atake_action(self, action: Action, *, seconds: float | None = None) -> Turn:
        """See `Env.take_action`."""
        return await self._call(partial(self.env.take_action, action, seconds=seconds))

    async def aclose(self) -> None:
        """Stop what runs and close the environment. Closing twice is harmless; a cancelled `aclose` closes too."""
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())
        await _to_its_end(self._closing)

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(NOT_COPIED.format(type(self).__name__))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _call(self, work: Callable[[], T]) -> T:
        async with self._turn:
            if self._closing is not None:
                raise ClosedEnvironmentError("this environment is closed: make another")
            future = self._running = (self._pool or shared_pool()).submit(work)
            try:
                return await asyncio.shield(asyncio.wrap_future(future))
            except asyncio.CancelledError:
                if not future.cancel():  # it has begun
                    await _to_its_end(asyncio.ensure_future(asyncio.to_thread(self._stop, future)))
                raise
            finally:
                self._running = None

    async def _close(self) -> None:
        if (running := self._running) is not None:
            await asyncio.to_thread(self._stop, running)
        async with self._turn:
            await asyncio.wrap_future((self._pool or shared_pool()).submit(self.env.close))

    def _stop(self, future: Future[Any]) -> None:
        while not future.done():
            self.env.interrupt()
            wait([future], AGAIN)


async def _to_its_end(task: asyncio.Task[None]) -> None:
    """Wait until *task* has ended, however often that is cancelled; the cancellation goes on then."""
    cancelled = False
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            cancelled = True
    if cancelled:
        raise asyncio.CancelledError
    task.result()


os.register_at_fork(after_in_child=shared_pool.cache_clear)  # a fork has none of its threads
