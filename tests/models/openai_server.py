"""A real HTTP server on loopback that speaks OpenAI's chat protocol, and fails in every way that servers do.

It runs in threads of a test, or as a process of its own: python openai_server.py FILE-FOR-ITS-URL DELAY faults|none.
What it answers is decided by the conversation, how it fails by the number of the request.
"""

from __future__ import annotations

import json
import re
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Json = dict[str, Any]
FAULTS = ("429", "429 later", "500", "503", "cut", "no json", "no choices", "content type", "slow", "odd")


def say(request: Json) -> Json:
    """What `toy_world` wants: its number, at the second try where it is odd, never where it ends in 4."""
    said = sum(message["role"] == "assistant" for message in request["messages"])
    number = next(re.search(r"Say (\d+)", each["content"]) for each in request["messages"] if each["role"] == "user")
    wanted = int(number[1]) if number else 0
    moves = [f"say {wanted}"] if wanted % 2 == 0 else ["look", f"say {wanted}"]
    moves = ["say nothing"] if wanted % 10 == 4 else moves
    action = f"\n```bash\n{moves[said]}\n```" if said < len(moves) else " submit"
    return {"content": f"Thought: {said} done\nAction:{action}"}


@dataclass
class Server:
    """Answers on `url`. `fault` says how a request, by its number from 0, is to fail; "" lets it be answered."""

    answer: Callable[[Json], Json] = say
    fault: Callable[[int], str] = lambda number: ""
    delay: float = 0.0
    slow: float = 2.0
    port: int = 0
    requests: list[Json] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    failed: Counter[str] = field(default_factory=Counter)
    most_at_once: int = 0
    connections: int = 0

    def __post_init__(self) -> None:
        self._lock, self._now = threading.Lock(), 0
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                super().setup()
                with server._lock:
                    server.connections += 1

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.serve(self, body)

            def log_message(self, format: str, *args: object) -> None:
                """Silence."""

        self._http = Many(("127.0.0.1", self.port), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def serve(self, handler: BaseHTTPRequestHandler, request: Json) -> None:
        with self._lock:
            number = len(self.requests)
            self.requests.append(request)
            self.headers.append({name.lower(): value for name, value in handler.headers.items()})
            fault = self.fault(number)
            self.failed[fault] += 1
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
        try:
            time.sleep(self.slow if fault == "slow" else self.delay)
            self._respond(handler, fault, request)
        except (BrokenPipeError, ConnectionResetError):  # the client gave up
            pass
        finally:
            with self._lock:
                self._now -= 1

    def _respond(self, handler: BaseHTTPRequestHandler, fault: str, request: Json) -> None:
        message = self.answer(request)
        body = json.dumps(completion(request, message))
        status, headers, kind = 200, {}, "application/json"
        if fault.startswith("429"):
            status, body = 429, '{"error": {"message": "Slow down", "type": "requests", "code": "rate_limit_exceeded"}}'
            headers = {"Retry-After": "0.05"} if fault == "429 later" else {}
        elif fault.isdecimal():
            status, body = int(fault), '{"error": {"message": "said the server."}}'
        elif fault.startswith("{"):
            status, body = 400, fault
        elif fault[:3].isdecimal() and fault[3:5] == " {":
            status, body = int(fault[:3]), fault[4:]
        elif fault == "no json":
            body = body[: len(body) // 2]
        elif fault == "no choices":
            body = '{"id": "x", "object": "chat.completion", "choices": []}'
        elif fault == "odd":
            body = '{"choices": [{"message": null}]}'
        elif fault == "content type":
            kind, body = "text/html", "<html>Bad gateway</html>"
        if fault == "drip":
            drip(handler, body, self.slow)
        else:
            send(handler, status, body, kind, headers, cut=fault == "cut")


class Many(ThreadingHTTPServer):
    """Lets all come at once."""

    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that go away are no news."""


def drip(handler: BaseHTTPRequestHandler, body: str, seconds: float) -> None:
    """Send a blank ten times a second for so long, as some servers do to keep a connection, and then the answer."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Connection", "close")
    handler.end_headers()
    for _ in range(round(seconds * 10)):
        handler.wfile.write(b" ")
        time.sleep(0.1)
    handler.wfile.write(body.encode())
    handler.close_connection = True


def send(
    handler: BaseHTTPRequestHandler, status: int, body: str, kind: str, headers: dict[str, str], *, cut: bool
) -> None:
    data = body.encode()
    handler.send_response(status)
    for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **headers}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(data[: len(data) // 2] if cut else data)
    handler.wfile.flush()
    if cut:
        handler.close_connection = True
        handler.connection.shutdown(socket.SHUT_RDWR)


def completion(request: Json, message: Json) -> Json:
    """A whole response around *message*, whose words are its tokens."""
    message = dict(message)
    finish = message.pop("finish_reason", "stop")
    for stop in request.get("stop") or ():
        message["content"] = (message.get("content") or "").partition(stop)[0]
    words = re.findall(r"\S+\s*", message.get("content") or "") or ["…"]
    most = request.get("max_tokens") or len(words)
    if len(words) > most:
        finish, words = "length", words[:most]
        message["content"] = "".join(words)
    prompt = sum(len(str(each.get("content") or "").split()) for each in request["messages"])
    choice: Json = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    if message.get("tool_calls"):
        choice["finish_reason"] = "tool_calls"
    if request.get("logprobs"):
        content = [
            {"token": word, "logprob": -0.5 - at, "bytes": None, "top_logprobs": []} for at, word in enumerate(words)
        ]
        choice |= {"logprobs": {"content": content}, "token_ids": list(range(len(words)))}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": f"{request['model']}-served",
        "choices": [choice],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": len(words),
            "total_tokens": prompt + len(words),
            "prompt_tokens_details": {"cached_tokens": prompt // 2},
        },
    } | ({"prompt_token_ids": [1, 2, 3]} if request.get("return_token_ids") else {})


def every_tenth(number: int) -> str:
    """A fault in every tenth call, all kinds in turn."""
    quick = [fault for fault in FAULTS if fault != "slow"]
    return quick[number // 10 % len(quick)] if number % 10 == 3 else ""


if __name__ == "__main__":
    port_file, delay, faults = Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3] == "faults"
    served = Server(delay=delay, fault=every_tenth if faults else lambda number: "")
    port_file.with_suffix(".new").write_text(served.url)
    port_file.with_suffix(".new").rename(port_file)
    threading.Event().wait()
