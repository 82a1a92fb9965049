"""Attacks on a session's network: requests that are read in two ways, that never end, and too many of them."""

from __future__ import annotations

import time

import pytest
from network_servers import FETCH, GREETING, WebServer, ask, fetch, status
from proxy_in_test import proxy_of

from intercode_sandbox.network.proxy import ProxyLimits
from intercode_sandbox.network.variables import PORT
from intercode_sandbox.sandbox import Session
from intercode_sandbox.testing.patience import patience

from .conftest import Start
from .host import becomes_true


@pytest.fixture
def allowed(start: Start, server: WebServer) -> Session:
    """A session that may reach this server, and nothing else."""
    return start(network=[server.name], seconds=patience(60))


SMUGGLED = {
    "two lengths": b"POST http://{0}/ HTTP/1.1\r\nContent-Length: 0\r\nContent-Length: 40\r\n\r\n",
    "a list of lengths": b"POST http://{0}/ HTTP/1.1\r\nContent-Length: 0, 40\r\n\r\n",
    "a length with a sign": b"POST http://{0}/ HTTP/1.1\r\nContent-Length: +4\r\n\r\nbody",
    "a length below nothing": b"POST http://{0}/ HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    "a length in hexadecimal": b"POST http://{0}/ HTTP/1.1\r\nContent-Length: 0x4\r\n\r\nbody",
    "length and chunks": b"PUT http://{0} HTTP/1.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunks": b"POST http://{0}/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "hidden chunks": b"POST http://{0}/ HTTP/1.1\r\nTransfer-Encoding: x\tchunked\r\nContent-Length: 0\r\n\r\n",
    "a space before the colon": b"GET http://{0}/ HTTP/1.1\r\nContent-Length : 40\r\n\r\n",
    "a folded header": b"GET http://{0}/ HTTP/1.1\r\nX: a\r\n Host: private\r\n\r\n",
    "a header without a colon": b"GET http://{0}/ HTTP/1.1\r\nnothing\r\n\r\n",
    "a header without a name": b"GET http://{0}/ HTTP/1.1\r\n: value\r\n\r\n",
    "a bare line feed": b"GET http://{0}/ HTTP/1.1\r\nX: a\nHost: private\r\n\r\n",
    "a bare carriage return": b"GET http://{0}/ HTTP/1.1\r\nX: a\rHost: private\r\n\r\n",
    "a NUL": b"GET http://{0}/ HTTP/1.1\r\nX: a\0b\r\n\r\n",
    "another host": b"GET http://{0}/ HTTP/1.1\r\nHost: private.example\r\n\r\n",
    "two hosts": b"GET http://{0}/ HTTP/1.1\r\nHost: {0}\r\nHost: private.example\r\n\r\n",
    "another port in Host": b"GET http://{0}/ HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n",
    "a user": b"GET http://user:word@{0}/ HTTP/1.1\r\n\r\n",
    "a host for a user": b"GET http://private.example@{0}/ HTTP/1.1\r\n\r\n",
    "a backslash": b"GET http://{0}\\@private.example/ HTTP/1.1\r\n\r\n",
    "a fragment": b"GET http://{0}/#@private.example HTTP/1.1\r\n\r\n",
    "another scheme": b"GET ftp://{0}/ HTTP/1.1\r\n\r\n",
    "a file": b"GET file:///etc/passwd HTTP/1.1\r\n\r\n",
    "https that is no tunnel": b"GET https://{0}/ HTTP/1.1\r\n\r\n",
    "a path alone": b"GET / HTTP/1.1\r\nHost: {0}\r\n\r\n",
    "a star": b"OPTIONS * HTTP/1.1\r\nHost: {0}\r\n\r\n",
    "a tunnel to no port": b"CONNECT 127.0.0.1 HTTP/1.1\r\n\r\n",
    "a tunnel to an address of the web": b"CONNECT http://{0}/ HTTP/1.1\r\n\r\n",
    "an unknown method": b"BREW http://{0}/ HTTP/1.1\r\n\r\n",
    "a method that shows heads": b"TRACE http://{0}/ HTTP/1.1\r\n\r\n",
    "a method in lower case": b"get http://{0}/ HTTP/1.1\r\n\r\n",
    "two spaces": b"GET  http://{0}/ HTTP/1.1\r\n\r\n",
    "a space in the address": b"GET http://{0}/ x HTTP/1.1\r\n\r\n",
    "no version": b"GET http://{0}/\r\n\r\n",
    "a version to come": b"GET http://{0}/ HTTP/2.0\r\n\r\n",
    "the second version": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "an empty first line": b"\r\nGET http://{0}/ HTTP/1.1\r\n\r\n",
    "a hello of TLS": b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03\r\n\r\n",
    "SOCKS": b"\x05\x01\x00\x05\x01\x00\x01\x7f\x00\x00\x01\x00\x50\r\n\r\n",
}


