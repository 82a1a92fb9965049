"""MCP's own client plays episodes, over standard input and output and over HTTP."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.client import Client
from mcp.client.stdio import stdio_client

from intercode import datasets

PROGRAM = str(Path(sys.executable).with_name("intercode"))
TASK = datasets.load("starter").find("count-january")


async def call(client: Any, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool returns. Raises RuntimeError with what it says where it fails."""
    result = await client.call_tool(tool, arguments)
    if result.is_error:
        raise RuntimeError(result.content[0].text)
    found: dict[str, Any] = result.structured_content
    return found


async def play(client: Any) -> None:
    """Play an episode by its gold, and what may go wrong in it."""
    listed = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(listed) == {"reset", "run_command", "submit", "skip"}
    assert listed["run_command"].input_schema["required"] == ["session", "code"]
    begun = await call(client, "reset", task=TASK.id)
    assert begun["text"] == TASK.query
    assert str(TASK.gold) not in str(begun)
    session = begun["session"]
    moved = await call(client, "run_command", session=session, code=TASK.gold)
    assert (moved["exit_code"], moved["done"]) == (0, False)
    with pytest.raises(RuntimeError, match="no session has this id"):
        await call(client, "run_command", session="another", code="ls")
    ended = await call(client, "submit", session=session)
    assert (ended["reward"], ended["done"]) == (1.0, True)
    with pytest.raises(RuntimeError, match="no session has this id"):
        await call(client, "run_command", session=session, code="ls")
    with pytest.raises(RuntimeError, match="no task 'nothing'"):
        await call(client, "reset", task="nothing")


def test_a_client_plays_an_episode_over_standard_input_and_output() -> None:
    async def run() -> None:
        server = StdioServerParameters(command=PROGRAM, args=["serve", "starter", "--mcp"])
        async with stdio_client(server) as (reading, writing), ClientSession(reading, writing) as client:
            await client.initialize()
            await play(client)

    asyncio.run(run())


async def begin_many(client: Any) -> None:
    """Begin more episodes than there may be sessions, of which the last two go on."""
    names = [(await call(client, "reset"))["session"] for _ in range(5)]
    with pytest.raises(RuntimeError, match="no session has this id"):
        await call(client, "run_command", session=names[2], code="true")
    for name in names[3:]:
        assert (await call(client, "run_command", session=name, code="echo on"))["text"] == "on\n"


def test_a_client_that_only_begins_episodes_is_not_refused() -> None:
    async def run() -> None:
        server = StdioServerParameters(command=PROGRAM, args=["serve", "starter", "--mcp", "--max-sessions", "2"])
        async with stdio_client(server) as (reading, writing), ClientSession(reading, writing) as client:
            await client.initialize()
            await begin_many(client)

    asyncio.run(run())


def test_the_server_ends_with_its_client() -> None:
    process = subprocess.Popen(
        [PROGRAM, "serve", "starter", "--mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    process.communicate(b"", timeout=60)
    assert process.returncode == 0


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serve() as found:
        yield found


@pytest.fixture
def impatient() -> Iterator[str]:
    with serve("--session-timeout", "1") as found:
        yield found


@pytest.fixture
def two_sessions() -> Iterator[str]:
    with serve("--max-sessions", "2") as found:
        yield found


@contextmanager
def serve(*options: str) -> Iterator[str]:
    """A server over HTTP: its address."""
    command = [PROGRAM, "serve", "starter", "--mcp-http", "--port", "0", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    yield process.stdout.readline().strip()
    process.terminate()
    assert process.wait(60) == 0
    process.stdout.close()


def test_a_client_plays_an_episode_over_http(url: str) -> None:
    async def run() -> None:
        async with Client(url) as client:
            await play(client)

    asyncio.run(run())


def test_clients_play_at_once_and_apart(url: str) -> None:
    async def one(number: int) -> str:
        async with Client(url) as client:
            session = (await call(client, "reset", task=TASK.id))["session"]
            await call(client, "run_command", session=session, code=f"echo {number} > /tmp/mark-{number}")
            seen = await call(client, "run_command", session=session, code="cat /tmp/mark-*")
            await call(client, "skip", session=session)
            return str(seen["text"])

    async def run() -> list[str]:
        return await asyncio.gather(*(one(number) for number in range(6)))

    assert asyncio.run(run()) == [f"{number}\n" for number in range(6)]


def test_a_connection_replaces_its_own_sessions_and_no_others(two_sessions: str) -> None:
    async def run() -> None:
        async with Client(two_sessions, mode="legacy") as client:
            await begin_many(client)
            async with Client(two_sessions, mode="legacy") as other:
                with pytest.raises(RuntimeError, match="all 2 sessions are in use"):
                    await call(other, "reset")

    asyncio.run(run())


def test_an_episode_may_begin_in_the_session_of_another(two_sessions: str) -> None:
    async def run() -> None:
        async with Client(two_sessions) as client:
            begun = [await call(client, "reset", seed=1)]
            session = begun[0]["session"]
            await call(client, "run_command", session=session, code="touch /tmp/mark")
            begun += [await call(client, "reset", session=session) for _ in range(3)]
            assert [each["session"] for each in begun] == [session] * 4
            assert len({each["task"] for each in begun}) == 4
            assert (await call(client, "run_command", session=session, code="ls /tmp/mark"))["exit_code"] != 0
            with pytest.raises(RuntimeError, match="no session has this id"):
                await call(client, "reset", session="another")
            with pytest.raises(RuntimeError, match="no task 'nothing'"):
                await call(client, "reset", session=session, task="nothing")
            assert (await call(client, "submit", session=session))["done"]

    asyncio.run(run())


def test_an_idle_session_is_closed(impatient: str) -> None:
    async def run() -> None:
        async with Client(impatient) as client:
            session = (await call(client, "reset", task=TASK.id))["session"]
            await asyncio.sleep(6)
            with pytest.raises(RuntimeError, match="idle for too long"):
                await call(client, "run_command", session=session, code="true")

    asyncio.run(run())
