"""What goes wrong in a soak: killed processes, a full disk, a model's server that errs."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from benchmarks.model_server import BODY
from benchmarks.resources import descendants

SMALL = "64m"
"""The size of the file system that runs fill up."""


@contextmanager
def small_folder() -> Iterator[Path]:
    """Provide a folder on a file system of its own, in which files soon find no room. Needs root."""
    with tempfile.TemporaryDirectory(prefix="soak-") as name:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SMALL}", "soak", name], check=True)
        try:
            yield Path(name)
        finally:
            subprocess.run(["umount", "--lazy", name], check=True)


def fill(folder: Path, seconds: float) -> None:
    """Leave no room in *folder* for some *seconds*."""
    ballast = folder / "ballast"
    try:
        with suppress(OSError), ballast.open("wb") as file:
            while True:
                file.write(bytes(1 << 20))
                file.flush()
        time.sleep(seconds)
    finally:
        ballast.unlink(missing_ok=True)


def kill_one(pid: int, draw: random.Random) -> str:
    """Kill one of the processes under *pid*, whichever; what it was."""
    under = sorted(descendants(pid))
    if not under:
        return ""
    victim = draw.choice(under)
    with suppress(OSError):
        name = Path(f"/proc/{victim}/comm").read_text().strip()
        os.kill(victim, signal.SIGKILL)
        return name
    return ""


class _Flaky(BaseHTTPRequestHandler):
    """Answers as a model does; every tenth time or so it is broken, busy, talks nonsense, or hangs up."""

    protocol_version = "HTTP/1.1"
    draw = random.Random(0)

    def do_POST(self) -> None:
        """One call of the model."""
        self.rfile.read(int(self.headers["Content-Length"]))
        luck = self.draw.random()
        if luck < 0.04:
            self._send(500, b"{}")
        elif luck < 0.07:
            self._send(429, b"{}", {"Retry-After": "0"})
        elif luck < 0.09:
            self._send(200, b'{"choices": ')
        elif luck < 0.1:
            self.close_connection = True
        else:
            self._send(200, BODY)

    def _send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (
            {"Content-Type": "application/json", "Content-Length": len(body)} | (headers or {})
        ).items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *said: Any) -> None:
        """Nothing."""


@contextmanager
def flaky_model() -> Iterator[str]:
    """Provide the base URL of a model's server that errs."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Flaky) as server, ExitStack() as stack:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        stack.callback(server.shutdown)
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
