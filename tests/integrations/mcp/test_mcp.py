"""MCP's own client plays episodes, over standard input and output and over HTTP."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
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


def test_the_server_ends_with_its_client() -> None:
    process = subprocess.Popen(
        [PROGRAM, "serve", "starter", "--mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    process.communicate(b"", timeout=30)
    assert process.returncode == 0


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    command = [PROGRAM, "serve", "starter", "--mcp-http", "--port", "0", "--session-timeout", "3"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    yield process.stdout.readline().strip()
    process.terminate()
    assert process.wait(20) == 0
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


def test_an_idle_session_is_closed(url: str) -> None:
    async def run() -> None:
        async with Client(url) as client:
            session = (await call(client, "reset", task=TASK.id))["session"]
            await asyncio.sleep(6)
            with pytest.raises(RuntimeError, match="idle for too long"):
                await call(client, "run_command", session=session, code="true")

    asyncio.run(run())
