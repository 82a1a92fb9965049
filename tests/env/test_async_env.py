"""`AsyncEnv`: actions overlap, and a cancelled await leaves nothing behind."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from gymnasium.error import ClosedEnvironmentError

import intercode
from intercode.env.async_env import shared_pool
from intercode.types import Action
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.local import LocalSandbox
from intercode_sandbox.sandbox import Limits, Sandbox
from intercode_sandbox.testing.fixtures import alive, appears, becomes_true, disappears, mark

WHERE: dict[str, Callable[[], Sandbox]] = {
    "embedded": EmbeddedSandbox,
    "local": lambda: LocalSandbox(i_know_this_is_unsafe=True),
}
LONG = Limits(seconds=60)


@pytest.fixture(scope="module", params=WHERE)
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    with WHERE[request.param]() as found:
        yield found


def env_in(sandbox: Sandbox, **options: Any) -> intercode.AsyncEnv:
    return intercode.AsyncEnv(intercode.make("starter", sandbox=sandbox, limits=LONG, **options))


async def step_cancelled(env: intercode.AsyncEnv, action: str, begun: str = "") -> float:
    """The seconds until a cancelled `astep` has ended; it is cancelled once the process *begun* lives, or soon."""
    step = asyncio.ensure_future(env.astep(action))
    assert await asyncio.to_thread(appears, begun) if begun else await asyncio.sleep(0.5, True)
    began = time.monotonic()
    step.cancel()
    with pytest.raises(asyncio.CancelledError):
        await step
    return time.monotonic() - began


def test_an_episode_is_played_as_in_gymnasium() -> None:
    async def play() -> tuple[object, ...]:
        async with intercode.AsyncEnv(intercode.make("starter")) as env:
            query, info = await env.areset(options={"task": 0})
            assert query == env.env.task.query
            assert info["task"] == env.env.task.id
            assert (await env.astep(env.env.task.gold or ""))[2:4] == (False, False)
            return await env.astep("submit")

    _, reward, terminated, truncated, info = asyncio.run(play())
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert "scores" in info  # type: ignore[operator]


def test_actions_of_several_environments_overlap(sandbox: Sandbox) -> None:
    async def play(words: list[str]) -> None:
        envs = [env_in(sandbox) for _ in words]
        await asyncio.gather(*(env.areset(seed=1) for env in envs))
        steps = [
            asyncio.ensure_future(env.astep(f"exec -a {word} sleep 60")) for env, word in zip(envs, words, strict=True)
        ]
        assert await asyncio.to_thread(becomes_true, lambda: all(alive(word) for word in words), 30)
        await asyncio.gather(*(env.aclose() for env in envs))
        await asyncio.gather(*steps)

    asyncio.run(play([mark() for _ in range(6)]))


def test_a_pool_bounds_how_many_calls_are_under_way(sandbox: Sandbox) -> None:
    async def play(pool: ThreadPoolExecutor) -> float:
        envs = [intercode.AsyncEnv(intercode.make("starter", sandbox=sandbox), pool=pool) for _ in range(4)]
        await asyncio.gather(*(env.areset(seed=1) for env in envs))
        began = time.monotonic()
        await asyncio.gather(*(env.astep("sleep 0.3") for env in envs))
        seconds = time.monotonic() - began
        await asyncio.gather(*(env.aclose() for env in envs))
        return seconds

    with ThreadPoolExecutor(2) as pool:
        assert asyncio.run(play(pool)) >= 0.6


@pytest.mark.parametrize("shell", ["fresh", "persistent"])
def test_a_cancelled_action_is_stopped_and_the_episode_goes_on(sandbox: Sandbox, shell: str) -> None:
    async def play(word: str) -> None:
        async with env_in(sandbox, shell=shell, scoring="exact") as env:
            await env.areset(options={"task": 0})
            await env.astep("echo kept > /tmp/kept")
            assert await step_cancelled(env, f"exec -a {word} sleep 60", word) < 30
            assert disappears(word)
            assert len(env.env.history) == 2
            assert (await env.astep("cat /tmp/kept"))[0] == "kept\n"
            assert (await env.areset(options={"task": 1}))[1]["turn"] == 0
            assert (await env.astep("echo again"))[0] == "again\n"

    asyncio.run(play(mark()))


def test_a_chain_of_programs_is_stopped_too(sandbox: Sandbox) -> None:
    async def play(word: str) -> None:
        async with env_in(sandbox) as env:
            await env.areset()
            chain = f"while :; do bash -c 'exec -a {word} sleep 60'; done"
            assert await step_cancelled(env, chain, f"{word}\0") < 30  # an argument of its own only in the last program
            assert disappears(word)

    asyncio.run(play(mark()))


def test_no_thread_and_no_process_is_lost(sandbox: Sandbox) -> None:
    """However often it is cancelled, and while it waits for the end, too."""

    async def play(word: str) -> None:
        env = env_in(sandbox)
        await env.areset()
        for _ in range(3):
            await step_cancelled(env, f"exec -a {word} sleep 60", word)
        task = asyncio.ensure_future(env.astep(f"exec -a {word} sleep 60"))
        assert await asyncio.to_thread(appears, word)
        task.cancel()
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert disappears(word)
        await env.aclose()
        await env.aclose()

    asyncio.run(play(mark()))
    before = set(threading.enumerate())  # the first play has started those of the pool
    asyncio.run(play(mark()))
    new = {thread for thread in threading.enumerate() if thread not in before}
    assert len(new) <= shared_pool()._max_workers
    assert all(thread.name.startswith("intercode") for thread in new)


def test_what_has_not_begun_is_not_done(sandbox: Sandbox) -> None:
    """A call that waits in the queue of a full pool is taken out of it."""

    async def play(pool: ThreadPoolExecutor, word: str) -> None:
        busy, waiting = (
            intercode.AsyncEnv(intercode.make("starter", sandbox=sandbox, limits=LONG), pool=pool) for _ in range(2)
        )
        await busy.areset()
        await waiting.areset()
        first = asyncio.ensure_future(busy.astep(f"exec -a {word} sleep 60"))
        assert await asyncio.to_thread(appears, word)
        await step_cancelled(waiting, "touch /tmp/never")
        assert alive(word), "it was waited for"
        assert waiting.env.history == ()
        await busy.aclose()
        await first
        assert waiting.env.history == ()
        await waiting.aclose()

    with ThreadPoolExecutor(1) as pool:
        asyncio.run(play(pool, mark()))


def test_closing_stops_what_runs_and_refuses_what_waits(sandbox: Sandbox) -> None:
    async def play(word: str) -> None:
        env = env_in(sandbox)
        await env.areset()
        first = asyncio.ensure_future(env.astep(f"exec -a {word} sleep 60"))
        second = asyncio.ensure_future(env.astep("true"))
        assert await asyncio.to_thread(appears, word)
        began = time.monotonic()
        await env.aclose()
        assert time.monotonic() - began < 30
        assert disappears(word)
        await first
        with pytest.raises(ClosedEnvironmentError):
            await second

    asyncio.run(play(mark()))


def test_a_cancelled_close_has_closed(sandbox: Sandbox) -> None:
    async def play() -> None:
        env = env_in(sandbox)
        await env.areset()
        closing = asyncio.ensure_future(env.aclose())
        await asyncio.sleep(0)
        closing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closing
        with pytest.raises(ClosedEnvironmentError):
            env.env.reset()

    asyncio.run(play())


def test_an_action_can_be_given_less_time(sandbox: Sandbox) -> None:
    async def play() -> None:
        async with env_in(sandbox) as env:
            await env.areset()
            text, *_ = await env.astep("echo a; sleep 60", seconds=2.5)
            assert text == "a\n[timed out after 2.5 s; killed]"
            turn = await env.atake_action(Action("execute", "sleep 60"), seconds=0.25)
            assert turn.observation.timed_out
            assert (await env.astep("sleep 0.6; echo slow"))[0] == "slow\n"

    asyncio.run(play())


def test_a_query_is_stopped() -> None:
    endless = "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"

    async def play() -> None:
        async with intercode.AsyncEnv(intercode.make("starter-sql", database="sqlite")) as env:
            await env.areset()
            assert await step_cancelled(env, endless) < 8.0
            assert (await env.astep("SELECT 1"))[0] == "[(1,)]"

    asyncio.run(play())


def test_code_in_an_interpreter_is_stopped() -> None:
    async def play() -> None:
        async with intercode.AsyncEnv(intercode.make("starter-python", limits=LONG)) as env:
            await env.areset()
            assert await step_cancelled(env, "while True: pass") < 30
            assert (await env.astep("print(6 * 7)"))[0].endswith("42\n")

    asyncio.run(play())
