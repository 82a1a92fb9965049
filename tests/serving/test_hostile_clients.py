"""Clients that mean harm, or have gone: none takes memory, a place or a connection for long, from us or from others."""

from __future__ import annotations

import contextlib
import json
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from served import Client, Serve, Served
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from intercode.integrations.agentgym import make_app as agentgym
from intercode.integrations.serving.memory import SMALL, TOGETHER, MemoryShare, MessageMemory

PATIENCE = 28
"""Seconds after which the server has let go of a request that does not end."""

TOKEN = "0123456789abcdef"

KEY = "dGhlIHNhbXBsZSBub25jZQ=="


@contextlib.contextmanager
def raw(served: Served, *parts: bytes) -> Iterator[socket.socket]:
    """A connection on which *parts* have been sent."""
    with socket.create_connection((served.server.host, served.server.port), 10) as made:
        for part in parts:
            made.sendall(part)
        yield made


def head(*lines: str, start: str = "GET /metadata HTTP/1.1", host: str | None = "127.0.0.1") -> bytes:
    named = () if host is None else (f"Host: {host}",)
    return "\r\n".join([start, *named, *lines, "", ""]).encode("latin-1")


def status(served: Served, *parts: bytes) -> int:
    with raw(served, *parts) as made:
        return int(made.recv(65536).split(b" ", 2)[1])


