"""NeMo Gym's server class serves our episodes: seeded, played by tools, verified."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from nemo_gym.openai_utils import NeMoGymResponseCreateParamsNonStreaming
from nemo_gym.server_utils import ServerClient

from intercode import datasets
from intercode.envs.bash.env import BashEnv
from intercode.errors import SandboxError
from intercode.integrations.nemo import IntercodeResourcesServer, IntercodeResourcesServerConfig, rows
from intercode.types import Observation

TASK = datasets.load("starter").find("count-january")
RESPONSE = {
    "id": "r",
    "created_at": 0,
    "model": "m",
    "object": "response",
    "output": [],
    "parallel_tool_calls": False,
    "tool_choice": "auto",
    "tools": [],
}


@pytest.fixture
def app(request: pytest.FixtureRequest) -> Iterator[FastAPI]:
    """The server, with the options that a test asks for."""
    options: dict[str, Any] = getattr(request, "param", {})
    config = IntercodeResourcesServerConfig(host="127.0.0.1", port=8080, entrypoint="", name="intercode", **options)
    server = IntercodeResourcesServer(config=config, server_client=MagicMock(spec=ServerClient))
    made = server.setup_webserver()
    made.state.pool = server._pool
    with TestClient(made):  # its lifespan: the reaper, and the end of all sessions
        yield made
    assert len(server._pool) == 0


def verify(client: TestClient) -> Any:
    return client.post("/verify", json={"responses_create_params": {"input": "x"}, "response": RESPONSE})


@pytest.mark.parametrize("app", [{}, {"settings": {"step_reward": "progress"}}], indirect=True)
def test_an_episode_played_by_its_gold_earns_one(app: FastAPI) -> None:
    client = TestClient(app)
    assert client.post("/seed_session", json={"task": TASK.id}).status_code == 200
    shown = client.post("/run_command", json={"command": TASK.gold})
    assert shown.status_code == 200
    assert shown.json()["done"] is False
    judged = verify(client)
    assert judged.status_code == 200, judged.text
    assert judged.json()["reward"] == 1.0
    assert judged.json()["scores"]["exact"]["success"] is True
    assert str(TASK.gold) not in judged.text
    assert client.post("/run_command", json={"command": "ls"}).status_code == 409
    assert len(app.state.pool) == 0


def test_an_episode_that_was_handed_in_is_judged_as_it_was_then(app: FastAPI) -> None:
    client = TestClient(app)
    client.post("/seed_session", json={"task": TASK.id})
    assert client.post("/submit", json={}).json()["done"] is True
    assert client.post("/run_command", json={"command": TASK.gold}).status_code == 400
    assert verify(client).json()["reward"] == 0.0


def test_what_was_given_up_earns_nothing(app: FastAPI) -> None:
    """An error would lose the rollout: giving up would be better than failing."""
    client = TestClient(app)
    client.post("/seed_session", json={"task": TASK.id})
    client.post("/run_command", json={"command": TASK.gold})
    client.post("/skip", json={})
    judged = verify(client).json()
    assert (judged["reward"], judged["scores"]) == (0.0, {})


@pytest.mark.parametrize("app", [{"settings": {"reward_every_turn": True}}], indirect=True)
def test_an_episode_that_the_machine_broke_has_no_reward(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even that of an action before."""

    def fail(env: BashEnv, code: str) -> Observation:
        raise SandboxError("the disk is on fire")

    client = TestClient(app)
    client.post("/seed_session", json={"task": TASK.id})
    client.post("/run_command", json={"command": TASK.gold})
    monkeypatch.setattr(BashEnv, "execute", fail)
    assert client.post("/run_command", json={"command": "ls"}).status_code == 500
    refused = verify(client)
    assert refused.status_code == 500
    assert "it ended as error" in refused.text


def test_sessions_are_apart(app: FastAPI) -> None:
    first, second = TestClient(app), TestClient(app)
    for client in (first, second):
        client.post("/seed_session", json={"task": TASK.id})
    first.post("/run_command", json={"command": "echo mine > /tmp/mine"})
    assert "No such file" in second.post("/run_command", json={"command": "cat /tmp/mine"}).json()["output"]
    assert second.post("/run_command", json={"cmd": "ls"}).json()["output"].startswith("Nothing was run")


def test_an_unknown_task_is_refused(app: FastAPI) -> None:
    assert TestClient(app).post("/seed_session", json={"task": "nothing"}).status_code == 400
    assert len(app.state.pool) == 0


@pytest.mark.parametrize("app", [{"session_timeout": 3}], indirect=True)
def test_a_session_that_is_never_verified_is_closed(app: FastAPI) -> None:
    client = TestClient(app)
    client.post("/seed_session", json={"task": TASK.id})
    assert len(app.state.pool) == 1
    deadline = time.monotonic() + 60
    while len(app.state.pool) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert len(app.state.pool) == 0
    assert client.post("/run_command", json={"command": "ls"}).status_code == 409


def test_a_row_is_what_nemo_gym_reads() -> None:
    row = next(each for each in rows() if each["task"] == TASK.id)
    asked = NeMoGymResponseCreateParamsNonStreaming.model_validate(row["responses_create_params"])
    assert asked.tools is not None
    assert [tool["name"] for tool in row["responses_create_params"]["tools"]] == ["run_command", "submit", "skip"]
    assert str(TASK.gold) not in str(row)


def test_tasks_that_cannot_be_judged_have_no_rows(tmp_path: Path) -> None:
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text('{"id": "one", "query": "?", "gold": "ls"}\n{"id": "two", "query": "?"}\n')
    assert [row["task"] for row in rows(str(tasks))] == ["tasks/one"]
