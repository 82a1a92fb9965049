"""Attacks on a session's network: hosts, addresses and ports that must not be reached, however they are spelled."""

from __future__ import annotations

import socket

import pytest
from network_servers import GREETING, WebServer, ask, fetch, status, web_server
from proxy_in_test import Names, proxy_of

from intercode_sandbox.errors import UserError
from intercode_sandbox.network.addresses import is_own, is_public
from intercode_sandbox.network.hosts import address_of
from intercode_sandbox.sandbox import Limits, Session

from .conftest import Start

OURS = (
    "127.0.0.1", "127.1.2.3", "localhost", "LocalHost", "localhost.", "0.0.0.0", "0", "127.1", "2130706433",
    "017700000001", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "127.0.0.1.", "[::1]", "[::]", "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[::1%lo]",
    "[127.0.0.1]", "127.0.0.1%00.pypi.org", "\uff11\uff12\uff17.0.0.1",
)  # fmt: skip


@pytest.mark.parametrize("host", OURS)
def test_this_machine_is_not_reached_however_it_is_spelled(open_session: Session, server: WebServer, host: str) -> None:
    """Neither by a plain request nor by a tunnel, at a port that would be allowed and at one that listens."""
    for port in (server.server_port, 80, 443):
        name = f"{host}:{port}".encode()
        for request in (b"GET http://%b/ HTTP/1.1\r\nHost: %b\r\n\r\n", b"CONNECT %b HTTP/1.1\r\nHost: %b\r\n\r\n"):
            assert status(ask(open_session, request % (name, name))) in (400, 403, 502)
    assert server.heard == []


PRIVATE = (
    "10.0.0.1", "172.16.0.1", "172.31.255.254", "192.168.0.1", "100.64.0.1", "198.18.0.1", "192.0.0.1",
    "169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "192.0.0.192", "224.0.0.1", "240.0.0.1",
    "255.255.255.255", "[fd00::1]", "[fe80::1]", "[fec0::1]", "[ff02::1]", "[fd00:ec2::254]", "[::ffff:a9fe:a9fe]",
    "[::ffff:10.0.0.1]", "[64:ff9b::a00:1]", "[2001::1]", "[100::1]",
)  # fmt: skip


@pytest.mark.parametrize("host", PRIVATE)
def test_private_addresses_and_those_of_clouds_are_not_reached(open_session: Session, host: str) -> None:
    for method in (b"GET http://%b/ HTTP/1.1", b"CONNECT %b:443 HTTP/1.1", b"CONNECT %b:80 HTTP/1.1"):
        assert status(ask(open_session, method % host.encode() + b"\r\n\r\n")) == 403


@pytest.mark.parametrize("port", [21, 22, 25, 53, 2375, 3306, 5432, 6379, 8080, 0, 65536, 99999])
def test_only_the_ports_of_the_web_are_reached(open_session: Session, port: int) -> None:
    for request in (b"CONNECT 1.1.1.1:%d HTTP/1.1\r\n\r\n", b"GET http://1.1.1.1:%d/ HTTP/1.1\r\n\r\n"):
        assert status(ask(open_session, request % port)) in (400, 403)


