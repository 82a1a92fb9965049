"""Episodes with a service are branched: its files with it, and never what a server remembers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from intercode.datasets.challenges import Challenge, Service
from intercode.errors import SandboxError, UserError
from intercode.worlds.ctf import CtfEnv
from intercode_sandbox.sandbox import Sandbox
from worlds.ctf.tiny_ctf import SERVICE, TinyCtfDataset

COUNTS = b"""with open("visits", "a+") as visits:
    visits.write("x")
    visits.flush()
    print(visits.seek(0) or len(visits.read()), flush=True)
"""
COUNTER = Service("counter", 4001, ("python3", "counter.py"), {"counter.py": COUNTS})

LISTENS = b"""import socket
with socket.create_server(("127.0.0.1", 4002)) as server:
    while True:
        server.accept()[0].close()
"""
SERVER = Service("listener", 4002, ("python3", "listens.py"), {"listens.py": LISTENS}, mode="server")

CHALLENGES = {
    "counts": Challenge("flag{count}", service=COUNTER),
    "butler": Challenge("flag{butler}", service=SERVICE),
    "server": Challenge("flag{server}", service=SERVER),
}
VISIT = "python3 -c 'import socket; print(socket.create_connection((\"counter\", 4001)).makefile().read().strip())'"


@pytest.fixture
def env(sandbox: Sandbox) -> Iterator[CtfEnv]:
    with CtfEnv(TinyCtfDataset(challenges=CHALLENGES), sandbox=sandbox, attempts=2) as env:
        yield env


def visits(env: CtfEnv) -> str:
    return env.step(VISIT)[0].strip()


def test_a_restored_episode_reaches_its_service_as_it_was(env: CtfEnv) -> None:
    env.reset(seed=1, options={"task": "counts"})
    assert visits(env) == "1"
    with env.snapshot() as snapshot:
        assert [visits(env), visits(env)] == ["2", "3"]
        env.restore(snapshot)
        assert visits(env) == "2"


def test_forks_have_services_of_their_own(env: CtfEnv) -> None:
    env.reset(seed=1, options={"task": "counts"})
    assert visits(env) == "1"
    twin = env.fork()
    assert [visits(twin), visits(twin)] == ["2", "3"]
    assert visits(env) == "2"
    twin.close()
    assert visits(env) == "3"


def test_nothing_differs_after_a_restore(env: CtfEnv) -> None:
    """The service's name is not told to the session twice."""
    env.reset(seed=1, options={"task": "counts"})
    before = env.state_hash()
    with env.snapshot() as snapshot:
        env.restore(snapshot)
    assert env.state_hash() == before


def test_what_was_handed_in_is_kept_and_not_shared(env: CtfEnv) -> None:
    env.reset(seed=1, options={"task": "counts"})
    env.step("submit wrong")
    twin = env.fork()
    assert twin.step("submit wrong again")[2]
    assert env.submissions == ["wrong"]
    assert env.step("submit flag{count}")[1] == 1.0
    twin.close()


def test_an_episode_with_a_server_is_not_branched_and_goes_on(env: CtfEnv) -> None:
    env.reset(seed=1, options={"task": "server"})
    for branch in (env.snapshot, env.fork):
        with pytest.raises(UserError, match=r"the service listener is a server.*mode='connections'"):
            branch()
    assert env.step("submit flag{server}")[1] == 1.0


def test_a_service_that_does_not_come_up_ends_the_episode_with_its_last_words(sandbox: Sandbox) -> None:
    broken = replace(SERVER, files={"listens.py": b"raise SystemExit('no room at the inn')"})
    dataset = TinyCtfDataset(challenges={"broken": Challenge("flag{x}", service=broken)})
    with CtfEnv(dataset, sandbox=sandbox) as env, pytest.raises(SandboxError, match="no room at the inn"):
        env.reset(seed=1)
