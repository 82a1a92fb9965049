"""OpenEnv's own clients and its validator, against `intercode serve`."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openenv.core import GenericEnvClient
from openenv.core.env_server.types import WSErrorCode

from intercode import datasets
from intercode.integrations.openenv import protocol
from intercode.integrations.openenv.client import IntercodeEnv
from intercode.integrations.openenv.failures import CODES
from intercode.integrations.openenv.models import CodeAction, CodeObservation, CodeState

BIN = Path(sys.executable).parent
TOKEN = "0123456789abcdef-token"
TASK = datasets.load("starter").find("count-january")


def start(*options: str, **env: str) -> tuple[subprocess.Popen[str], str]:
    """A server, and its address."""
    command = [str(BIN / "intercode"), "serve", "starter", "--port", "0", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env or None)
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    process.wait(20)
    assert process.stdout is not None
    process.stdout.close()


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    process, url = start()
    yield url
    end(process)


def test_the_generic_client_plays_an_episode(url: str) -> None:
    with GenericEnvClient(base_url=url).sync() as env:
        begun = env.reset(task=TASK.id, seed=1, episode_id="mine")
        assert begun.observation["text"] == TASK.query
        assert (begun.reward, begun.done) == (None, False)
        assert env.step({"text": TASK.gold}).observation["exit_code"] == 0
        assert env.state()["episode_id"] == "mine"
        ended = env.step({"text": "submit"})
        assert (ended.reward, ended.done) == (1.0, True)
        assert ended.metadata["scores"]["exact"]["success"] is True


def test_the_typed_client_plays_an_episode(url: str) -> None:
    with IntercodeEnv(base_url=url).sync() as env:
        assert env.reset(split="test", index=0).observation.text == datasets.load("starter")[0].query
        result = env.step(CodeAction(text="sleep 5", timeout_s=0.3))
        assert isinstance(result.observation, CodeObservation)
        assert result.observation.timed_out
        assert env.step(CodeAction(text="submit")).reward == 0.0
        state = env.state()
        assert isinstance(state, CodeState)
        assert (state.step_count, state.status) == (2, "submitted")


async def _play(url: str, number: int) -> list[str]:
    seen = []
    async with IntercodeEnv(base_url=url, connect_timeout_s=60) as env:
        for episode in range(2):
            await env.reset(task=TASK.id)
            await env.step(CodeAction(text=f"echo {number}-{episode} > /tmp/mark-{number}"))
            seen.append((await env.step(CodeAction(text="cat /tmp/mark-*"))).observation.text)
            assert (await env.step(CodeAction(text="submit"))).done
    return seen


def test_many_sessions_play_at_once_and_apart(url: str) -> None:
    async def play_all() -> list[list[str]]:
        return await asyncio.gather(*(_play(url, number) for number in range(16)))

    assert asyncio.run(play_all()) == [[f"{number}-0\n", f"{number}-1\n"] for number in range(16)]


def test_what_fails_is_an_error_for_the_client_and_the_session_goes_on(url: str) -> None:
    with GenericEnvClient(base_url=url).sync() as env:
        with pytest.raises(RuntimeError, match=r"reset first \(code: EXECUTION_ERROR\)"):
            env.step({"text": "ls"})
        with pytest.raises(RuntimeError, match="VALIDATION_ERROR"):
            env.step({"code": "ls"})
        with pytest.raises(RuntimeError, match="no task 'nothing'"):
            env.reset(task="nothing")
        assert env.reset(task=0).done is False


def test_a_session_too_many_is_told_so() -> None:
    process, url = start("--max-sessions", "1")
    try:
        with GenericEnvClient(base_url=url).sync() as first:
            first.reset()
            with (
                GenericEnvClient(base_url=url).sync() as second,
                pytest.raises(RuntimeError, match="CAPACITY_REACHED"),
            ):
                second.reset()
    finally:
        end(process)


def test_the_typed_client_sends_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
    process, url = start(INTERCODE_SERVE_TOKEN=TOKEN, PATH=f"{BIN}:/usr/bin:/bin:/usr/sbin:/sbin")
    try:
        with pytest.raises(ConnectionError, match="403"), IntercodeEnv(base_url=url).sync() as env:
            env.reset()
        with IntercodeEnv(base_url=url, token=TOKEN).sync() as env:
            assert env.reset().done is False
        monkeypatch.setenv("INTERCODE_SERVE_TOKEN", TOKEN)
        with IntercodeEnv(base_url=url).sync() as env:
            assert env.reset().done is False
    finally:
        end(process)


def test_openenv_validates_the_running_server(url: str) -> None:
    command = [str(BIN / "openenv"), "validate", "--url", url, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    report = json.loads(done.stdout)
    assert report["passed"], report
    assert report["mode"] == "simulation"


def test_openenv_validates_the_folder_and_its_server_is_the_one_it_names(tmp_path: Path) -> None:
    folder = tmp_path / "environment"
    subprocess.run([str(BIN / "intercode"), "serve", "starter", "--package", str(folder)], check=True)
    command = [str(BIN / "openenv"), "validate", str(folder), "--level", "static", "--skip-build", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    report = json.loads(done.stdout)
    assert report["verdict"] == "pass", report
    played = subprocess.run([sys.executable, "-c", UVICORN], cwd=folder, capture_output=True, text=True, check=False)
    assert played.returncode == 0, played.stderr
    assert played.stdout.strip() == "1.0"


UVICORN = f"""
import socket, sys, threading, time
sys.path.insert(0, "..")
import uvicorn
from environment import CodeAction, IntercodeEnv

listening = socket.socket()
listening.bind(("127.0.0.1", 0))
server = uvicorn.Server(uvicorn.Config("server.app:app", log_level="warning", ws="websockets-sansio"))
thread = threading.Thread(target=server.run, kwargs=dict(sockets=[listening]))
thread.start()
while not server.started:
    time.sleep(0.05)
with IntercodeEnv(base_url=f"http://127.0.0.1:{{listening.getsockname()[1]}}").sync() as env:
    env.reset(task={TASK.id!r})
    env.step(CodeAction(text={TASK.gold!r}))
    print(env.step(CodeAction(text="submit")).reward)
server.should_exit = True
thread.join()
"""


def test_the_schema_is_the_one_of_the_typed_classes() -> None:
    ours = protocol.schema()
    theirs: dict[str, Any] = {"action": CodeAction, "observation": CodeObservation, "state": CodeState}
    for name, kind in theirs.items():
        schema = kind.model_json_schema()
        assert set(schema["properties"]) == set(ours[name]["properties"]), name
        assert schema.get("required", []) == ours[name]["required"], name


def test_every_error_code_is_one_of_openenvs() -> None:
    assert {code for _, code, _ in CODES} <= {each.value for each in WSErrorCode}
