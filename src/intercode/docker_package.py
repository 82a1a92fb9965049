"""Docker's own Python package: imported on first use, since few need it, and kept from leaving sockets open."""

from __future__ import annotations

import socket
from typing import Any


def docker_package() -> Any:
    """Docker's own package, whose connections close a socket that nobody listens to.

    Docker's (as of 7.2) leave it to the garbage collector, which warns of it at a time that has nothing to do with it.

    Raises:
        ImportError: If it is not installed.
    """
    import docker
    from docker.transport import unixconn

    unixconn.UnixHTTPConnection.connect = _connect
    return docker


def _connect(connection: Any) -> None:
    channel = socket.socket(socket.AF_UNIX)
    try:
        channel.settimeout(connection.timeout)
        channel.connect(connection.unix_socket)
    except BaseException:
        channel.close()
        raise
    connection.sock = channel
