"""Attacks on a session's network: past the proxy, through another session's, and beyond the session's end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from network_servers import GREETING, WebServer, ask, fetch

from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.errors import SandboxError
from intercode_sandbox.images import Image
from intercode_sandbox.network.usage import MOST_HOSTS
from intercode_sandbox.network.variables import BUNDLE, PORT
from intercode_sandbox.sandbox import Limits, Session

from .conftest import Compile, Start
from .host import becomes_true, exists, marked, new_marker, outcomes, parent, shell, successes
from .test_network import listening


@pytest.mark.parametrize("address", ["192.0.2.1", "1.1.1.1", "169.254.169.254", "10.0.0.1", "255.255.255.255"])
def test_packets_do_not_get_out(open_session: Session, attack: Compile, address: str) -> None:
    """TCP and UDP past the proxy: there is no route."""
    for port in ("53", "80", "443"):
        assert set(outcomes(open_session, attack("connect"), "inet", address, port).values()) <= {
            "ENETUNREACH",
            "EACCES",
        }


RAW = r"""
#include "attack.h"
#include <arpa/inet.h>
#include <netinet/in.h>

static long ping(int handle) {
    struct sockaddr_in there = {.sin_family = AF_INET, .sin_addr = {inet_addr("1.1.1.1")}};
    struct sockaddr_in6 there6 = {.sin6_family = AF_INET6, .sin6_addr = {{{0x26, 6, 0x47}}}};
    static const char echo[16] = {8};
    if (handle < 0) return -1;
    return sendto(handle, echo, sizeof echo, 0, (void *)&there, sizeof there) < 0 &&
           sendto(handle, echo, sizeof echo, 0, (void *)&there6, sizeof there6) < 0 ? -1 : 0;
}

int main() {
    ATTEMPT("raw-icmp", ping(socket(AF_INET, SOCK_RAW, IPPROTO_ICMP)));
    ATTEMPT("icmp", ping(socket(AF_INET, SOCK_DGRAM, IPPROTO_ICMP)));
    ATTEMPT("raw", ping(socket(AF_INET, SOCK_RAW, IPPROTO_RAW)));
    ATTEMPT("raw-icmp6", ping(socket(AF_INET6, SOCK_RAW, IPPROTO_ICMPV6)));
    ATTEMPT("icmp6", ping(socket(AF_INET6, SOCK_DGRAM, IPPROTO_ICMPV6)));
    ATTEMPT("udp6", ping(socket(AF_INET6, SOCK_DGRAM, 0)));
    ATTEMPT("packet", ping(socket(AF_PACKET, SOCK_RAW, 768)));
    ATTEMPT("vsock", ping(socket(AF_VSOCK, SOCK_STREAM, 0)));
    return 0;
}
"""


def test_nobody_is_pinged_and_no_packet_is_made_by_hand(open_session: Session, attack: Compile) -> None:
    found = outcomes(open_session, attack(RAW))
    assert len(found) == 8
    assert successes(found) == set()


def test_there_is_still_nothing_but_loopback(open_session: Session) -> None:
    lines = shell(open_session, "cat /proc/net/dev").text.splitlines()[2:]
    assert [line.split(":")[0].strip() for line in lines] == ["lo"]
    assert shell(open_session, "getent hosts pypi.org").exit_code != 0, "names are looked up outside"


def test_abstract_sockets_of_the_host_are_as_far_as_ever(open_session: Session, attack: Compile) -> None:
    name = new_marker()
    with listening(1, f"\0{name}"):
        found = outcomes(open_session, attack("connect"), "abstract", name)
        assert found == {"stream": "ECONNREFUSED", "datagram": "ECONNREFUSED"}


def test_a_session_without_a_network_has_no_proxy(session: Session, open_session: Session) -> None:
    """Not even beside one that has, of the same sandbox."""
    assert b"400 Bad Request" in ask(open_session, b"nonsense\r\n\r\n")
    assert b"Connection refused" in ask(session, b"nonsense\r\n\r\n")
    assert "proxy" not in shell(session, "env; ls /dev").text.lower()
    assert session.network_usage() is None


def test_each_session_has_what_it_was_given_itself(start: Start, server: WebServer) -> None:
    one, other = start(network=[server.name]), start(network=["pypi.org"])
    assert fetch(one, f"http://{server.name}/") == GREETING.decode()
    assert "is not among the hosts" in fetch(other, f"http://{server.name}/")
    assert len(server.heard) == 1


def test_a_branch_has_what_its_own_limits_say(start: Start, server: WebServer) -> None:
    session = start(network=[server.name])
    with session.snapshot() as snapshot:
        assert fetch(start(snapshot, network=[server.name]), f"http://{server.name}/") == GREETING.decode()
        assert b"Connection refused" in ask(start(snapshot), b"nonsense\r\n\r\n")
    assert session.changes() == []


def test_nobody_can_take_the_proxys_place_for_others(open_session: Session) -> None:
    """Nor end it: the port is taken, and no process of the session's has it."""
    take = f"import socket; socket.create_server(('127.0.0.1', {PORT}))"
    assert "in use" in shell(open_session, f'python3 -c "{take}"').text
    shell(open_session, "kill -9 -1")
    assert b"400 Bad Request" in ask(open_session, b"nonsense\r\n\r\n")


