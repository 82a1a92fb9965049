"""The server: on the loopback device, until it is stopped."""

from __future__ import annotations

import errno
import socket
from threading import Thread

import uvicorn

from intercode.errors import UserError
from intercode.view.changes import ChangeService
from intercode.view.library import RunLibrary
from intercode.view.routes import ViewRoutes
from intercode.view.security import PageGuard, secret
from intercode.web_connections import HttpProtocol

HOST = "127.0.0.1"

USUAL = 8421
"""The port where none is asked for and this one is free; else any."""


class ViewServer:
    """Serves the runs in *library*. It listens once made; `run` answers until Ctrl-C or `stop`."""

    def __init__(
        self, library: RunLibrary, *, port: int | None = None, unsafe: bool = False, program: str = "intercode"
    ) -> None:
        self._library = library
        self._socket = _listen(port)
        self.port: int = self._socket.getsockname()[1]
        self._secret = secret()
        self._service = ChangeService(unsafe)
        app = PageGuard(ViewRoutes(library, self._service, program).app(), self._secret, self.port)
        config = uvicorn.Config(
            app,
            log_config=None,  # it would change how other servers of this process log
            log_level="critical",
            lifespan="off",
            timeout_graceful_shutdown=1,
            server_header=False,
            proxy_headers=False,
            http=HttpProtocol,
            ws="none",
        )
        config.load()  # what it imports is there before the address is known: the first page need not wait for it
        self._server = uvicorn.Server(config)

    @property
    def url(self) -> str:
        """Return where the page is."""
        return f"http://{HOST}:{self.port}/{self._secret}/"

    def run(self) -> None:
        """Answer, until it is stopped; then give up all that was opened."""
        Thread(target=self._library.read_ahead, name="read ahead", daemon=True).start()
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self.close()

    def close(self) -> None:
        """Give up the port and all that was opened. Closing twice is harmless."""
        self._socket.close()
        self._service.close()
        self._library.close()

    def stop(self) -> None:
        """End `run`, from another thread."""
        self._server.should_exit = True


def _listen(port: int | None) -> socket.socket:
    """Return a socket on *port*; without one on the usual, or any that is free.

    Raises UserError for one that is taken.
    """
    for each in (port,) if port is not None else (USUAL, 0):
        made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((HOST, each))
            made.listen(128)
        except OSError as error:
            made.close()
            if port is None and error.errno == errno.EADDRINUSE:
                continue
            raise UserError(
                f"port {each} cannot be had: {error.strerror}; leave out --port for one that is free"
            ) from error
        return made
    raise UserError("no port is free on 127.0.0.1")
