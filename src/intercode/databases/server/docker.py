"""The official image of MySQL in Docker, where Docker is: a container that ends with this process."""

from __future__ import annotations

import subprocess
import sys
from secrets import token_hex
from typing import Any

from intercode.databases.server.link import Address
from intercode.errors import DatabaseError

IMAGE = "mysql:8.4"

COMMAND = ("--lower-case-table-names=1", "--character-set-server=utf8mb4", "--collation-server=utf8mb4_general_ci",
           "--local-infile=0", "--secure-file-priv=NULL", "--skip-name-resolve")  # fmt: skip

GUARD = "import sys, docker; sys.stdin.read(); docker.from_env().containers.get(sys.argv[1]).remove(force=True, v=True)"
"""Run beside: removes the container when its standard input ends, that is, when we close it or die."""


class Container:
    """A running server in Docker at `address`. Raises DatabaseError where Docker is not, or does not have the image."""

    def __init__(self, image: str = "") -> None:
        client = _client()
        password = token_hex(16)
        try:
            self._container: Any = client.containers.run(
                image or IMAGE,
                list(COMMAND),
                environment={"MYSQL_ROOT_PASSWORD": password, "MYSQL_ROOT_HOST": "%"},
                ports={"3306/tcp": ("127.0.0.1", None)},
                detach=True,
                tmpfs={"/var/lib/mysql": ""},
                labels={"intercode": "database"},
            )
            self._guard = subprocess.Popen(
                [sys.executable, "-c", GUARD, self._container.id], stdin=subprocess.PIPE, start_new_session=True
            )
            self._container.reload()
            port = int(self._container.ports["3306/tcp"][0]["HostPort"])
        except _errors() as error:
            raise DatabaseError(f"Docker cannot run {image or IMAGE}: {error}") from error
        self.address = Address("root", password, host="127.0.0.1", port=port)

    def close(self) -> None:
        """Remove it. Closing twice is harmless."""
        if self._guard.stdin and not self._guard.stdin.closed:
            self._guard.stdin.close()
            self._guard.wait()


def available() -> bool:
    """Whether there is a Docker that answers."""
    try:
        _client()
    except DatabaseError:
        return False
    return True


def _client() -> Any:
    try:
        import docker
    except ImportError as error:
        raise DatabaseError("Docker's own Python package is missing: pip install docker") from error
    try:
        return docker.from_env(timeout=60)
    except _errors() as error:
        raise DatabaseError(f"Docker does not answer: {error}") from error


def _errors() -> tuple[type[Exception], ...]:
    import docker.errors
    import requests.exceptions

    return (docker.errors.DockerException, requests.exceptions.RequestException, KeyError, TypeError)