def test_nothing_goes_on_after_the_sessions_end(start: Start, server: WebServer) -> None:
    """Connections are closed, and what it used can still be asked."""
    session = start(network=[server.name])
    script = f"exec 3<>/dev/tcp/127.0.0.1/{PORT}; printf 'CONNECT {server.name} HTTP/1.1\\r\\n\\r\\n' >&3; cat <&3"
    process = session.open(["/bin/bash", "-c", script])
    assert b"200 Connection established" in process.receive(30)
    assert becomes_true(lambda: _connections_to(server) == 1)
    session.close()
    assert becomes_true(lambda: _connections_to(server) == 0)
    usage = session.network_usage()
    assert usage is not None
    assert usage.requests == 1


def test_hosts_that_were_not_reached_are_told(start: Start, server: WebServer) -> None:
    """A program's own last words seldom name them."""
    session = start(network=[server.name])
    for host in (server.name, "b.example", "A.example.", "b.example"):
        ask(session, f"GET http://{host}/ HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    for number in range(20):
        ask(session, f"CONNECT {number}.example:443 HTTP/1.1\r\nHost: {number}.example:443\r\n\r\n".encode())
    usage = session.network_usage()
    assert usage is not None
    assert {"a.example", "b.example", "0.example"} < set(usage.unreached)
    assert len(usage.unreached) == MOST_HOSTS


def _connections_to(server: WebServer) -> int:
    wanted = f"0100007F:{server.server_port:04X}"
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(fields[1] == wanted and fields[3] == "01" for fields in lines)


def test_the_proxy_ends_with_the_program_however_that_ends(tmp_path: Path) -> None:
    marker = new_marker()
    program = f"""
import os, sys
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.images import find
from intercode_sandbox.sandbox import Limits
os.environ["MARKED"] = "{marker}"
session = EmbeddedSandbox().start(find("host"), limits=Limits(network="allow"))
session.network_usage()
print("ready", flush=True)
sys.stdin.read()
"""
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"ready\n"
        (proxy,) = [pid for pid in marked("intercode_sandbox.network.server") if _has_marker(pid, marker)]
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
        assert becomes_true(lambda: not exists(proxy))


def _has_marker(pid: int, marker: str) -> bool:
    try:
        return marker.encode() in Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False


def test_a_proxy_that_dies_is_said_and_replaced(image: Image, server: WebServer) -> None:
    limits, before = Limits(network=[server.name]), _own_proxies()
    with EmbeddedSandbox(ahead=0) as sandbox, closing(sandbox.start(image, limits=limits)) as session:
        assert fetch(session, f"http://{server.name}/") == GREETING.decode()
        (proxy,) = _own_proxies() - before
        os.kill(proxy, signal.SIGKILL)
        with pytest.raises(SandboxError, match="proxy"):
            session.network_usage()
        assert "Connection refused" in fetch(session, f"http://{server.name}/")
        with sandbox.start(image, limits=limits) as fresh:
            assert fetch(fresh, f"http://{server.name}/") == GREETING.decode()


def _own_proxies() -> set[int]:
    return {pid for pid in marked("intercode_sandbox.network.server") if parent(pid) == os.getpid()}


def test_what_the_machine_trusts_is_lent_and_no_more(
    start: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, image: Image
) -> None:
    """Its authorities, and where its packages come from; no key, no user, no folder of its own."""
    authorities = tmp_path / "authorities.crt"
    authorities.write_text("an authority\n")
    for name, value in {
        "SSL_CERT_FILE": str(authorities),
        "PIP_INDEX_URL": "https://user:secret@packages.example/simple?key=secret",
        "PIP_EXTRA_INDEX_URL": "file:///opt/secret https://secret@more.example/simple",
        "NPM_CONFIG_REGISTRY": "https://secret@npm.example/",
        "HTTPS_PROXY": "http://user:secret@proxy.example:3128",
    }.items():
        monkeypatch.setenv(name, value)
    with EmbeddedSandbox(ahead=0) as sandbox, sandbox.start(image, limits=Limits(network="allow")) as session:
        said = shell(session, f"env; cat {BUNDLE}; touch {BUNDLE}; rm -r /dev/intercode").text
        assert "secret" not in said
        assert str(tmp_path) not in said
        for line in (
            "PIP_INDEX_URL=https://packages.example/simple", "UV_DEFAULT_INDEX=https://packages.example/simple",
            "PIP_EXTRA_INDEX_URL=https://more.example/simple", "NPM_CONFIG_REGISTRY=https://npm.example/",
            f"SSL_CERT_FILE={BUNDLE}", f"https_proxy=http://127.0.0.1:{PORT}", "an authority",
        ):  # fmt: skip
            assert line in said.splitlines()
        assert session.changes() == []
        with sandbox.start(image, limits=Limits(network="allow")) as other:
            assert shell(other, f"cat {BUNDLE}").text == "an authority\n"
    assert authorities.read_text() == "an authority\n"


@pytest.mark.embedded_only(reason="of a container nobody can say that it is as it was")
def test_a_session_that_has_a_network_is_never_as_it_was(open_session: Session, session: Session) -> None:
    """What was fetched once may not come again."""
    assert session.is_pristine()
    assert not open_session.is_pristine()
