"""Attacks through the network: the host's loopback, its abstract sockets, the world outside."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from intercode_sandbox.sandbox import Session
from intercode_sandbox.util.polling import readable

from .conftest import Compile, Start
from .host import new_marker, outcomes, put, shell


@contextmanager
def listening(family: int, address: tuple[str, int] | str) -> Iterator[socket.socket]:
    """A server of the host's."""
    with socket.socket(family, socket.SOCK_STREAM) as server:
        server.bind(address)
        server.listen()
        yield server


def heard(server: socket.socket) -> bool:
    """Whether somebody has come, or comes within a moment."""
    return readable(server.fileno(), 0.2)


@pytest.mark.parametrize("bound", ["127.0.0.1", "0.0.0.0"])
def test_servers_of_the_host_cannot_be_reached(session: Session, attack: Compile, bound: str) -> None:
    with listening(socket.AF_INET, (bound, 0)) as server:
        port = server.getsockname()[1]
        for address in {"127.0.0.1", "127.0.1.1", *_addresses()}:
            found = outcomes(session, attack("connect"), "inet", address, str(port))
            assert found["stream"] in ("ECONNREFUSED", "ENETUNREACH"), address
        assert not heard(server)
        with closing(socket.create_connection(("127.0.0.1", port), 5)):
            assert heard(server), "the server itself must not be at fault"


def test_abstract_sockets_of_the_host_cannot_be_reached(session: Session, attack: Compile) -> None:
    """They have no place in the file system: only another network namespace keeps them apart."""
    name = new_marker()
    with listening(socket.AF_UNIX, f"\0{name}") as server:
        found = outcomes(session, attack("connect"), "abstract", name)
        assert found == {"stream": "ECONNREFUSED", "datagram": "ECONNREFUSED"}
        assert name not in shell(session, "cat /proc/net/unix").text
        assert name in Path("/proc/net/unix").read_text()
        assert not heard(server)


def test_sockets_in_the_hosts_file_system_cannot_be_reached(session: Session, attack: Compile, tmp_path: Path) -> None:
    path = str(tmp_path / "socket")
    with listening(socket.AF_UNIX, path) as server:
        assert outcomes(session, attack("connect"), "path", path) == {"stream": "ENOENT", "datagram": "ENOENT"}
        assert not heard(server)


@pytest.mark.parametrize("address", ["192.0.2.1", "1.1.1.1", "169.254.169.254", "10.0.0.1", "255.255.255.255"])
def test_the_world_outside_cannot_be_reached(session: Session, attack: Compile, address: str) -> None:
    """Not even the address where clouds hand out credentials. No route is an error at once, not a time-out."""
    found = outcomes(session, attack("connect"), "inet", address, "80")
    assert set(found.values()) <= {"ENETUNREACH", "EACCES"}


def test_there_is_loopback_and_nothing_else(session: Session) -> None:
    lines = shell(session, "cat /proc/net/dev").text.splitlines()[2:]
    assert [line.split(":")[0].strip() for line in lines] == ["lo"]
    assert len(shell(session, "cat /proc/net/route").text.splitlines()) <= 1


def test_names_outside_are_not_found(session: Session) -> None:
    result = shell(session, "getent hosts example.org || timeout 5 bash -c '</dev/tcp/example.org/80'")
    assert result.exit_code != 0


def test_sessions_do_not_reach_each_other(start: Start, attack: Compile) -> None:
    """Each has a loopback of its own, which works inside."""
    one, other = start(), start()
    here = "127.0.0.1", "8000"
    with closing(one.open([put(one, attack("connect"), "/tmp/serve"), "serve", *here])) as server:
        assert server.receive(30) == b"ready\n"
        assert outcomes(one, attack("connect"), "inet", *here)["stream"] == "done"
        assert outcomes(other, attack("connect"), "inet", *here)["stream"] == "ECONNREFUSED"


def _addresses() -> set[str]:
    """The machine's own addresses, as far as its name tells."""
    try:
        return set(socket.gethostbyname_ex(socket.gethostname())[2])
    except OSError:
        return set()
