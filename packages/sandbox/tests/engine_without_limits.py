"""An engine that takes every container and leaves its limits out, as rootless ones may, on old control groups."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingUnixStreamServer
from typing import Any

VERSION = {"ApiVersion": "1.41", "Version": "4.3.1"}


class Server(ThreadingUnixStreamServer):
    """`containers` are those that are there, `made` is how many there ever were."""

    daemon_threads = True

    def __init__(self, address: Path, facts: Mapping[str, Any]) -> None:
        super().__init__(str(address), Handler)
        self.facts, self.containers, self.made = facts, set[str](), 0
        self.url = f"unix://{address}"


class Handler(BaseHTTPRequestHandler):
    """The few questions that are asked before a container starts."""

    server: Server

    def do_GET(self) -> None:
        name = self.path.rpartition("/")[2].partition("?")[0]
        answers = {"version": VERSION, "info": self.server.facts, "json": {"HostConfig": {"Memory": 0, "PidsLimit": 0}}}
        self._answer(200, answers.get(name, {}))

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.made += 1
        self.server.containers.add("c0ffee")
        self._answer(201, {"Id": "c0ffee"})

    def do_DELETE(self) -> None:
        self.server.containers.discard("c0ffee")
        self._answer(204, None)

    def address_string(self) -> str:
        return "a socket"

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is printed."""

    def _answer(self, status: int, body: Any) -> None:
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def engine_without_limits(address: Path, facts: Mapping[str, Any]) -> Iterator[Server]:
    """It listens at *address* and says of itself what *facts* says."""
    with Server(address, facts) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
