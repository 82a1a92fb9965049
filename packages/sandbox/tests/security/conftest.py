"""The sandboxes under attack, with the image `host`: the embedded one and, where the tests are for both, docker."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest
from network_servers import WebServer, web_server

from intercode_sandbox.docker import DockerSandbox
from intercode_sandbox.embedded import EmbeddedSandbox, control_groups
from intercode_sandbox.embedded.session import EmbeddedSession
from intercode_sandbox.images import Image, find
from intercode_sandbox.sandbox import Limits, Sandbox, Snapshot
from intercode_sandbox.testing.patience import patience

ATTACKS = Path(__file__).parent / "attacks"
Start = Callable[..., EmbeddedSession]
Compile = Callable[..., bytes]
BOTH = (
    *("test_isolation", "test_kernel", "test_network", "test_processes"),
    *("test_proxy_hosts", "test_proxy_requests", "test_proxy_sessions"),
)
"""The modules whose attacks are for every sandbox with walls."""


@pytest.fixture(scope="session")
def image() -> Image:
    """The machine's own programs."""
    return find("host")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests in the modules `BOTH` that take a sandbox are run with each, unless they say why not."""
    name = metafunc.module.__name__.rpartition(".")[2]
    if "sandbox" in metafunc.fixturenames and name in BOTH:
        only = metafunc.definition.get_closest_marker("embedded_only")
        kinds = ["embedded"] if only else ["embedded", "docker"]
        metafunc.parametrize("sandbox", kinds, indirect=True, scope="session")


@pytest.fixture(scope="session")
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """One for all tests of a process, as a run has it."""
    if getattr(request, "param", "embedded") == "docker":
        url: str = request.getfixturevalue("docker_url")
        with DockerSandbox(engine=url, ahead=0) as docker:
            yield docker
        return
    with EmbeddedSandbox(ahead=0) as embedded:
        yield embedded


def _limits(**limits: Any) -> Limits:
    return Limits(**{"seconds": patience(Limits().seconds), **limits})


@pytest.fixture
def start(sandbox: Sandbox, image: Image) -> Iterator[Start]:
    """Start sessions that end with the test; takes what `Limits` takes, and a snapshot."""
    with ExitStack() as stack:

        def start(snapshot: Snapshot | None = None, **limits: Any) -> EmbeddedSession:
            session = sandbox.start(image, limits=_limits(**limits), snapshot=snapshot)
            return stack.enter_context(cast(EmbeddedSession, session))  # tests for both use what both have

        yield start


@pytest.fixture
def start_uncounted(image: Image, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Start sessions as on a machine that has no control groups for us."""
    monkeypatch.setenv(control_groups.SWITCH, "no")
    with ExitStack() as stack:
        sandbox = stack.enter_context(EmbeddedSandbox(ahead=0))

        def start(**limits: Any) -> EmbeddedSession:
            return cast(EmbeddedSession, stack.enter_context(sandbox.start(image, limits=_limits(**limits))))

        yield start


@pytest.fixture
def session(start: Start) -> EmbeddedSession:
    """Where the agent is."""
    return start()


@pytest.fixture
def open_session(start: Start) -> EmbeddedSession:
    """A session that may reach every public host."""
    return start(network="allow")


@pytest.fixture
def server() -> Iterator[WebServer]:
    """What hosts run for themselves on the loopback device."""
    with web_server() as server:
        yield server


@pytest.fixture(scope="session")
def attack(tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """Compile a file of `attacks/`, or any C text and files with it, into a static program; its bytes."""
    folder = tmp_path_factory.mktemp("attacks")

    @cache
    def compile_attack(source: str, *more: str) -> bytes:
        target = folder / f"attack{len(list(folder.iterdir()))}"
        _compile(source, more, target)
        return target.read_bytes()

    return compile_attack


def _compile(source: str, more: tuple[str, ...], target: Path) -> None:
    compiler = shutil.which("cc")
    assert compiler, "the attacks are written in C, and there is no C compiler"
    text = (ATTACKS / f"{source}.c").read_text() if "\n" not in source else source
    command = [compiler, "-std=gnu11", "-O1", "-w", "-static", "-I", str(ATTACKS), "-x", "c", "-", *more]
    subprocess.run([*command, "-o", str(target)], input=text, text=True, check=True)
