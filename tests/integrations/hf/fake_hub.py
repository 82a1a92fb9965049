"""A hub in memory: what is needed to make a data set, put files into it, and fetch them again."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN = "hf_token_of_a_test"
COMMIT = "a" * 40


def _oid(data: bytes) -> str:
    return sha1(data).hexdigest()


class FakeHub(ThreadingHTTPServer):
    """Holds one data set, whichever it is called."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files: dict[str, bytes] = {}
        self.made: dict[str, Any] = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def running() -> Iterator[FakeHub]:
    hub = FakeHub()
    thread = threading.Thread(target=hub.serve_forever, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        hub.shutdown()
        hub.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: FakeHub

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return self._json({"error": "unauthorized"}, 401)
        if self.path == "/api/repos/create":
            self.server.made = json.loads(body)
            return self._json({"url": f"{self.server.url}/datasets/me/mine"})
        if "/preupload/" in self.path:
            names = [each["path"] for each in json.loads(body)["files"]]
            return self._json({"files": [{"path": n, "uploadMode": "regular", "shouldIgnore": False} for n in names]})
        if "/commit/" in self.path:
            for line in map(json.loads, body.splitlines()):
                if line["key"] == "file":
                    self.server.files[line["value"]["path"]] = base64.b64decode(line["value"]["content"])
            return self._json({"commitUrl": f"{self.server.url}/datasets/me/mine/commit/{COMMIT}", "commitOid": COMMIT})
        return self._json({"valid": True}, 200 if "validate-yaml" in self.path else 404)

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        if "/tree/" in self.path:
            there = self.server.files.items()
            return self._json(
                [{"type": "file", "path": name, "size": len(each), "oid": _oid(each)} for name, each in there]
            )
        if self.path.startswith("/api/datasets/"):
            found = [{"rfilename": name} for name in self.server.files]
            return self._json({"id": "me/mine", "sha": COMMIT, "siblings": found, "private": True, "downloads": 0})
        data = self.server.files.get(self.path.partition("/resolve/")[2].partition("/")[2])
        if data is None:
            self.send_response(404)
            self.send_header("X-Error-Code", "EntryNotFound")
            self.send_header("X-Repo-Commit", COMMIT)
            self.send_header("Content-Length", "0")
            return self.end_headers()
        return self._send(data, 200, "application/octet-stream")

    def _json(self, value: Any, status: int = 200) -> None:
        self._send(json.dumps(value).encode(), status, "application/json")

    def _send(self, data: bytes, status: int, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("ETag", f'"{_oid(data)}"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, format: str, *arguments: Any) -> None:
        pass
