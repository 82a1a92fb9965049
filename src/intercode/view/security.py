"""Who may ask, and what a browser may do with the answers.

The page shows what hostile code has left, on a machine that other people may use. So the server listens on the loopback
device only and

- answers only under a path that holds a secret, which no other user of the machine and no other web site knows;
- refuses other names of the host, which a site could have made to point here (DNS rebinding);
- takes what changes anything only from its own page;
- forbids the page all scripts and styles but its own, and any other address.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from hmac import compare_digest
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from intercode.util.atomic_write import write_text
from intercode_sandbox.util import paths

HOSTS = ("127.0.0.1", "localhost", "[::1]")

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}

WRITING = "x-intercode-view"
"""A header that no form and no picture of another site can send."""


class PageGuard:
    """Lets through to *app* what may ask, with the secret taken off the path."""

    def __init__(self, app: ASGIApp, secret: str, port: int) -> None:
        self._app, self._secret = app, secret
        self._hosts = {f"{host}:{port}" for host in HOSTS}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send_guarded)
            return
        path = scope["path"].removeprefix(f"/{self._secret}")
        await self._app({**scope, "path": path, "raw_path": path.encode()}, receive, send_guarded)

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        headers = Headers(scope=scope)
        if len(hosts := headers.getlist("host")) != 1 or hosts[0] not in self._hosts:
            return PlainTextResponse("this server is asked by its own address only\n", 421)
        first = str(scope["path"]).split("/")[1]
        if not compare_digest(first.encode(), self._secret.encode()):
            return PlainTextResponse("open the address that `intercode view` has printed\n", 403)
        if scope["method"] not in ("GET", "HEAD") and not self._is_own(headers):
            return PlainTextResponse("only the page itself may ask this\n", 403)
        return None

    def _is_own(self, headers: Headers) -> bool:
        origin = headers.get("origin", "").removeprefix("http://")
        return origin in self._hosts and headers.get(WRITING) == "1"


def secret() -> str:
    """Return this user's word in the address: kept, so that an address holds after a restart; else a new one."""
    path = paths.state() / "view-secret"
    with contextlib.suppress(OSError, UnicodeDecodeError):
        found = path.read_text(encoding="ascii").strip()
        if re.fullmatch(r"[\w-]{20,}", found) and path.stat().st_uid == _user():
            return found
    made = secrets.token_urlsafe(18)
    with contextlib.suppress(OSError):  # nowhere to keep it: it is good for this time
        _keep(path, made)
    return made


def _user() -> int:
    """Return who owns what this user makes; 0 on Windows, where all files say so."""
    return os.getuid() if hasattr(os, "getuid") else 0


def _keep(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, text + "\n", mode=0o600)
