"""The web server around an application: it listens, and stops without leaving anything behind."""

from __future__ import annotations

import asyncio
import socket
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from intercode.errors import UserError
from intercode.integrations.serving.memory import MAX_MESSAGE
from intercode.integrations.serving.sessions import ServedSessions
from intercode.integrations.serving.websockets import protocol_with
from intercode.web_connections import HttpProtocol

KEEP_ALIVE = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3}
"""After how many seconds of silence a client is asked whether it is there, how often, and how many times."""


class EpisodeServer:
    """Serves *app* on *host* and *port* (0: one that is free). It listens once made; `run` answers.

    SIGTERM or Ctrl-C drains: nothing new begins, and episodes have *drain_seconds* to end. A second one ends at once.

    Raises:
        UserError: For an address that cannot be had.
    """

    def __init__(self, app: ASGIApp, pool: ServedSessions, *, host: str, port: int, drain_seconds: float = 2.0) -> None:
        self._socket = _listen(host, port)
        self.host, self.port = host, int(self._socket.getsockname()[1])
        config = uvicorn.Config(
            app,
            log_config=None,
            log_level="error",  # uvicorn's loggers are those of the process: another server may have set another level
            access_log=False,
            server_header=False,
            proxy_headers=False,
            lifespan="on",
            timeout_graceful_shutdown=1,
            http=HttpProtocol,
            ws=protocol_with(pool.memory),
            ws_max_size=MAX_MESSAGE,
            ws_per_message_deflate=False,
        )
        self._server = _DrainingServer(config, pool, drain_seconds)

    @property
    def url(self) -> str:
        """Return where it is."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    def run(self) -> None:
        """Answer until SIGTERM, Ctrl-C or `stop`; all sessions are over then."""
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self._socket.close()

    def stop(self) -> None:
        """Drain and end `run`, from another thread. Harmless when it has ended."""
        self._server.stop()


class _DrainingServer(uvicorn.Server):
    """A server that, told to stop, lets episodes end before it cuts their connections."""

    def __init__(self, config: uvicorn.Config, pool: ServedSessions, seconds: float) -> None:
        super().__init__(config)
        self._pool, self._seconds = pool, seconds
        self._loop: asyncio.AbstractEventLoop | None = None
        self._draining: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """See uvicorn."""
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal came, here or to `stop`."""
        self.stop()

    def stop(self) -> None:
        """Begin to drain; the second time, end at once."""
        if self._loop is None:
            self.should_exit = True
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._begin_to_drain)

    def _begin_to_drain(self) -> None:
        if self._draining is None:
            self._draining = asyncio.get_running_loop().create_task(self._drain())
        else:
            self.should_exit = True

    async def _drain(self) -> None:
        await self._pool.drain(self._seconds)
        await self._pool.close_sessions()
        self.should_exit = True


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        made = socket.socket(family, kind, protocol)
        try:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            for option, value in KEEP_ALIVE.items():
                if hasattr(socket, option):  # not on every system
                    made.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
            made.bind(address)
            made.listen(512)
        except OSError:
            made.close()
            raise
    except OSError as error:
        raise UserError(f"cannot listen on {host}:{port}: {error.strerror}; choose another --host or --port") from error
    return made
