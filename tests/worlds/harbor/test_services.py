"""Tasks whose work is a service: the verifier reaches it from its copy, and nothing else of what runs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from intercode.types import Action
from intercode.worlds.harbor import HarborEnv
from intercode.worlds.harbor.datasets.harbor_folder import HarborFolderDataset
from intercode_sandbox.sandbox import Sandbox

FOLDER = Path(__file__).parents[2] / "datasets" / "harbor_tasks"

SERVE = "mkdir -p /app/site; echo {} > /app/site/word; cd /app/site; nohup python3 -m http.server 8080"
SERVE += " >/dev/null 2>&1 </dev/null &"

TEST = """#!/bin/bash
python3 -I - <<'END' && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt
import socket, time, urllib.request
for _ in range(2):
    assert urllib.request.urlopen("http://localhost:8080/word", timeout=20).read() == b"served\\n"
assert socket.socket().connect_ex(("127.0.0.1", 8081)) != 0, "no other port is reached"
END
"""


@pytest.fixture
def task(tmp_path: Path) -> Path:
    task = Path(shutil.copytree(FOLDER / "log-report", tmp_path / "log-report"))
    (task / "solution" / "solve.sh").write_text(f"#!/bin/bash\n{SERVE.format('served')}\n")
    (task / "tests" / "test.sh").write_text(TEST)
    return task


@pytest.fixture
def env(sandbox: Sandbox, task: Path) -> Iterator[HarborEnv]:
    with HarborEnv(HarborFolderDataset(task), sandbox=sandbox) as env:
        yield env


def play(env: HarborEnv, *commands: str) -> float:
    env.reset()
    for command in commands:
        env.step(command)
    return env.take_action(Action("submit")).reward


def test_a_service_that_answers_rightly_is_paid(env: HarborEnv) -> None:
    assert env.dataset[0].gold is not None
    assert play(env, env.dataset[0].gold) == 1
    assert play(env, SERVE.format("served")) == 1


def test_a_port_is_not_reached_at_which_the_solution_has_no_service(env: HarborEnv) -> None:
    assert play(env, SERVE.format("served") + " nohup python3 -m http.server 8081 >/dev/null 2>&1 </dev/null &") == 1


@pytest.mark.parametrize(
    "command",
    [
        ":",
        "mkdir -p /app/site && echo served > /app/site/word",
        SERVE.format("wrong"),
        SERVE.format("served") + " sleep 3; kill $!",
        SERVE.format("wrong") + " (while sleep 0.01; do echo 1 > /logs/verifier/reward.txt; done) >/dev/null 2>&1 &",
    ],
)
def test_no_service_and_a_wrong_one_are_worth_nothing(env: HarborEnv, command: str) -> None:
    assert play(env, command) == 0


def test_a_port_is_refused_where_no_service_answers(sandbox: Sandbox, task: Path) -> None:
    """A verifier that only looks whether somebody listens is not deceived by what leads there."""
    look = "python3 -I -c 'import socket, sys; sys.exit(socket.socket().connect_ex((\"127.0.0.1\", 8080)) != 0)'"
    pay = "echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt"
    (task / "tests" / "test.sh").write_text(f"#!/bin/bash\n{look} && {pay}\n")
    with HarborEnv(HarborFolderDataset(task), sandbox=sandbox) as env:
        assert play(env, SERVE.format("any")) == 1
        assert play(env) == 0
        assert play(env, "sleep 1000 >/dev/null 2>&1 &") == 0


def test_a_verifier_that_starts_the_service_itself_is_let(sandbox: Sandbox, task: Path) -> None:
    """Its port is not taken by what would lead to the agent's."""
    start = "cd /app/site && { python3 -m http.server 8080 2>/dev/null & } && sleep 1 && kill -0 $! || exit 1"
    test = task / "tests" / "test.sh"
    test.write_text(test.read_text().replace("\n", f"\n{start}\n", 1))
    with HarborEnv(HarborFolderDataset(task), sandbox=sandbox) as env:
        assert play(env, "mkdir -p /app/site && echo served > /app/site/word") == 1
        assert play(env, "mkdir -p /app/site && echo wrong > /app/site/word") == 0
        assert play(env, SERVE.format("served")) == 1


def test_services_go_on_where_an_episode_is_judged_on_its_way(env: HarborEnv) -> None:
    env.reset()
    env.step(SERVE.format("served"))
    for _ in range(2):
        scores = env.judge()
        assert scores is not None
        assert scores["exact"].value == 1
    ask = "import urllib.request as r; print(r.urlopen('http://127.0.0.1:8080/word').read())"
    assert "served" in env.step(f'python3 -c "{ask}"')[0]
    assert env.take_action(Action("submit")).reward == 1
