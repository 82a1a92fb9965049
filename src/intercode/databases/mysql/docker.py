"""The official image of MySQL in Docker, where Docker is: a container without a network, reached by a socket.

The socket lies in a folder that only we can enter. Container and folder end with this process, however that ends.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from tempfile import mkdtemp
from typing import Any

from intercode.databases.mysql.driver import ServerAddress
from intercode.docker_package import docker_package
from intercode.errors import DatabaseError

IMAGE = "mysql:8.4"

MISSING = "Docker's own Python package is missing: pip install docker"

COMMAND = ("--lower-case-table-names=1", "--character-set-server=utf8mb4", "--collation-server=utf8mb4_general_ci",
           "--local-infile=0", "--skip-name-resolve")  # fmt: skip

INSIDE = "/var/run/mysqld"
"""Where the official images of MySQL and MariaDB have their socket."""

GUARD = """
import shutil, sys, docker
sys.stdin.read()
client = docker.from_env()
client.containers.get(sys.argv[1]).remove(force=True, v=True)
client.close()
shutil.rmtree(sys.argv[2], ignore_errors=True)
"""
"""Run beside: removes the container when its standard input ends, that is, when we close it or die."""


class MysqlContainer:
    """A server in Docker at `address`, begun: it takes half a minute until it answers.

    Raises:
        DatabaseError: If Docker is not, or cannot have the image.
    """

    def __init__(self, image: str = "") -> None:
        self.image = image or IMAGE
        password = token_hex(16)
        self._folder = Path(mkdtemp(prefix="intercode-mysql-docker-"))
        try:
            self._id = self._create_container(password)
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        self._guard = subprocess.Popen(
            [sys.executable, "-c", GUARD, self._id, str(self._folder)],
            stdin=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.address = ServerAddress("root", password, socket=f"{self._folder}/socket/mysqld.sock")
        try:
            with _client() as client:
                client.containers.get(self._id).start()
        except BaseException:
            self.close()
            raise

    def _create_container(self, password: str) -> str:
        """The id of a new container."""
        socket = self._folder / "socket"
        socket.mkdir()
        socket.chmod(0o777)  # the server in there is somebody else; nobody else comes past the folder above
        with _client() as client:
            _fetch(client, self.image)
            made = client.containers.create(
                self.image,
                list(COMMAND),
                environment={"MYSQL_ROOT_PASSWORD": password, "MARIADB_ROOT_PASSWORD": password},
                network_mode="none",
                volumes={str(socket): {"bind": INSIDE, "mode": "rw"}},
                tmpfs={"/var/lib/mysql": ""},
                labels={"intercode": "database"},
            )
        return str(made.id)

    def check(self) -> None:
        """Raise DatabaseError, with what it printed, when it has ended."""
        with _client() as client:
            found = client.containers.get(self._id)
            if found.status in ("exited", "dead"):
                said = found.logs(tail=5).decode("utf-8", "replace").strip()
                raise DatabaseError(f"the image {self.image} did not start a server; it said: {said}")

    def close(self) -> None:
        """Remove it. Closing twice is harmless."""
        if self._guard.stdin and not self._guard.stdin.closed:
            self._guard.stdin.close()
            self._guard.wait()


def available() -> bool:
    """Whether there is a Docker that answers."""
    try:
        with _client():
            return True
    except DatabaseError:
        return False


def _fetch(client: Any, image: str) -> None:
    from docker.errors import ImageNotFound

    try:
        client.images.get(image)
    except ImageNotFound:
        client.images.pull(image)


@contextmanager
def _client() -> Iterator[Any]:
    """A connection to Docker; its failures in here are DatabaseErrors."""
    try:
        docker = docker_package()
        from docker.errors import DockerException
        from requests.exceptions import RequestException
    except ImportError as error:
        raise DatabaseError(MISSING) from error
    client = None
    try:
        client = docker.from_env(timeout=600)
        client.ping()
        yield client
    except (DockerException, RequestException) as error:
        raise DatabaseError(f"Docker fails: {error}") from error
    finally:
        if client is not None:
            client.close()
