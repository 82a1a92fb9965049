"""Episodes with a network: what agents, golds and verifiers reach, and what is said of it afterwards."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from network_servers import FETCH, GREETING, WebServer, web_server, why_no_registry

from intercode.datasets.task_folder import TaskFolderDataset
from intercode.env.env import Env
from intercode.errors import BadDataError, ImageError, UserError
from intercode.types import Action, Turn
from intercode.worlds.bash import BashEnv
from intercode.worlds.harbor import HarborEnv
from intercode.worlds.harbor.datasets.harbor_folder import HarborFolderDataset
from intercode.worlds.python import PythonEnv
from intercode_sandbox import images
from intercode_sandbox.docker import DockerSandbox
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.network.variables import PORT
from intercode_sandbox.sandbox import Limits, Sandbox


@pytest.fixture(scope="module")
def server() -> Iterator[WebServer]:
    with web_server() as server:
        yield server


@pytest.fixture(scope="module", params=["embedded", "docker"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """Both sandboxes that give a network."""
    if request.param == "docker":
        with DockerSandbox(engine=request.getfixturevalue("docker_url"), ahead=0) as docker:
            yield docker
        return
    with EmbeddedSandbox(ahead=0) as embedded:
        yield embedded


def bash_tasks(folder: Path, gold: str, settings: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "task.toml").write_text(f'image = "host"\n{settings}\n')
    (folder / "tasks.jsonl").write_text(json.dumps({"query": "Fetch the greeting.", "gold": gold}) + "\n")
    return folder


def harbor_task(
    folder: Path, *, test: str, solution: str = "echo done > /app/got", toml: str = 'schema_version = "1.4"\n'
) -> Path:
    files = {
        "instruction.md": "Fetch the greeting.\n",
        "task.toml": toml,
        "environment/Dockerfile": "FROM debian:12\nWORKDIR /app\n",
        "tests/test.sh": f"{test}\necho $((! $?)) > /logs/verifier/reward.txt\n",
        "solution/solve.sh": f"{solution}\n",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def play(env: Env, command: str) -> tuple[Turn, Turn]:
    env.start_episode(env.dataset[0])
    return env.take_action(Action("execute", command)), env.take_action(Action("submit"))


def test_golds_and_actions_reach_it(sandbox: Sandbox, server: WebServer, tmp_path: Path) -> None:
    fetch = FETCH.format(server.name) + " > /tmp/got"
    with BashEnv(str(bash_tasks(tmp_path / "own", fetch)), sandbox=sandbox, network=[server.name]) as env:
        assert play(env, fetch)[1].reward == 1.0
        used = env.networks.usage(env.session)
        assert used is not None
        assert (used.requests, used.refused) == (1, 0), "the gold's own is not the episode's"
        assert play(env, "true")[1].reward == 0.0
        used = env.networks.usage(env.session)
        assert used is not None
        assert used.requests == 0, "each episode has its own count"


def test_without_being_asked_for_there_is_none(sandbox: Sandbox, server: WebServer, tmp_path: Path) -> None:
    with BashEnv(str(bash_tasks(tmp_path / "own", "true")), sandbox=sandbox) as env:
        text = play(env, FETCH.format(server.name))[0].observation.text
        assert "refused" in text or "connect" in text
        assert env.networks.usage(env.session) is None


def test_a_state_with_a_network_is_another_state(sandbox: Sandbox, tmp_path: Path) -> None:
    """What it was given there is in no image: no replay may take one for the other."""
    folder = str(bash_tasks(tmp_path / "own", "true"))
    found = []
    for network in ("none", "allow", ["pypi.org"], ["PyPI.org."]):
        with BashEnv(folder, sandbox=sandbox, network=network) as env:
            found.append(play(env, "true")[1].state_hash)
    assert len(set(found)) == 3
    assert found[2] == found[3], "one list in two spellings"


def test_a_verifier_of_harbors_has_its_own(sandbox: Sandbox, server: WebServer, tmp_path: Path) -> None:
    """Its script may fetch what it judges with, though the agent has no network; and the other way round."""
    fetch = FETCH.format(server.name)
    task = harbor_task(tmp_path / "task", test=f"[ -s /app/got ] && [ $({fetch}) = welcome ]")
    with HarborEnv(HarborFolderDataset(task), sandbox=sandbox, verifier_network=[server.name]) as env:
        assert "refused" in play(env, fetch)[0].observation.text or "connect" in play(env, fetch)[0].observation.text
        assert play(env, "echo done > got")[1].reward == 1.0
        used = env.networks.usage(env.session)
        assert used is not None
        assert used.requests == 1
        assert play(env, "true")[1].reward == 0.0
    task = harbor_task(tmp_path / "other", test=f"[ -s /app/got ] && ! {fetch}", solution=f"{fetch} > /app/got")
    with HarborEnv(HarborFolderDataset(task), sandbox=sandbox, network=[server.name], verifier_network="none") as env:
        assert play(env, f"{fetch} > got")[1].reward == 1.0


def test_a_verifier_installs_what_it_judges_with(tmp_path: Path) -> None:
    """As every published test script does: here a package of PyPI's, from where the machine's own pip takes it."""
    if reason := why_no_registry():
        pytest.skip(reason)
    install = "python3 -m venv /tmp/v && /tmp/v/bin/pip install -q six==1.17.0 && /tmp/v/bin/python -c 'import six'"
    test = f"{install} && [ -s /app/got ]"
    task = harbor_task(tmp_path / "task", test=test, toml="[verifier]\ntimeout_sec = 300\n")
    with HarborEnv(HarborFolderDataset(task)) as env:
        assert play(env, "echo done > got")[1].reward == 1.0
        assert play(env, "true")[1].reward == 0.0


def test_hidden_tests_have_none_though_actions_have(sandbox: Sandbox, server: WebServer) -> None:
    """What is handed in could carry hidden tests away."""
    to = f"__import__('http.client').client.HTTPConnection('127.0.0.1', {PORT}, timeout=5)"
    call = f"(lambda to: (to.request('GET', 'http://{server.name}/'), to.getresponse().read())[1])({to})"
    before = len(server.heard)
    with PythonEnv("starter-python", sandbox=sandbox, network=[server.name]) as env:
        env.start_episode(next(task for task in env.dataset if task.id.endswith("/initials")))
        assert env.take_action(Action("execute", call)).observation.text == f"{GREETING!r}\n"
        env.take_action(Action("execute", f"def initials(*given):\n    return {call}"))
        assert env.take_action(Action("submit", "initials")).reward == 0
    assert len(server.heard) == before + 1, "the action was let in, and nobody else"


def test_commands_of_a_dockerfile_have_what_the_build_is_given(server: WebServer, tmp_path: Path) -> None:
    task = harbor_task(tmp_path / "task", test="grep welcome /app/built")
    recipe = f"FROM debian:12\nWORKDIR /app\nRUN curl() {{ {FETCH.format(server.name)}; }}; curl > /app/built\n"
    (task / "environment" / "Dockerfile").write_text(recipe)
    with EmbeddedSandbox(ahead=0) as sandbox:
        found = HarborFolderDataset(task, build_network=server.name)
        image = found.image(found[0], images.find("host"))
        with sandbox.start(image) as session:
            assert session.read("/app/built") == GREETING
            assert session.network_usage() is None
        recipe = recipe.replace(server.name, "elsewhere.example")
        (task / "environment" / "Dockerfile").write_text(recipe)
        found = HarborFolderDataset(task, build_network=server.name)
        with pytest.raises(ImageError, match=r"it asked for elsewhere\.example and did not get there"):
            sandbox.start(found.image(found[0], images.find("host")))
        plain = HarborFolderDataset(task)
        other = plain.image(plain[0], images.find("host"))
        assert other.digest != image.digest
        with pytest.raises(Exception, match="without a network, from which curl would fetch"):
            sandbox.start(other)


@pytest.mark.parametrize("key", ["network", "verifier_network"])
@pytest.mark.parametrize(
    "hosts", ['["10.0.0.1"]', '["127.0.0.1:8080"]', '["[::1]:80"]', '["169.254.169.254"]', '"lan"', "7"]
)
def test_a_strangers_folder_names_no_address_of_this_machines_network(tmp_path: Path, key: str, hosts: str) -> None:
    bash_tasks(tmp_path / "own", "true", f"{key} = {hosts}")
    with pytest.raises(BadDataError, match=rf"task.toml, {key}: "):
        TaskFolderDataset(tmp_path / "own")


def test_a_folder_says_what_is_reached(tmp_path: Path) -> None:
    folder = bash_tasks(tmp_path / "own", "true", 'network = ["PyPI.org."]\nverifier_network = "allow"')
    found = TaskFolderDataset(folder)
    assert found.default_limits == Limits(network=["pypi.org"])
    assert (found.network(found[0]), found.verifier_network(found[0])) == (("pypi.org",), "allow")
    with BashEnv(found, network="none", verifier_network="none") as env:
        assert env.limits is not None
        assert not env.limits.has_network
        env.start_episode(env.dataset[0])
        assert env.judging_network == "none"


def test_a_sandbox_does_not_give_one_to_all(sandbox: Sandbox) -> None:
    with pytest.raises(UserError, match="some hold hidden tests"):
        type(sandbox)(limits=Limits(network="allow"))  # type: ignore[call-arg]