def test_the_machines_own_addresses_and_its_neighbours_are_not_public() -> None:
    """Whatever range they are from: services that listen on all addresses, and routers that trust who is near."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("1.1.1.1", 9))
        except OSError:
            pytest.skip("this machine has no route to anywhere")
        own = address_of(probe.getsockname()[0])
    assert own is not None
    assert is_own(own)
    assert not is_public(own)
    assert not is_public(own + 1), "a neighbour"


LISTED = ("pypi.org", "*.example.org")


@pytest.mark.parametrize(
    "host",
    [
        "evil.org", "notpypi.org", "pypi.org.evil.org", "evil.org.", "files.pypi.org", "example.org", "evilexample.org",
        "example.org.evil.org", "xn--ppi-7qa.org", "pypi.org%2eevil.org", "pypi.org@evil.org", "evil.org#pypi.org",
        "evil.org?pypi.org", "evil.org\\@pypi.org", "pypi.org\x00.evil.org", "p\u0443pi.org", "pypi..org", ".pypi.org",
        "-pypi.org", "pypi.org:80:443", "1.1.1.1", "[2606:4700::1111]", "",
    ],
)  # fmt: skip
def test_a_host_that_is_not_listed_is_refused_and_not_even_looked_up(session: Session, host: str) -> None:
    names = Names({name: [["1.1.1.1"]] for name in ("evil.org", "notpypi.org", "pypi.org.evil.org", "example.org")})
    with proxy_of(session, LISTED, names):
        plain, tunnel = (host.encode(), host.encode()) if ":80:" in host else (host.encode(), host.encode() + b":443")
        assert status(ask(session, b"CONNECT %b HTTP/1.1\r\n\r\n" % tunnel)) in (400, 403)
        assert status(ask(session, b"GET http://%b/ HTTP/1.1\r\n\r\n" % plain)) in (400, 403)
    assert names.asked == []


@pytest.mark.parametrize("host", ["pypi.org", "PyPI.org", "pypi.org.", "a.b.example.org", "A.EXAMPLE.ORG."])
def test_a_listed_host_is_known_in_every_spelling_of_the_same_name(session: Session, host: str) -> None:
    names = Names({"pypi.org": [["127.0.0.1"]], "a.b.example.org": [["::1"]], "a.example.org": [["10.0.0.1"]]})
    with proxy_of(session, LISTED, names):
        answer = ask(session, f"CONNECT {host}:443 HTTP/1.1\r\n\r\n".encode())
    assert names.asked == [host.lower().rstrip(".")]
    assert b"leads to no public address" in answer, "and is refused for where it leads"


REBOUND: dict[str, list[list[str]]] = {
    "loopback": [["127.0.0.1"]],
    "loopback of IPv6": [["::1"]],
    "mapped": [["::ffff:127.0.0.1"]],
    "translated": [["64:ff9b::7f00:1"]],
    "unspecified": [["0.0.0.0"]],
    "metadata": [["169.254.169.254"]],
    "private": [["10.0.0.1"], ["192.168.1.1"]],
    "zone": [["fe80::1%eth0"]],
    "no address": [[]],
}


@pytest.mark.parametrize("kind", REBOUND)
def test_a_name_that_leads_into_the_machine_is_refused(session: Session, server: WebServer, kind: str) -> None:
    """By the very address that would be connected to. The list allows the name and the port."""
    name = f"rebound.example:{server.server_port}"
    with proxy_of(session, (name,), Names({"rebound.example": REBOUND[kind]})):
        for request in (f"GET http://{name}/ HTTP/1.1\r\n\r\n", f"CONNECT {name} HTTP/1.1\r\n\r\n"):
            assert status(ask(session, request.encode())) == 403
    assert server.heard == []


def test_a_name_that_leads_elsewhere_at_the_second_look_is_looked_up_once(session: Session, server: WebServer) -> None:
    """The first answer is listed with its address; whoever asked again before connecting would reach this machine."""
    name = f"rebound.example:{server.server_port}"
    names = Names({"rebound.example": [["127.0.0.2"], ["127.0.0.1"]]})
    with proxy_of(session, (name, "127.0.0.2"), names):
        assert status(ask(session, f"GET http://{name}/ HTTP/1.1\r\n\r\n".encode())) == 502
        assert names.asked == ["rebound.example"]
        assert status(ask(session, f"GET http://{name}/ HTTP/1.1\r\n\r\n".encode())) == 403
    assert server.heard == []


def test_of_several_addresses_only_those_that_may_be_reached_are_tried(session: Session, server: WebServer) -> None:
    name = f"both.example:{server.server_port}"
    with proxy_of(session, (name, "127.0.0.3"), Names({"both.example": [["127.0.0.1", "127.0.0.3"]]})):
        assert status(ask(session, f"GET http://{name}/ HTTP/1.1\r\n\r\n".encode())) == 502
    assert server.heard == []


def test_a_redirect_does_not_lead_to_a_host_that_is_not_listed(start: Start) -> None:
    with web_server() as allowed, web_server() as private:
        session = start(network=[allowed.name])
        assert fetch(session, f"http://{allowed.name}/") == GREETING.decode()
        assert "is not among the hosts" in fetch(session, f"http://{allowed.name}/to/{private.name}")
        assert "is not among the hosts" in fetch(session, f"http://{allowed.name}/to/169.254.169.254")
        assert private.heard == []


@pytest.mark.parametrize(
    "hosts",
    [
        ["169.254.169.254"], ["169.254.170.2:80"], ["[fd00:ec2::254]"], ["::ffff:169.254.169.254"], ["168.63.129.16"],
        ["100.100.100.200"], ["fe80::1"], ["*"], ["*.*.org"], ["10.0.0.0/8"], ["http://pypi.org"], ["pypi.org/simple"],
        ["pypi.org:0"], ["pypi.org:65536"], ["pypi.org:http"], ["2130706433"], ["0x7f.1"], [""], [7], 7,
        "pypi.org/simple", None,
        ["*.10.0.0.1"], ["a" * 64 + ".org"], ["user@pypi.org"], [f"h{i}.example.org" for i in range(257)],
    ],
)  # fmt: skip
def test_a_list_that_cannot_be_is_refused_at_the_door(hosts: object) -> None:
    """So is one that names an address where machines hand out credentials."""
    with pytest.raises(UserError):
        Limits(network=hosts)  # type: ignore[arg-type]
