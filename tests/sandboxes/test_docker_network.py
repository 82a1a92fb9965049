"""Sessions that ask for a network: what they reach, what they do not, what is judged without, and what is left."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from intercode.datasets.harbor_folder import HarborFolderDataset
from intercode.envs.bash import BashEnv
from intercode.envs.harbor import HarborEnv
from intercode.envs.python import PythonEnv
from intercode.errors import UserError
from intercode.sandboxes import images
from intercode.sandboxes.base import Limits, Session
from intercode.sandboxes.core.process_identity import this_process
from intercode.sandboxes.docker import DockerSandbox
from intercode.sandboxes.docker.cleanup import clean
from intercode.sandboxes.docker.engine import Engine
from intercode.sandboxes.images import Image
from intercode.sandboxes.images.engine_store import LABEL
from intercode.testing.docker_engine import SEARCH, DockerEngine
from intercode.types import Action
from podman_service import missing as podman_missing
from podman_service import podman_service

ASKED = Limits(network=True)

SERVER = """
import socket
server = socket.create_server(("0.0.0.0", 0))
print(server.getsockname()[1], flush=True)
while True:
    guest, _ = server.accept()
    guest.sendall(b"welcome\\n")
    guest.close()
    print("guest", flush=True)
"""

VISIT = "exec 3<>/dev/tcp/{}/{} && head -c 8 <&3"


@pytest.fixture(scope="module")
def engine(docker_engine: DockerEngine) -> DockerEngine:
    if not docker_engine.gives_network:
        pytest.skip("the private engine has no networks here: iptables and filtered bridges are wanted")
    if not docker_engine.private:
        pytest.skip("the engine that runs here leads to this machine's network, which is not ours to put a server in")
    return docker_engine


@pytest.fixture(scope="module")
def sandbox(engine: DockerEngine) -> Iterator[DockerSandbox]:
    with DockerSandbox(engine=engine.url, ahead=1) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def host() -> Image:
    return images.find("host")


@contextmanager
def serving(engine: DockerEngine) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """A server beside the engine: its port, and its process, which prints a line for each guest."""
    command = engine.beside(sys.executable, "-c", SERVER)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield int(server.stdout.readline()), server
        finally:
            server.kill()


def bash(session: Session, text: str) -> str:
    return session.run(["/bin/bash", "-c", text], timeout=20).text


def gateway(session: Session) -> str:
    """Where its default route leads: the kernel writes the address as a number, the last byte first."""
    routes = [line.split() for line in bash(session, "cat /proc/net/route").splitlines()]
    (numbers,) = [fields[2] for fields in routes if fields[1] == "00000000"]
    return ".".join(str(byte) for byte in reversed(bytes.fromhex(numbers)))


def address(session: Session) -> str:
    return bash(session, "hostname -I").split()[0]


@pytest.mark.skipif(shutil.which("ip", path=SEARCH) is None, reason="`ip` is wanted, which sets the loopback up")
def test_beside_a_private_engine_the_loopback_is_up(engine: DockerEngine) -> None:
    """So ports that containers publish can be reached."""
    visit = (
        "import socket as s; server = s.create_server(('127.0.0.1', 0)); s.create_connection(server.getsockname(), 5)"
    )
    assert subprocess.run(engine.beside(sys.executable, "-c", visit)).returncode == 0


def test_a_session_that_asks_reaches_what_the_engine_reaches(
    engine: DockerEngine, sandbox: DockerSandbox, host: Image
) -> None:
    """And one that does not ask has no way out, though the sandbox is the same."""
    with serving(engine) as (port, _), sandbox.start(host, limits=ASKED) as session, sandbox.start(host) as other:
        there = gateway(session)
        assert bash(session, VISIT.format(there, port)) == "welcome\n"
        assert "unreachable" in bash(other, VISIT.format(there, port))
        assert session.changes() == [], "what the engine writes for a network is no doing of the agent's"


def test_sessions_do_not_reach_each_other(sandbox: DockerSandbox, host: Image) -> None:
    with sandbox.start(host, limits=ASKED) as one, sandbox.start(host, limits=ASKED) as other:
        refuse_each_other(one, other)


def refuse_each_other(one: Session, other: Session) -> None:
    with closing(one.open(["python3", "-u", "-c", SERVER])) as server:
        port = int(server.receive(20))
        assert bash(one, VISIT.format(address(one), port)) == "welcome\n"
        assert bash(other, f"timeout 2 bash -c '{VISIT.format(address(one), port)}'; echo $?") in ("124\n", "1\n")


def test_a_branch_has_it_as_its_limits_say(sandbox: DockerSandbox, host: Image) -> None:
    with sandbox.start(host, limits=ASKED) as session, session.snapshot() as snapshot:
        with sandbox.start(host, limits=ASKED, snapshot=snapshot) as branch:
            assert gateway(branch) == gateway(session)
        with sandbox.start(host, snapshot=snapshot) as branch:
            assert "eth0" not in bash(branch, "cat /proc/net/dev")


def test_a_sandbox_does_not_give_it_to_all() -> None:
    with pytest.raises(UserError, match="some hold hidden tests"):
        DockerSandbox(limits=ASKED)


def test_actions_reach_it_and_hidden_tests_do_not(engine: DockerEngine, sandbox: DockerSandbox) -> None:
    """What is handed in could carry hidden tests away."""
    with (
        serving(engine) as (port, server),
        sandbox.start(images.find("host"), limits=ASKED) as session,
        PythonEnv("starter-python", sandbox=sandbox, limits=ASKED) as env,
    ):
        there = gateway(session)
        env.start_episode(next(task for task in env.dataset if task.id.endswith("/initials")))
        name = "initials"
        call = f"__import__('socket').create_connection(({there!r}, {port}), 5).recv(8)"
        assert env.take_action(Action("execute", call)).observation.text == "b'welcome\\n'\n"
        env.take_action(Action("execute", f"def {name}(*given):\n    return {call}"))
        assert env.take_action(Action("submit", name)).reward == 0
        server.kill()
        assert server.stdout is not None
        assert server.stdout.read() == "guest\n", "the action was let in, and nobody else"


HARBOR_TASK = {
    "instruction.md": "Fetch the greeting.",
    "task.toml": "[environment]\nallow_internet = true\n",
    "environment/Dockerfile": "FROM debian:12\nWORKDIR /app\n",
    "tests/test.sh": "[ -s /app/got ] && ! {}; echo $((1 - $?)) > /logs/verifier/reward.txt",
    "solution/solve.sh": "{} > /app/got",
}


def test_a_task_of_harbor_has_it_and_its_verifier_has_not(
    engine: DockerEngine, sandbox: DockerSandbox, tmp_path: Path
) -> None:
    """The solution may fetch what it needs, too: it passes, so what an agent misses is a 0 and no error."""
    with serving(engine) as (port, _), sandbox.start(images.find("host"), limits=ASKED) as session:
        visit = f"timeout 5 bash -c '{VISIT.format(gateway(session), port)}'"
        for name, text in HARBOR_TASK.items():
            (tmp_path / "task" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "task" / name).write_text(text.format(visit) + "\n")
        with HarborEnv(HarborFolderDataset(tmp_path / "task", network=True), sandbox=sandbox) as env:
            env.reset()
            assert env.step(visit)[0] == "welcome\n"
            assert env.step("submit")[1] == 0
            env.reset()
            env.step(f"{visit} > got")
            assert env.step("submit")[1] == 1


def test_golds_and_actions_of_bash_reach_it(engine: DockerEngine, sandbox: DockerSandbox, tmp_path: Path) -> None:
    with serving(engine) as (port, _), sandbox.start(images.find("host"), limits=ASKED) as session:
        fetch = VISIT.format(gateway(session), port) + " > fetched"
        (tmp_path / "task.toml").write_text('image = "host"\nnetwork = true\n')
        (tmp_path / "tasks.csv").write_text(f'query,gold\nFetch the word of welcome.,"{fetch}"\n')
        with BashEnv(str(tmp_path), sandbox=sandbox) as env:
            for text, reward in ((fetch, 1.0), ("true", 0.0)):
                env.start_episode(env.dataset[0])
                env.take_action(Action("execute", text))
                assert env.take_action(Action("submit", "")).reward == reward


def test_its_networks_go_with_it(engine: DockerEngine, host: Image) -> None:
    said = Engine(engine.url)
    before = {each["Name"] for each in said.networks(LABEL)}
    with DockerSandbox(engine=engine.url, ahead=1) as sandbox, sandbox.start(host, limits=ASKED):
        assert len({each["Name"] for each in said.networks(LABEL)} - before) == 1
    assert {each["Name"] for each in said.networks(LABEL)} == before
    said.close()


def test_what_dead_programs_have_left_is_removed(engine: DockerEngine) -> None:
    said = Engine(engine.url)
    said.create_network("intercode-of-nobody", {}, {LABEL: this_process().rpartition(":")[0] + ":1"})
    assert ("network", "intercode-of-nobody") in {(each.kind, each.id) for each in clean(said)}
    assert said.remove_network("intercode-of-nobody"), "gone is no failure"
    said.close()


def test_podman_gives_each_session_a_network_of_its_own(host: Image) -> None:
    if reason := podman_missing():
        pytest.skip(reason)
    with podman_service() as url, DockerSandbox(engine=url, ahead=0) as sandbox:
        with sandbox.start(host, limits=ASKED) as one, sandbox.start(host, limits=ASKED) as other:
            assert gateway(one) != gateway(other)
            assert one.changes() == []
            refuse_each_other(one, other)
        said = Engine(url)
        sandbox.close()
        assert [each["Name"] for each in said.networks(LABEL)] == []
        said.close()
