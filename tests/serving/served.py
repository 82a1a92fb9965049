"""A server in a thread, worlds that fail on purpose, and a client of the protocol."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from websockets.sync.client import ClientConnection, connect

from intercode.errors import SandboxError
from intercode.integrations.serving.server import EpisodeServer
from intercode.integrations.serving.sessions import ServedSessions
from intercode.rewards.base import EpisodeResult, Reward
from intercode.types import Observation, Score
from intercode.worlds.bash import BashEnv

Json = dict[str, Any]

SECRET = "the-gold-that-nobody-sees"
"""What the message of a failure says here."""


class FragileEnv(BashEnv):
    """A world whose sandbox gives way at the action `break the sandbox`, and which has a bug at `hit a bug`."""

    def execute(self, text: str) -> Observation:
        if text == "break the sandbox":
            raise SandboxError(f"the session for {SECRET} is gone")
        if text == "hit a bug":
            raise ZeroDivisionError(SECRET)
        return super().execute(text)


class RaisingReward(Reward):
    """A task's own reward that cannot judge."""

    def score(self, result: EpisodeResult) -> Score:
        raise ValueError(f"{result.task.gold} is not what I like: {SECRET}")


class Client:
    """One session over a WebSocket. What it was sent is kept in `heard`."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.heard = ""

    def send(self, raw: str) -> Json:
        """Send a message as it stands; the whole answer."""
        self.socket.send(raw)
        return self.receive()

    def receive(self) -> Json:
        """The next message."""
        raw = self.socket.recv(timeout=30)
        assert isinstance(raw, str)
        self.heard += raw
        answer: Json = json.loads(raw)
        return answer

    def ask(self, kind: str, **data: Any) -> Json:
        """What is answered: the data of an observation, a state or an error."""
        found: Json = self.send(json.dumps({"type": kind, "data": data}))["data"]
        return found


class Served:
    """A server that runs in a thread."""

    def __init__(self, server: EpisodeServer, pool: ServedSessions) -> None:
        self.server, self.pool = server, pool

    @contextmanager
    def client(self, **options: Any) -> Iterator[Client]:
        """A new session."""
        url = self.server.url.replace("http", "ws") + "/ws"
        with connect(url, compression=None, proxy=None, **options) as socket:
            yield Client(socket)

    def http(self, path: str, data: Json | None = None, *, raw: bytes = b"", **headers: str) -> tuple[int, Any]:
        """Ask over HTTP (POST with *data* or *raw*): the status, and the JSON or text of the answer."""
        body = raw or (None if data is None else json.dumps(data).encode())
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(self.server.url + path, body, sent)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                status, text = answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                status, text = error.code, error.read().decode()
        return status, json.loads(text) if text[:1] in "{[" else text

    def connections(self) -> list[Any]:
        """What uvicorn has for each connection that is open."""
        return list(self.server._server.server_state.connections)

    def wait(self, holds: Callable[[], bool], seconds: float = 30.0) -> bool:
        """Whether it comes to hold within some seconds."""
        deadline = time.monotonic() + seconds
        while not holds() and time.monotonic() < deadline:
            time.sleep(0.02)
        return holds()


Serve = Callable[..., Served]
