"""A port of a session is reached from outside, on request, and nothing else of it."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPConnection

import pytest

from intercode_sandbox import images
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.errors import SandboxError
from intercode_sandbox.forwarding import PortForwarding
from intercode_sandbox.local import LocalSandbox
from intercode_sandbox.session import Session
from intercode_sandbox.testing.patience import patience

PYTHON = "/usr/bin/env"
SERVER = [PYTHON, "python3", "-m", "http.server", "8000", "--bind", "127.0.0.1", "--directory", "/site"]


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with EmbeddedSandbox() as sandbox, sandbox.start(images.find("host")) as session:
        session.write("/site/page", b"from inside" * 100_000)
        session.open(SERVER)
        end = time.monotonic() + patience(20)
        while time.monotonic() < end:
            with suppress(OSError):
                session.connect(8000).close()
                break
            time.sleep(0.05)
        yield session


def test_a_page_of_the_session_is_fetched_through_a_port_of_this_machine(session: Session) -> None:
    """As often as one likes, and no more once it is closed."""
    with PortForwarding(session, 8000) as forwarding:
        for _ in range(3):
            page = HTTPConnection(*forwarding.address, timeout=patience(10))
            page.request("GET", "/page")
            assert page.getresponse().read() == b"from inside" * 100_000
            page.close()
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(forwarding.address)


def test_who_connects_where_nobody_listens_finds_the_connection_ended(session: Session) -> None:
    with PortForwarding(session, 8001) as forwarding, socket.create_connection(forwarding.address) as client:
        client.settimeout(patience(10))
        assert client.recv(1) == b""


def test_a_port_that_nobody_listens_on_is_refused(session: Session) -> None:
    with pytest.raises(ConnectionRefusedError):
        session.connect(8001)


def test_closing_ends_a_connection_that_waits(session: Session) -> None:
    with PortForwarding(session, 8000) as forwarding, socket.create_connection(forwarding.address) as client:
        client.settimeout(patience(10))
        client.sendall(b"GET /pa")
        time.sleep(0.1)
        forwarding.close()
        assert client.recv(1) == b""


def test_a_port_of_this_machine_is_not_a_sessions(session: Session) -> None:
    """Its loopback device is its own: what listens here does not answer there."""
    with socket.create_server(("127.0.0.1", 0)) as ours, pytest.raises(ConnectionRefusedError):
        session.connect(ours.getsockname()[1])


def test_a_sandbox_without_networks_says_so() -> None:
    with (
        LocalSandbox(i_know_this_is_unsafe=True) as sandbox,
        sandbox.start(images.find("host")) as session,
        pytest.raises(SandboxError, match="no network of its own"),
    ):
        session.connect(8000)
