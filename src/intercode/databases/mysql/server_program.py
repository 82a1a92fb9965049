"""Finding a server program: MySQL's `mysqld` or MariaDB's `mariadbd`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from intercode.errors import DatabaseError

PLACES = ("/usr/sbin", "/usr/local/sbin", "/usr/libexec", "/usr/local/mysql/bin", "/opt/homebrew/bin")
"""Where servers are beside the PATH: most users' PATH has no sbin."""

INSTALL = "apt-get install -y --no-install-recommends mariadb-server"
MISSING = (
    "no MySQL or MariaDB server found on the PATH; install one (Debian, Ubuntu: {install}), name one in "
    "INTERCODE_MYSQLD, give the URL of one that runs (mysql://user:password@host:port), or use sqlite"
)


@dataclass(frozen=True, slots=True)
class ServerProgram:
    """A server program. `version` is a number with dots."""

    path: str
    flavour: Literal["mysql", "mariadb"]
    version: str

    @property
    def title(self) -> str:
        """As people say it: `MariaDB 10.11.6`."""
        return f"{'MySQL' if self.flavour == 'mysql' else 'MariaDB'} {self.version}"

    @property
    def installer(self) -> str:
        """MariaDB's script that makes a data directory. Raises DatabaseError."""
        beside = Path(os.path.realpath(self.path)).parent
        for name in ("mariadb-install-db", "mysql_install_db"):
            for folder in (beside, beside.parent / "bin", beside.parent / "scripts"):
                if (folder / name).is_file():
                    return str(folder / name)
            if found := shutil.which(name):
                return found
        raise DatabaseError(
            f"{self.path} is there but not mariadb-install-db, which belongs to it: install the package again"
        )


def find() -> ServerProgram:
    """The server program of this machine: INTERCODE_MYSQLD, else the first found. Raises DatabaseError."""
    if named := os.environ.get("INTERCODE_MYSQLD"):
        return examine(named)
    for name in ("mysqld", "mariadbd"):
        for folder in (None, *PLACES):
            if found := shutil.which(name, path=folder):
                return examine(found)
    raise DatabaseError(MISSING.format(install=INSTALL))


@lru_cache(maxsize=16)
def examine(path: str) -> ServerProgram:
    """What the program at *path* is. Raises DatabaseError when it is no server."""
    try:
        done = subprocess.run(
            [path, "--no-defaults", "--version"], capture_output=True, text=True, check=False, timeout=30
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DatabaseError(f"{path} cannot be run: {error}") from error
    found = re.search(r"Ver (\d+(?:\.\d+)+)(-MariaDB)?", done.stdout)
    if found is None:
        raise DatabaseError(f"{path} is not a MySQL or MariaDB server: {(done.stdout or done.stderr).strip()[:200]}")
    return ServerProgram(path, "mariadb" if found[2] else "mysql", found[1])
