"""Who may ask: whoever has the token or, on the loopback device, programs of this machine; never a page in a browser.

Without a token the server listens on the loopback device only. A web site that a user of this machine looks at could
then still reach it: by a request of its own (it sends `Origin`), or by a name of its own that points here (DNS
rebinding, seen by `Host`). Both are refused.
"""

from __future__ import annotations

import os
import re
from hmac import compare_digest
from ipaddress import ip_address
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from intercode.errors import UserError
from intercode.util.regular_files import read_bytes

TOKEN_VARIABLE = "INTERCODE_SERVE_TOKEN"

OPEN_PATHS = ("/health",)
"""What may be asked without a token, as watchdogs do: it tells nothing."""

LOCAL = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:[1-9][0-9]{0,4})?", re.ASCII | re.IGNORECASE)
"""What a client calls this machine: a name of the loopback device, and perhaps a port (a tunnel may have another)."""

SHORTEST = 16


class TokenGuard:
    """Lets through to *app* who sends *token*; without a token, who asks by a name of the loopback device."""

    def __init__(self, app: ASGIApp, token: str = "") -> None:
        self._app, self._expected = app, f"Bearer {token}".encode() if token else b""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        refusal = self._refusal(scope) if scope["type"] in ("http", "websocket") else None
        if refusal is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await refusal(scope, receive, send)
        else:
            await receive()  # "websocket.connect"
            await send({"type": "websocket.close", "code": 1008, "reason": "refused"})

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        headers = Headers(scope=scope)
        if "origin" in headers:
            return _refusal(403, "pages in a browser may not ask this server")
        if self._expected:
            given = headers.get("authorization", "").encode("utf-8", "replace")
            if scope["path"] not in OPEN_PATHS and not compare_digest(given, self._expected):
                return _refusal(401, "send the token: Authorization: Bearer TOKEN")
            return None
        hosts = headers.getlist("host")
        is_local = len(hosts) == 1 and LOCAL.fullmatch(hosts[0])
        return None if is_local else _refusal(421, "without a token this server is asked as 127.0.0.1 only")


def read_token(file: Path | None, host: str) -> str:
    """Return the token in *file* or in the environment, "" for none.

    Raises:
        UserError: For a token that is short or cannot be read, and for none where *host* is not the loopback
            device.
    """
    if file is not None:
        try:
            token = read_bytes(file).decode("ascii").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"cannot read the token in {file}: {error}") from error
    else:
        token = os.environ.get(TOKEN_VARIABLE, "").strip()
    if not token and (file is not None or not is_loopback(host)):
        raise UserError(
            f"--host {host} is open to others: give a token (--token-file FILE, or {TOKEN_VARIABLE})"
            if file is None
            else f"{file} is empty: it should hold the token"
        )
    if token and (len(token) < SHORTEST or not token.isascii() or not token.isprintable()):
        raise UserError(f"the token is too short or not plain ASCII: take {SHORTEST} characters or more")
    return token


def is_loopback(host: str) -> bool:
    """Return whether *host* is reached from this machine alone."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _refusal(status: int, why: str) -> JSONResponse:
    return JSONResponse({"detail": why}, status, {"www-authenticate": "Bearer"} if status == 401 else None)
