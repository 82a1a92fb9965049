"""A port of this machine that leads to a port of a session."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

from intercode_sandbox.errors import SandboxError
from intercode_sandbox.session import Session
from intercode_sandbox.util.closing import Closeable

CHUNK = 1 << 16
MOST = 64
"""Connections at a time; others wait."""


class PortForwarding(Closeable):
    """Leads from a port of this machine's loopback device to *port* of *session*'s, until it is closed.

    Who connects here talks to a program of the session, as nobody else can. Any user of this machine may connect.

    Args:
        session: The session, in a sandbox whose sessions have a network of their own (`Session.connect`).
        port: Where its program listens.
        local_port: Where this machine listens. 0: the kernel chooses; `address` says what.
        listener: What listens in its place, such as a port of another session (`Session.listen`): the programs there
            are then the only ones that connect. It is closed in the end.
    """

    def __init__(
        self, session: Session, port: int, *, local_port: int = 0, listener: socket.socket | None = None
    ) -> None:
        self._session, self._port = session, port
        self._listener = listener or socket.create_server(("127.0.0.1", local_port))
        self.address: tuple[str, int] = self._listener.getsockname()
        """The address that it listens at, on this machine or in the listener's session."""

        self._room = threading.Semaphore(MOST)
        self._open: set[socket.socket] = set()
        threading.Thread(target=self._accept, name="intercode-forwarding", daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):  # it is closed
            while True:
                self._room.acquire()
                outer, _ = self._listener.accept()
                self._open.add(outer)
                threading.Thread(target=self._serve, args=(outer,), name="intercode-forwarding", daemon=True).start()

    def _serve(self, outer: socket.socket) -> None:
        try:
            with outer, suppress(OSError, SandboxError), self._session.connect(self._port) as inner:
                self._open.add(inner)
                back = threading.Thread(target=_pump, args=(inner, outer), name="intercode-forwarding", daemon=True)
                back.start()
                _pump(outer, inner)
                back.join()
                self._open.discard(inner)
        finally:
            self._open.discard(outer)
            self._room.release()

    def close(self) -> None:
        """Listen no more, and end every connection."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


def _pump(source: socket.socket, target: socket.socket) -> None:
    """Pass on what comes until the end, and then say that it is the end."""
    with suppress(OSError):
        while chunk := source.recv(CHUNK):
            target.sendall(chunk)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)