@pytest.mark.parametrize("kind", SMUGGLED)
def test_what_can_be_read_in_two_ways_is_refused(allowed: Session, server: WebServer, kind: str) -> None:
    answer = ask(allowed, SMUGGLED[kind].replace(b"{0}", server.name.encode()))
    assert status(answer) in (400, 411, 501), answer
    assert server.heard == []


def test_behind_one_request_no_other_gets_through(allowed: Session, server: WebServer) -> None:
    """Not even to the same server, which may serve names that are not listed."""
    name = server.name.encode()
    one = (
        b"POST http://%b/one HTTP/1.1\r\nContent-Length: 4\r\nConnection: keep-alive, content-length\r\n\r\nbody" % name
    )
    answer = ask(allowed, one, b"GET /two HTTP/1.1\r\nHost: private.example\r\n\r\n")
    assert answer.count(b"200 OK") == 1
    (heard,) = server.heard
    assert heard.startswith("POST /one HTTP/1.1\n")
    assert heard.endswith("body")
    assert "Connection: close" in heard


def test_what_is_meant_for_the_proxy_stays_there(allowed: Session, server: WebServer) -> None:
    secret = "Proxy-Authorization: word\r\nX-Hop: word\r\nConnection: X-Hop\r\nUpgrade: websocket\r\nTE: trailers\r\n"
    assert GREETING in ask(allowed, f"GET http://{server.name} HTTP/1.1\r\n{secret}X-Kept: yes\r\n\r\n".encode())
    (heard,) = server.heard
    assert "X-Kept: yes" in heard
    assert "word" not in heard
    assert "websocket" not in heard
    assert f"Host: {server.name}" in heard


@pytest.mark.parametrize("size", [17 << 10, 1 << 20])
def test_a_huge_head_is_refused(allowed: Session, server: WebServer, size: int) -> None:
    head = b"GET http://%b/ HTTP/1.1\r\nX: %b\r\n\r\n" % (server.name.encode(), b"x" * size)
    assert status(ask(allowed, head)) in (0, 431)  # 0: it is closed while the rest still comes
    assert server.heard == []
    assert fetch(allowed, f"http://{server.name}/") == GREETING.decode()


def test_heads_that_come_byte_by_byte_are_not_waited_for(session: Session, server: WebServer) -> None:
    drip = f"exec 3<>/dev/tcp/127.0.0.1/{PORT}; for i in $(seq 100); do printf x >&3 || exit 7; sleep 0.1; done"
    with proxy_of(session, (server.name,), limits=ProxyLimits(head_seconds=0.5, connections=2)):
        began = time.monotonic()
        many = session.run(["/bin/bash", "-c", f"for n in 1 2; do (trap '' PIPE; {drip}) & done; wait"], timeout=60)
        assert not many.timed_out
        assert time.monotonic() - began < patience(8), "all of it would take 10 s"
        assert GREETING in ask(session, f"GET http://{server.name}/ HTTP/1.1\r\n\r\n".encode())


def test_connections_at_once_are_few_and_others_wait(session: Session, server: WebServer) -> None:
    hold = f"for n in $(seq 40); do exec {{fd}}<>/dev/tcp/127.0.0.1/{PORT} || exit 9; done; echo held; sleep 100"
    with proxy_of(session, (server.name,), limits=ProxyLimits(connections=4, head_seconds=1.0)) as proxy:
        holder = session.open(["/bin/bash", "-c", hold])
        assert holder.receive(30) == b"held\n"
        assert becomes_true(lambda: proxy.open_connections == 4)
        holder.close()
        assert GREETING in ask(session, f"GET http://{server.name}/ HTTP/1.1\r\n\r\n".encode())


