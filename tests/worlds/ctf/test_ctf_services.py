"""What an agent can do to a service, and it to the agent: talk on one port, and nothing else."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import pytest

from intercode.datasets.challenges import Challenge, Service
from intercode.errors import SandboxError
from intercode.worlds.ctf import CtfEnv
from intercode_sandbox.docker import DockerSandbox
from intercode_sandbox.local import LocalSandbox
from intercode_sandbox.sandbox import Limits, Sandbox
from worlds.ctf.tiny_ctf import SERVICE, TinyCtfDataset

SHELL = Service("shell", 4003, ("/bin/bash",), {"secret.txt": b"flag{shell}"})
"""A service that has been taken over already: whoever connects has a shell in it."""

TALK = """import socket, sys
with socket.create_connection(("shell", 4003)) as talk:
    talk.sendall(sys.argv[1].encode() + b"\\n")
    talk.shutdown(socket.SHUT_WR)
    print(talk.makefile().read(), end="")
"""

LONG = Limits(seconds=60)
"""A busy machine may take its time."""

SERVES = """python3 -m http.server {0} >/dev/null 2>&1 &
until (exec 3<>/dev/tcp/127.0.0.1/{0}) 2>/dev/null; do sleep 0.05; done; echo open"""
"""A server of its own, which can be reached when this ends."""


@pytest.fixture(params=["embedded", "docker"])
def place(request: pytest.FixtureRequest, sandbox: Sandbox) -> Iterator[Sandbox]:
    """Both sandboxes whose sessions have networks of their own."""
    if request.param == "embedded":
        yield sandbox
    else:
        with DockerSandbox(engine=request.getfixturevalue("docker_url"), ahead=0) as docker:
            yield docker


@pytest.fixture
def env(place: Sandbox) -> Iterator[CtfEnv]:
    challenges = {
        "shell": Challenge("flag{shell}", files={"mine.txt": b"the agent's own\n"}, service=SHELL),
        "butler": Challenge("flag{butler}", service=SERVICE),
    }
    with CtfEnv(TinyCtfDataset(challenges=challenges), sandbox=place, limits=LONG) as env:
        env.reset(seed=1, options={"task": "shell"})
        yield env


def inside(env: CtfEnv, command: str) -> str:
    """What *command* says in the service's sandbox."""
    return env.step(shlex.join(["python3", "-c", TALK, command]))[0]


def test_a_shell_in_the_service_works(env: CtfEnv) -> None:
    """Or else the tests below would say nothing."""
    assert inside(env, "cat secret.txt; pwd") == "flag{shell}/srv\n"


def test_the_agent_does_not_see_the_services_files_or_processes(env: CtfEnv) -> None:
    assert (
        env.step("ls /srv/secret.txt 2>/dev/null; cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -c rela[y]")[0]
        == "0\n"
    )
    assert "4003" not in env.step("python3 -c 'import os; print(os.listdir(\"/srv\"))'")[0]


def test_the_service_does_not_see_the_agents_files_or_processes(env: CtfEnv) -> None:
    env.step("sleep 61.5 >/dev/null 2>&1 &")
    assert (
        inside(env, "ls /ctf/mine.txt 2>/dev/null; cat /proc/[0-9]*/cmdline | tr -d [:cntrl:] | grep -c 61[.]5")
        == "0\n"
    )


def test_the_service_cannot_connect_into_the_agents_network(env: CtfEnv) -> None:
    assert env.step(SERVES.format(4010))[0] == "open\n"
    assert inside(env, "exec 2>/dev/null; (exec 3<>/dev/tcp/127.0.0.1/4010) || echo closed") == "closed\n"


def test_the_agent_reaches_no_other_port_of_the_service(env: CtfEnv) -> None:
    assert inside(env, SERVES.format(4011)) == "open\n"
    assert env.step("(exec 3<>/dev/tcp/shell/4011) 2>/dev/null || echo closed")[0] == "closed\n"


def test_killing_all_and_taking_the_port_does_not_end_the_service(env: CtfEnv) -> None:
    env.step("kill -9 -1")
    taken = env.step("python3 -c 'import socket; socket.create_server((\"127.0.0.1\", 4003))' 2>&1 | tail -1")[0]
    assert "Address already in use" in taken
    assert inside(env, "cat secret.txt") == "flag{shell}"


def test_a_restored_episode_reaches_its_service_again(env: CtfEnv) -> None:
    inside(env, "echo changed > secret.txt")
    with env.snapshot() as snapshot:
        inside(env, "rm secret.txt")
        env.restore(snapshot)
        assert inside(env, "cat secret.txt") == "changed\n"


def test_services_say_which_sandbox_they_need() -> None:
    local = LocalSandbox(i_know_this_is_unsafe=True)
    challenges = {"butler": Challenge("flag{butler}", service=SERVICE)}
    with (
        local,
        CtfEnv(TinyCtfDataset(challenges=challenges), sandbox=local) as other,
        pytest.raises(SandboxError, match="need the embedded or the docker sandbox"),
    ):
        other.reset(options={"task": "butler"})
