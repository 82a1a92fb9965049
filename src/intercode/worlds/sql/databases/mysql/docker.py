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

from intercode.errors import DatabaseError, SandboxError
from intercode.worlds.sql.databases.mysql.driver import ServerAddress
from intercode_sandbox.engine.command import Command, last_line

IMAGE = "mysql:8.4"

COMMAND = ("--lower-case-table-names=1", "--character-set-server=utf8mb4", "--collation-server=utf8mb4_general_ci",
           "--local-infile=0", "--skip-name-resolve")  # fmt: skip

INSIDE = "/var/run/mysqld"
"""Where the official images of MySQL and MariaDB have their socket."""

GUARD = """
import shutil, subprocess, sys
sys.stdin.read()
folder, *remove = sys.argv[1:]
subprocess.run(remove)
shutil.rmtree(folder, ignore_errors=True)
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
            with _told():
                self._engine = Command()
                self._id = self._create_container(password)
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        # -P: else modules would be looked for in the current directory first, which may be a stranger's
        remove = [*self._engine.command, "rm", "--force", "--volumes", self._id]
        self._guard = subprocess.Popen(
            [sys.executable, "-P", "-c", GUARD, str(self._folder), *remove],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.address = ServerAddress("root", password, socket=f"{self._folder}/socket/mysqld.sock")
        try:
            with _told():
                self._engine.call("starting a database server", "start", self._id)
        except BaseException:
            self.close()
            raise

    def _create_container(self, password: str) -> str:
        """Return the id of a new container."""
        socket = self._folder / "socket"
        socket.mkdir()
        socket.chmod(0o777)  # the server in there is somebody else; nobody else comes past the folder above
        if self._engine.try_call("image", "inspect", self.image)[0]:
            self._engine.call(f"pulling {self.image}", "pull", self.image)
        made = self._engine.call(
            f"making a container of {self.image}", "create", "--network", "none", "--label", "intercode=database",
            "--env-file", "/dev/stdin", "--volume", f"{socket}:{INSIDE}", "--tmpfs", "/var/lib/mysql",
            self.image, *COMMAND,
            blocks=[f"{kind}_ROOT_PASSWORD={password}\n".encode() for kind in ("MYSQL", "MARIADB")],
        )  # fmt: skip
        return last_line(made)

    def check(self) -> None:
        """Raise DatabaseError, with what it printed, when it has ended."""
        words = ("container", "inspect", "--format", "{{.State.Status}}", self._id)
        with _told():
            status = last_line(self._engine.call("looking at a database server", *words))
            if status in ("exited", "dead"):
                _, output, errors = self._engine.try_call("logs", "--tail", "5", self._id)
                said = f"{output.decode('utf-8', 'replace')}\n{errors}".strip()
                raise DatabaseError(f"the image {self.image} did not start a server; it said: {said}")

    def close(self) -> None:
        """Remove it. Closing twice is harmless."""
        if self._guard.stdin and not self._guard.stdin.closed:
            self._guard.stdin.close()
            self._guard.wait()


def available() -> bool:
    """Return whether there is a Docker that answers."""
    try:
        Command().version()
    except SandboxError:
        return False
    return True


@contextmanager
def _told() -> Iterator[None]:
    """Turn failures of the engine in here into DatabaseErrors."""
    try:
        yield
    except SandboxError as error:
        raise DatabaseError(f"Docker fails: {error}") from error
