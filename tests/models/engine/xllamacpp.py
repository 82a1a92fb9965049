"""What `intercode.models.local.serve` asks of xllamacpp, without weights: each reply tells what it was asked with."""

from __future__ import annotations

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace


class CommonParams(SimpleNamespace):
    def __init__(self) -> None:
        super().__init__(
            model=SimpleNamespace(), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace(), chat_template=""
        )


class Server:
    def __init__(self, params: CommonParams) -> None:
        if b"broken" in Path(params.model.path).read_bytes():
            raise RuntimeError("these weights are broken")

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                is_allowed = self.headers["Authorization"] == f"Bearer {params.api_keys[0]}"
                text = json.dumps({"pid": os.getpid(), "template": params.chat_template, "stop": asked.get("stop")})
                choice = {"finish_reason": "stop", "message": {"role": "assistant", "content": text}}
                usage = {"prompt_tokens": params.n_ctx, "completion_tokens": params.n_parallel}
                body = json.dumps({"model": asked["model"], "choices": [choice], "usage": usage}).encode()
                self.send_response(200 if is_allowed else 401)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        server = ThreadingHTTPServer((params.hostnames[0], params.port), Handler)
        self.listening_address = f"http://127.0.0.1:{server.server_port}"
        Thread(target=server.serve_forever, daemon=True).start()
