"""NeMo Gym's server class serves our episodes: seeded, played by tools, verified."""

from __future__ import annotations

import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from nemo_gym.openai_utils import NeMoGymResponseCreateParamsNonStreaming
from nemo_gym.server_utils import ServerClient

from intercode import datasets
from intercode.errors import SandboxError
from intercode.integrations.nemo import CAN_MASK, IntercodeResourcesServer, IntercodeResourcesServerConfig, rows
from intercode.types import Observation
from intercode.worlds.bash.env import BashEnv

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
    assert "it ended as error" in refused.text
    if CAN_MASK:
        assert (refused.status_code, refused.json()["mask_sample"]) == (200, True)
    else:
        assert refused.status_code == 500


def seed(name: str, **changes: Any) -> dict[str, Any]:
    """A seed by an environment server, as NeMo Gym 0.7 sends it."""
    task = {"task_id": {"taskset": "starter", "task_id": "0"}, "task_data": {"task": TASK.id}}
    return {"resources_session_id": name, "episode_id": {"rollout_id": "r", "attempt": 0}, **task, **changes}


def close(client: TestClient, name: str) -> Any:
    return client.post("/close_session", json={"resources_session_id": name, "episode_id": {"rollout_id": "r"}})


def test_a_session_that_is_named_is_played_and_judged(app: FastAPI) -> None:
    client = TestClient(app)
    assert client.post("/seed_session", json=seed("one")).json() == {"resources_session_id": "one"}
    client.post("/run_command", json={"command": TASK.gold})
    judged = verify(client).json()
    assert (judged["reward"], judged["mask_sample"]) == (1.0, False)


def test_a_session_that_is_seeded_again_by_its_name_goes_on(app: FastAPI) -> None:
    client, other = TestClient(app), TestClient(app)
    client.post("/seed_session", json=seed("one"))
    client.post("/run_command", json={"command": "echo mine > /tmp/mine"})
    assert other.post("/seed_session", json=seed("one")).status_code == 200
    assert len(app.state.pool) == 1
    assert other.post("/run_command", json={"command": "cat /tmp/mine"}).json()["output"] == "mine\n"
    another = seed("one", episode_id={"rollout_id": "other", "attempt": 0})
    assert other.post("/seed_session", json=another).status_code == 409


def test_a_session_that_is_closed_stays_closed(app: FastAPI) -> None:
    client = TestClient(app)
    client.post("/seed_session", json=seed("one"))
    for _ in range(2):
        assert close(client, "one").json() == {"resources_session_id": "one"}
    assert len(app.state.pool) == 0
    assert client.post("/run_command", json={"command": "ls"}).status_code == 409
    assert close(client, "never").status_code == 200
    for name in ("one", "never"):
        assert client.post("/seed_session", json=seed(name)).status_code == 409
    assert len(app.state.pool) == 0


@pytest.mark.skipif(find_spec("nemo_gym.testing") is None, reason="NeMo Gym has such a check since 0.7")
def test_nemo_gyms_own_check_of_sessions_passes(app: FastAPI) -> None:
    from nemo_gym.base_resources_server import ResourcesSeedSessionRequest
    from nemo_gym.testing.session_conformance import check_resources_session_contract

    check_resources_session_contract(app, ResourcesSeedSessionRequest(**seed("one")), keeps_state=True)


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
