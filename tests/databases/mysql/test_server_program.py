"""Server programs are found, and where there is none it is said what to install."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from intercode.databases.mysql import server_program
from intercode.errors import DatabaseError

HIDE = 'for file in "$@"; do mount --bind /dev/null "$file" || exit 77; done; exec "$PYTHON" -c "$PROGRAM"'
"""In a mount namespace of its own: what is hidden there is there for all others."""

LOOK = """
from intercode import databases
from intercode.databases.base import Source
from intercode.databases.mysql import MysqlDatabase
from intercode.errors import DatabaseError
from pathlib import Path
print(databases.default())
try:
    MysqlDatabase().load(Source("none", Path("none.sql")))
except DatabaseError as error:
    print(error)
"""


def servers() -> list[str]:
    """All server programs of this machine."""
    folders = (None, *server_program.PLACES)
    found = {shutil.which(name, path=folder) for name in ("mysqld", "mariadbd") for folder in folders}
    return sorted({os.path.realpath(path) for path in found if path})


def test_a_machine_without_a_server_is_told_what_to_install() -> None:
    """And by default its databases are SQLite's."""
    apart = ["unshare", "--map-root-user", "--mount", "sh", "-c", HIDE, "sh", *servers()]
    told = {"PYTHON": sys.executable, "PROGRAM": LOOK, "DOCKER_HOST": "unix:///nowhere"}
    without = {name: value for name, value in os.environ.items() if name != "INTERCODE_MYSQLD"}
    done = subprocess.run(apart, env=without | told, capture_output=True, text=True, check=False)
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip(f"mount namespaces are not allowed here: {done.stderr.strip()}")
    default, error, *_ = done.stdout.splitlines()
    assert default == "sqlite"
    assert error.startswith("no MySQL or MariaDB server found on the PATH; install one")
    assert server_program.INSTALL in error


def test_a_server_is_found_beside_the_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Most users' PATH lacks the folders where servers are."""
    if not any(shutil.which(name, path=folder) for name in ("mysqld", "mariadbd") for folder in server_program.PLACES):
        pytest.skip(f"no server in {', '.join(server_program.PLACES)}")
    monkeypatch.delenv("INTERCODE_MYSQLD", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert server_program.find().title.startswith(("MariaDB ", "MySQL "))


def test_a_named_program_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTERCODE_MYSQLD", "/no/such/program")
    with pytest.raises(DatabaseError, match="/no/such/program cannot be run"):
        server_program.find()
