"""Servers of this machine's that tests of networks use, and requests to the proxy of a session, byte by byte."""

from __future__ import annotations

import http.server
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.error import URLError
from urllib.request import urlopen

from intercode_sandbox.network.variables import PORT
from intercode_sandbox.session import Session
from intercode_sandbox.testing.patience import patience

GREETING = b"welcome\n"


class WebServer(http.server.ThreadingHTTPServer):
    """Greets, sends who asks for /to/ADDRESS there, and notes what it was asked: first lines, headers and bodies."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.heard: list[str] = []

    @property
    def name(self) -> str:
        """As a list of allowed hosts has it."""
        return f"127.0.0.1:{self.server_port}"


class _Handler(http.server.BaseHTTPRequestHandler):
    server: WebServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.heard.append(f"{self.requestline}\n{self.headers}{body.decode()}")
        if self.path.startswith("/bytes/"):
            self._send_bytes(int(self.path.removeprefix("/bytes/").rstrip("/")))
            return
        target = self.path.removeprefix("/to/")
        self.send_response(302 if target != self.path else 200)
        if target != self.path:
            self.send_header("Location", f"http://{target}/")
        self.send_header("Content-Length", str(len(GREETING)))
        self.end_headers()
        self.wfile.write(GREETING)

    do_POST = do_GET

    def _send_bytes(self, size: int) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(size))
        self.end_headers()
        self.wfile.write(bytes(size))

    def log_message(self, *words: object) -> None:
        """Say nothing."""


@contextmanager
def web_server() -> Iterator[WebServer]:
    """A server on this machine's loopback device."""
    with WebServer() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def ask(session: Session, *requests: bytes, port: int = PORT) -> bytes:
    """Send the bytes to the proxy of *session*, in one connection; the whole answer."""
    session.write("/tmp/requests", b"".join(requests))
    script = f"exec 3<>/dev/tcp/127.0.0.1/{port} || exit 9; cat /tmp/requests >&3 & timeout 20 cat <&3"
    return session.run(["/bin/bash", "-c", script], timeout=patience(30)).output


_FETCH = """
import sys, urllib.error, urllib.request
try:
    answer = urllib.request.urlopen(sys.argv[1], timeout=20)
except urllib.error.HTTPError as error:
    answer = error
except urllib.error.URLError as error:
    sys.exit(str(error.reason))
sys.stdout.buffer.write(answer.read())
"""

FETCH = (
    "no_proxy= NO_PROXY= python3 -c 'import sys, urllib.request as r; "
    "sys.stdout.buffer.write(r.urlopen(sys.argv[1], timeout=20).read())' http://{}/"
)
"""A command that knows the proxy from its variables, as most do, and asks it for the host's own servers too.

Python's, since a bare machine has neither curl nor wget. Format it with a host and a path.
"""


def fetch(session: Session, address: str) -> str:
    """Return what a program in *session* gets from *address*, redirects followed: the body, or the error in words."""
    command = ["/usr/bin/env", "no_proxy=", "NO_PROXY=", "python3", "-c", _FETCH, address]
    return session.run(command, timeout=patience(30)).text


def status(answer: bytes) -> int:
    """The status in an answer's first line; 0 where there was none."""
    words = answer.split(b" ", 2)
    return int(words[1]) if answer.startswith(b"HTTP/1.") and len(words) > 1 else 0


def why_no_registry() -> str:
    """Why PyPI cannot be reached from this machine itself; "" where it can."""
    if os.environ.get("https_proxy") or os.environ.get("HTTPS_PROXY"):
        return "this machine reaches PyPI through a proxy of its own"
    try:
        with urlopen("https://pypi.org/simple/six/", timeout=20):
            return ""
    except (URLError, TimeoutError) as error:
        return f"this machine does not reach PyPI: {error}"