def is_closed(made: socket.socket) -> bool:
    made.settimeout(0.01)
    try:
        while made.recv(65536):
            pass
    except TimeoutError:
        return False
    except OSError:
        return True
    return True


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1:8765, evil", "localhost:evil", "localhost:", "localhost:0", "localhost:99999999", "localhost:-1",
        "localhost:+80", "localhost: 80", "me@localhost", "me:you@127.0.0.1:80", "localhost@evil",
        "evil", "evil:80", "127.0.0.1.evil", "localhost.", "127.1", "0.0.0.0", "[::1", "::1", "[::1]:x", "[::2]", "",
        "localhost:80:80", "localhost/evil", "localhost#", "localhost:٨٠",
    ],
)  # fmt: skip
def test_a_name_of_the_host_that_is_not_this_machines_is_refused(serve: Serve, host: str) -> None:
    served = serve()
    assert status(served, f"GET /metadata HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()) == 421
    upgrade = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: " + KEY)
    lines = head(*upgrade, start="GET /ws HTTP/1.1", host="HOST").replace(b"HOST", host.encode())
    assert status(served, lines) == 403


def test_a_name_given_twice_or_not_at_all_is_refused(serve: Serve) -> None:
    served = serve()
    assert status(served, head("Host: evil")) in (400, 421)
    assert status(served, head("Host: 127.0.0.1")) in (400, 421)
    assert status(served, head(host=None)) in (400, 421)
    assert status(served, head(start="GET /metadata HTTP/1.0", host=None)) == 421


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8000", "LocalHost:1", "[::1]:65535"])
def test_names_of_this_machine_are_answered_whatever_the_port_of_a_tunnel(serve: Serve, host: str) -> None:
    assert status(serve(), head(host=host)) == 200


def test_requests_that_do_not_end_are_dropped_before_a_token_is_asked_for(serve: Serve) -> None:
    served = serve(token=TOKEN)
    body = head("Content-Length: 1000", start="POST /reset HTTP/1.1")
    chunks = head("Transfer-Encoding: chunked", start="POST /reset HTTP/1.1")
    allowed = head(f"Authorization: Bearer {TOKEN}", "Content-Length: 1000", start="POST /reset HTTP/1.1")
    upgrade = head("Connection: Upgrade", "Upgrade: websocket", start="GET /ws HTTP/1.1")
    halves = [
        b"",
        b"GET /health HT",
        head()[:-2],
        body,
        body + b"x",
        chunks,
        chunks + b"5\r\nab",
        allowed,
        upgrade[:-2],
    ]
    with contextlib.ExitStack() as stack:
        made = [stack.enter_context(raw(served, half)) for half in halves]
        began = time.monotonic()
        while time.monotonic() - began < PATIENCE and not all(map(is_closed, made)):
            for each, slowly in zip(made, (b"", b"T", b"a", b"x", b"x", b"", b"x", b"x", b"a"), strict=True):
                with contextlib.suppress(OSError):
                    each.sendall(slowly)
            time.sleep(0.5)
        assert [is_closed(each) for each in made] == [True] * len(made)
    assert served.http("/health")[0] == 200


def test_a_second_request_that_does_not_end_is_dropped_too(serve: Serve) -> None:
    served = serve()
    with raw(served, head(start="GET /health HTTP/1.1")) as made:
        assert made.recv(65536).startswith(b"HTTP/1.1 200")
        began = time.monotonic()
        while not is_closed(made) and time.monotonic() - began < PATIENCE:
            with contextlib.suppress(OSError):
                made.sendall(b"X")
            time.sleep(0.5)
        assert is_closed(made)


def test_a_message_that_does_not_end_is_dropped_and_its_place_is_free(serve: Serve) -> None:
    served = serve(max_sessions=1)
    with served.client() as client:
        client.ask("reset", task=0)
        client.socket.socket.sendall(b"\x81\xfe\xff\xff" + b"mask" + b"x" * 1000)  # 65535 bytes are announced
        assert served.wait(lambda: len(served.pool) == 0, PATIENCE)
    with served.client() as client:
        assert "observation" in client.ask("reset", task=0)


def test_large_messages_wait_for_all_connections_together_up_to_a_limit(serve: Serve) -> None:
    served = serve(max_sessions=64)
    large = json.dumps({"type": "x", "data": {"a": "y" * 7_000_000}})
    worst = 0

    def send_ahead(number: int) -> None:
        with served.client(max_size=None, ping_interval=None) as client:
            client.ask("reset", task=0)
            client.socket.send(json.dumps({"type": "step", "data": {"text": "sleep 6"}}))
            with contextlib.suppress(ConnectionClosed):
                for _ in range(15):
                    client.socket.send(large)

    with ThreadPoolExecutor(12) as pool:
        clients = [pool.submit(send_ahead, number) for number in range(12)]
        while not all(each.done() for each in clients):
            worst = max(worst, served.pool.memory.used)
            time.sleep(0.01)
    assert [each.result() for each in clients] == [None] * len(clients)
    assert 0 < worst <= TOGETHER
    assert served.wait(lambda: served.pool.memory.used == 0)
    with served.client() as client:
        assert "observation" in client.ask("reset", task=0)


def test_halves_of_large_messages_are_held_up_to_the_same_limit(serve: Serve) -> None:
    served = serve(max_sessions=64)
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(served.client(ping_interval=None)) for _ in range(12)]
        for client in clients:
            part = b"\x81\xff" + (8_000_000).to_bytes(8, "big") + b"mask" + b"x" * 7_000_000
            with contextlib.suppress(OSError):
                client.socket.socket.sendall(part)
        assert served.wait(lambda: len(served.pool) < 12)
        assert served.pool.memory.used <= TOGETHER
        with served.client() as honest:  # small messages always find room
            assert "observation" in honest.ask("reset", task=0)
    assert served.wait(lambda: served.pool.memory.used == 0)


def test_large_bodies_are_held_up_to_the_same_limit(serve: Serve) -> None:
    served = serve()
    start = head("Content-Length: 8000000", start="POST /reset HTTP/1.1")
    with contextlib.ExitStack() as stack:
        made = [stack.enter_context(raw(served, start, b" " * 7_000_000)) for _ in range(9)]
        assert served.wait(lambda: served.pool.memory.used > TOGETHER - 8_000_000)
        assert served.pool.memory.used <= TOGETHER
        assert served.http("/state")[0] == 200
        assert len(made) == 9
        status, _ = served.http("/reset", raw=b" " * 7_900_000)
        assert status == 503
    assert served.wait(lambda: served.pool.memory.used == 0)


