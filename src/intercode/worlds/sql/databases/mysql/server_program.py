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
from intercode_sandbox.util.system_packages import install_command

PLACES = ("/usr/sbin", "/usr/local/sbin", "/usr/libexec", "/usr/local/mysql/bin", "/opt/homebrew/bin")
"""Where servers are beside the PATH: most users' PATH has no sbin."""

PACKAGE = "mariadb-server"
ABSENT = "no MySQL or MariaDB server is installed"
MISSING = (
    "no MySQL or MariaDB server found on the PATH; install one ({install}), name one in "
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
        """MariaDB's script that makes a data directory.

        Raises:
            DatabaseError: If it is not installed.
        """
        if found := self._tool("mariadb-install-db", "mysql_install_db"):
            return found
        raise DatabaseError(f"{self._lack_of('mariadb-install-db')} ({install_command(PACKAGE)})")

    @property
    def lack(self) -> str:
        """Return which of the programs that are needed to use it are not installed, in a sentence; "" for none.

        Distributions split a server into packages: MariaDB's installer needs a tool of the client's.
        """
        needed: dict[str, tuple[str, ...]] = {"setpriv": ("setpriv",)}
        if self.flavour == "mariadb":
            needed["mariadb-install-db"] = ("mariadb-install-db", "mysql_install_db")
            needed["my_print_defaults"] = ("my_print_defaults",)
        missing = [name for name, aliases in needed.items() if self._tool(*aliases) is None]
        return self._lack_of(" and ".join(missing)) if missing else ""

    def _lack_of(self, tools: str) -> str:
        return f"{self.path} is installed, but not {tools}, which it needs"

    def _tool(self, *names: str) -> str | None:
        """Return where the first of the tools called *names* is: in the server's own tree, else on the PATH."""
        beside = Path(os.path.realpath(self.path)).parent
        folders = (beside, *(beside.parent / name for name in ("bin", "extra", "scripts")))
        for name in names:
            for path in (*(folder / name for folder in folders), Path("/usr/bin", name)):
                if os.access(path, os.X_OK):
                    return str(path)
            if found := shutil.which(name):
                return found
        return None


def find() -> ServerProgram:
    """Return the server program of this machine: INTERCODE_MYSQLD, else the first found with all that it needs.

    Raises:
        DatabaseError: If there is none, or none that can be used.
    """
    if named := os.environ.get("INTERCODE_MYSQLD"):
        return usable(examine(named))
    if not (installed := _find_programs()):
        raise DatabaseError(MISSING.format(install=install_command(PACKAGE)))
    return next((found for found in map(examine, installed) if not found.lack), None) or usable(examine(installed[0]))


def usable(program: ServerProgram) -> ServerProgram:
    """Return *program*, if all that it needs is installed.

    Raises:
        DatabaseError: Otherwise.
    """
    if program.lack:
        raise DatabaseError(f"{program.lack} ({install_command(PACKAGE)})")
    return program


def why_none() -> str:
    """Return why this machine has no server that can be used, in a sentence; "" where it has one."""
    try:
        named = os.environ.get("INTERCODE_MYSQLD")
        lacks = [examine(path).lack for path in ([named] if named else _find_programs())]
    except DatabaseError as error:
        return str(error)
    return "" if "" in lacks else (lacks or [ABSENT])[0]


def _find_programs() -> list[str]:
    found = [shutil.which(name, path=folder) for name in ("mysqld", "mariadbd") for folder in (None, *PLACES)]
    return list(dict.fromkeys(path for path in found if path))


@lru_cache(maxsize=16)
def examine(path: str) -> ServerProgram:
    """Return what the program at *path* is.

    Raises:
        DatabaseError: If it is no server.
    """
    try:
        argv = [path, "--no-defaults", "--version"]
        done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=30, start_new_session=True)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DatabaseError(f"{path} cannot be run: {error}") from error
    found = re.search(r"Ver (\d+(?:\.\d+)+)(-MariaDB)?", done.stdout)
    if found is None:
        raise DatabaseError(f"{path} is not a MySQL or MariaDB server: {(done.stdout or done.stderr).strip()[:200]}")
    return ServerProgram(path, "mariadb" if found[2] else "mysql", found[1])