def test_a_session_that_floods_the_proxy_does_not_hold_up_another(start: Start, server: WebServer) -> None:
    flood = f"while :; do exec 3<>/dev/tcp/127.0.0.1/{PORT}; printf 'GET / HTTP/1.1\\r\\n\\r\\n' >&3; done 2>/dev/null"
    hostile, other = start(network="allow"), start(network=[server.name])
    with hostile.open(["/bin/bash", "-c", f"for n in 1 2 3 4; do ({flood}) & done; wait"]):
        assert becomes_true(lambda: _refused(hostile) > 50)
        began = time.monotonic()
        assert fetch(other, f"http://{server.name}/") == GREETING.decode()
        assert time.monotonic() - began < patience(5)
    assert _refused(other) == 0


def _refused(session: Session) -> int:
    usage = session.network_usage()
    assert usage is not None
    return usage.refused


def test_what_is_sent_has_an_end(session: Session, server: WebServer) -> None:
    with proxy_of(session, (server.name,), limits=ProxyLimits(sent=100_000)) as proxy:
        length = 1 << 20
        head = f"POST http://{server.name}/ HTTP/1.1\r\nContent-Length: {length}\r\n\r\n".encode()
        assert GREETING not in ask(session, head + b"x" * length)
        assert proxy.usage.sent < 300_000
        assert status(ask(session, f"GET http://{server.name}/ HTTP/1.1\r\n\r\n".encode())) == 429
    assert server.heard == [] or "x" * length not in server.heard[0]


def test_what_is_received_has_an_end(session: Session, server: WebServer) -> None:
    with proxy_of(session, (server.name,), limits=ProxyLimits(received=50)):
        assert GREETING not in ask(session, f"GET http://{server.name}/ HTTP/1.1\r\n\r\n".encode())
        assert status(ask(session, f"GET http://{server.name}/ HTTP/1.1\r\n\r\n".encode())) == 429


def test_requests_are_counted_and_have_an_end(session: Session, server: WebServer) -> None:
    with proxy_of(session, (server.name,), limits=ProxyLimits(requests=2)) as proxy:
        request = f"GET http://{server.name}/ HTTP/1.1\r\n\r\n".encode()
        assert [status(ask(session, request)) for _ in range(3)] == [200, 200, 429]
        assert (proxy.usage.requests, proxy.usage.refused) == (2, 1)


def test_a_tunnel_in_which_nothing_happens_ends(session: Session, server: WebServer) -> None:
    with proxy_of(session, (server.name,), limits=ProxyLimits(idle_seconds=0.3)):
        began = time.monotonic()
        assert b"200 Connection established" in ask(session, f"CONNECT {server.name} HTTP/1.1\r\n\r\n".encode())
        assert time.monotonic() - began < patience(10)


def test_a_long_answer_arrives_whole_however_slowly_it_is_read(allowed: Session, server: WebServer) -> None:
    size = 8 << 20
    slow = FETCH.format(f"{server.name}/bytes/{size}") + " | (sleep 1; wc -c)"
    assert allowed.run(["/bin/bash", "-c", slow], timeout=patience(60)).text.strip() == str(size)


def test_a_side_that_says_nothing_does_not_end_one_that_does(session: Session, server: WebServer) -> None:
    with proxy_of(session, (server.name,), limits=ProxyLimits(idle_seconds=0.8)):
        get = f"GET /{{}} HTTP/1.1\\r\\nHost: {server.name}\\r\\n\\r\\n"
        script = f"exec 3<>/dev/tcp/127.0.0.1/{PORT}; printf 'CONNECT {server.name} HTTP/1.1\\r\\n\\r\\n' >&3; "
        script += f"for n in 1 2 3 4 5; do printf '{get.format('x')}' >&3; sleep 0.4; done; timeout 5 cat <&3"
        answer = session.run(["/bin/bash", "-c", script], timeout=patience(30)).output
    assert answer.count(GREETING) == 5