@pytest.mark.parametrize("length", ["9000000", "99999999999999999999"])
def test_a_body_that_is_announced_too_large_is_refused(serve: Serve, length: str) -> None:
    with raw(serve(), head(f"Content-Length: {length}", "Connection: close", start="POST /reset HTTP/1.1")) as made:
        made.shutdown(socket.SHUT_WR)
        assert made.recv(65536)[:12] in (b"HTTP/1.1 413", b"HTTP/1.1 400", b"")


def test_a_body_in_parts_that_grows_too_large_is_refused(serve: Serve) -> None:
    served = serve()
    parts = [b"100000\r\n" + b" " * (1 << 20) + b"\r\n"] * 9
    assert status(served, head("Transfer-Encoding: chunked", start="POST /reset HTTP/1.1"), *parts, b"0\r\n\r\n") == 413


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        ("/reset", '{"task": "\ud800"}'.encode("utf-8", "surrogatepass"), 400),
        ("/reset", b'{"task": "\xff"}', 400),
        ("/reset", b'\xff\xfe{\x00}\x00', 400),
        ("/reset", b'{"task": "\\ud800"}', 400),
        ("/reset", b'{"\xff": 1}', 400),
        ("/step", b'{"session_id": "\xff"}', 400),
        ("/close", b"\x80", 400),
        ("/intercode/task", b'{"split": "\xff"}', 400),
        ("/mcp", b"\xff", 200),
    ],
)  # fmt: skip
def test_json_that_is_no_text_is_the_clients_fault(serve: Serve, path: str, body: bytes, expected: int) -> None:
    assert serve().http(path, raw=body)[0] == expected


def test_what_is_sent_is_not_sent_back(serve: Serve) -> None:
    served = serve()
    long = "x" * 5_000_000
    for path, data in (
        ("/reset", {"task": long}),
        ("/reset", {"task": long, long: 1}),
        ("/reset", {"task": 0, long: 1, **{f"{number}": 1 for number in range(10_000)}}),
        ("/reset", {"session_id": long}),
        ("/reset", {"episode_id": long}),
        ("/reset", {"split": long, "index": 1}),
        ("/step", {"session_id": long, "action": {"text": "ls"}}),
        ("/step", {"session_id": "x", "action": {long: "ls"}}),
        ("/close", {"session_id": long}),
        ("/intercode/task", {"split": long, "index": 1}),
        ("/mcp", {"id": long}),
    ):
        _, answer = served.http(path, data)
        assert len(json.dumps(answer)) < 5000, path
    with served.client() as client:
        for message in (
            {"type": long},
            {"type": "reset", "data": {"task": long}},
            {"type": "reset", "data": {long: 1}},
        ):
            client.socket.send(json.dumps(message))
            assert len(json.dumps(client.receive())) < 5000
    gym = serve(make_app=agentgym)
    for path in ("/reset", "/step", "/close"):
        assert len(json.dumps(gym.http(path, {"env_idx": long, "action": "ls", "item_id": 0})[1])) < 5000


@pytest.mark.parametrize("make_app", [None, agentgym])
def test_a_client_that_goes_in_the_middle_of_a_step_over_http_frees_its_place(serve: Serve, make_app: object) -> None:
    served = serve(max_sessions=1, **({"make_app": make_app} if make_app else {}))
    if make_app:
        name = served.http("/create", {})[1].strip('"')
        served.http("/reset", {"env_idx": name, "item_id": 0})
        asked = {"env_idx": name, "action": "sleep 9"}
    else:
        name = served.http("/reset", {"task": 0})[1]["metadata"]["session_id"]
        asked = {"session_id": name, "action": {"text": "sleep 9"}}
    body = json.dumps(asked).encode()
    with raw(served, head(f"Content-Length: {len(body)}", start="POST /step HTTP/1.1"), body):
        assert served.wait(lambda: served.pool.find(name).is_busy)
    began = time.monotonic()
    assert served.wait(lambda: len(served.pool) == 0, 8)
    assert time.monotonic() - began < 8
    assert served.http("/create" if make_app else "/reset", {})[0] == 200


