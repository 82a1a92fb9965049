"""An OpenAI-compatible server at this machine whose model is whoever plays: each request waits for the next reply.

Other models than `MODEL`, such as a grader's judges, are not there: such requests fail, and so does what asks them.
"""

from __future__ import annotations

import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from intercode.integrations.peers.tool_calls import read_call, with_tools
from intercode.integrations.peers.turns import RUN, Turns

MODEL = "intercode-replies"

NO_JUDGE = "hackcheck asks no model, so that nothing that a model judges can be checked"


def start(turns: Turns, nothing: str = "") -> str:
    """Start the server in a thread of its own, and return its base URL.

    Args:
        turns: Where replies come from.
        nothing: What an empty reply is: clients may take one without any text for a failure of the model.
    """
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(turns, nothing))
    threading.Thread(target=server.serve_forever, daemon=True, name="replies").start()
    return f"http://127.0.0.1:{server.server_port}/v1"


def _handler(turns: Turns, nothing: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if asked.get("model") != MODEL:
                self._send(503, {"error": {"message": NO_JUDGE, "type": "no_model"}})
                return
            said = content_text(asked["messages"][-1].get("content")) if asked.get("messages") else ""
            functions = [each.get("function") or each for each in asked.get("tools") or []]
            offered = [(each["name"], (each.get("parameters") or {}).get("properties") or {}) for each in functions]
            shown = with_tools(said, offered)
            kind, text = RUN, ""
            while kind == RUN:  # no commands here
                try:
                    kind, text = asyncio.run_coroutine_threadsafe(turns.ask(shown), turns.loop).result()
                except Exception as error:  # noqa: BLE001 - nobody replies any more
                    self._send(503, {"error": {"message": repr(error), "type": "ended"}})
                    return
            self._send(200, _completion(text or nothing))

        def _send(self, status: int, value: dict[str, Any]) -> None:
            body = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    return Handler


def content_text(content: Any) -> str:
    """Return the text of a message's content, which may be a list of parts."""
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return "" if content is None else str(content)


def _completion(text: str) -> dict[str, Any]:
    call = read_call(text)
    message: dict[str, Any] = {"role": "assistant", "content": text if call is None else ""}
    if call is not None:
        name, arguments = call
        function = {"name": name, "arguments": json.dumps(arguments)}
        message["tool_calls"] = [{"id": f"call_{abs(hash(text))}", "type": "function", "function": function}]
    reason = "stop" if call is None else "tool_calls"
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    choice = {"index": 0, "message": message, "finish_reason": reason, "logprobs": None}
    about = {"id": "reply", "object": "chat.completion", "created": 0, "model": MODEL}
    return {**about, "choices": [choice], "usage": usage}
