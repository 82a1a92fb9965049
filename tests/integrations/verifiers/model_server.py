"""An OpenAI-compatible server whose model is a function from the messages to the reply. It streams if asked to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Messages = list[dict[str, Any]]
Model = Callable[[Messages], str]


@contextmanager
def served(model: Model) -> Iterator[str]:
    """The base URL at which *model* answers."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(model))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(model: Model) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            reply = model(asked["messages"])
            if asked.get("stream"):
                self._send("text/event-stream", "".join(_events(reply)))
            else:
                self._send("application/json", json.dumps(_completion(reply)))

        def _send(self, kind: str, text: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    return Handler


ABOUT = {"id": "chatcmpl-1", "created": 0, "model": "fake"}
USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


def _completion(reply: str) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": reply}, "finish_reason": "stop"}
    return ABOUT | {"object": "chat.completion", "choices": [choice], "usage": USAGE}


def _events(reply: str) -> Iterator[str]:
    for delta, reason in (({"role": "assistant", "content": reply}, None), ({}, "stop")):
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        yield _event(ABOUT | {"object": "chat.completion.chunk", "choices": [choice]})
    yield _event(ABOUT | {"object": "chat.completion.chunk", "choices": [], "usage": USAGE})
    yield "data: [DONE]\n\n"


def _event(value: dict[str, Any]) -> str:
    return f"data: {json.dumps(value)}\n\n"