def frame(kind: int, data: bytes) -> bytes:
    """A whole frame of a client's, masked by zeros."""
    size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + len(data).to_bytes(2, "big")
    return bytes([0x80 | kind]) + size + bytes(4) + data


@contextlib.contextmanager
def deaf(served: Served) -> Iterator[socket.socket]:
    """A WebSocket whose client reads nothing after it is open."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.settimeout(5)
    made.connect((served.server.host, served.server.port))
    upgrade = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: " + KEY)
    made.sendall(head(*upgrade, start="GET /ws HTTP/1.1"))
    assert made.recv(1000).startswith(b"HTTP/1.1 101")
    with made:
        yield made


def test_a_client_that_reads_nothing_while_it_is_answered_is_let_go(serve: Serve) -> None:
    served = serve(max_sessions=1)
    with deaf(served) as made:
        made.sendall(frame(1, json.dumps({"type": "reset", "data": {"task": 0}}).encode()))
        step = {"type": "step", "data": {"text": "head -c 1000000 /dev/zero | tr '\\0' x"}}
        for _ in range(9):
            made.sendall(frame(1, json.dumps(step).encode()))
        assert served.wait(lambda: len(served.pool) == 1)
        assert served.wait(lambda: len(served.pool) == 0, 75)
    assert served.http("/reset", {"task": 0})[0] == 200


def test_pings_of_a_client_that_reads_no_answers_are_not_answered_without_end(serve: Serve) -> None:
    served = serve()
    with deaf(served) as made, contextlib.suppress(OSError):
        for _ in range(300):
            made.sendall(frame(9, b"x" * 125) * 1000)
            waiting = [each.transport.get_write_buffer_size() for each in served.connections()]
            assert max(waiting, default=0) < 2 << 20
    assert served.http("/health")[0] == 200


def test_an_opening_of_a_websocket_that_is_malformed_is_refused_without_a_trace(
    serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    served = serve()
    upgrade = ("Connection: Upgrade", "Upgrade: websocket")
    many = [f"X-{number}: {number}" for number in range(500)]
    long = "X: " + "y" * 20_000
    for lines in (upgrade, (*upgrade, *many), (*upgrade, long), (*upgrade, "Sec-WebSocket-Key: x")):
        with raw(served, head(*lines, start="GET /ws HTTP/1.1")) as made, contextlib.suppress(OSError):
            assert b" 101 " not in made.recv(65536)
    assert served.http("/health")[0] == 200
    assert "Traceback" not in caplog.text


def test_heads_without_end_are_refused(serve: Serve) -> None:
    served = serve()
    with raw(served, b"GET / HTTP/1.1\r\n") as made, contextlib.suppress(OSError):
        for _ in range(100):
            made.sendall(b"X: " + b"y" * 10_000 + b"\r\n")
        assert made.recv(100)[:12] in (b"HTTP/1.1 400", b"HTTP/1.1 431", b"")
    assert served.http("/health")[0] == 200


def test_a_message_that_is_packed_is_not_unpacked(serve: Serve) -> None:
    served = serve()
    with connect(served.server.url.replace("http", "ws") + "/ws", compression="deflate", proxy=None) as socket:
        assert socket.response is not None
        assert "permessage-deflate" not in (socket.response.headers.get("Sec-WebSocket-Extensions") or "")
        assert Client(socket).ask("state")["status"] is None


def test_a_share_is_given_back_and_small_ones_are_free() -> None:
    memory = MessageMemory(1000)
    first, second = MemoryShare(memory), MemoryShare(memory)
    assert first.hold(SMALL + 900)
    assert not second.hold(SMALL + 200)
    assert second.hold(SMALL)
    assert first.hold(SMALL + 100)
    assert second.hold(SMALL + 900)
    first.hold(0)
    second.hold(0)
    assert memory.used == 0
