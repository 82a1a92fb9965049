"""Server programs are found, and where there is none it is said what to install."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from intercode.errors import DatabaseError
from intercode.types.databases import DatabaseSource
from intercode.worlds.sql import databases
from intercode.worlds.sql.databases.mysql import server_program
from intercode_sandbox.util.system_packages import install_command

HIDE = 'for file in "$@"; do mount --bind /dev/null "$file" || exit 77; done; exec "$PYTHON" -c "$PROGRAM"'
"""In a mount namespace of its own: what is hidden there is there for all others."""

LOOK = """
import sys
from intercode.worlds.sql import databases
from intercode.types.databases import DatabaseSource
from intercode.worlds.sql.databases.mysql import MysqlDatabase
from intercode.errors import DatabaseError
from pathlib import Path
print(databases.default(progress=lambda line: print(line, file=sys.stderr)))
try:
    MysqlDatabase().load(DatabaseSource("none", Path("none.sql")))
except DatabaseError as error:
    print(error)
"""


def servers() -> list[str]:
    """All server programs of this machine."""
    folders = (None, *server_program.PLACES)
    found = {shutil.which(name, path=folder) for name in ("mysqld", "mariadbd") for folder in folders}
    return sorted({os.path.realpath(path) for path in found if path})


def look(*hidden: str, program: str = LOOK, **env: str) -> subprocess.CompletedProcess[str]:
    """What *program* prints where the files *hidden* cannot be executed, and no Docker is."""
    apart = ["unshare", "--map-root-user", "--mount", "sh", "-c", HIDE, "sh", *hidden]
    told = {"PYTHON": sys.executable, "PROGRAM": program, "DOCKER_HOST": "unix:///nowhere"}
    without = {name: value for name, value in os.environ.items() if name != "INTERCODE_MYSQLD"}
    done = subprocess.run(apart, env=without | told | env, capture_output=True, text=True, check=False)
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip(f"mount namespaces are not allowed here: {done.stderr.strip()}")
    return done


@pytest.fixture
def whole_server(tmp_path: Path) -> Path:
    """A tree with everything that is needed to use a server, which only tells its version."""
    server = tmp_path / "sbin" / "mariadbd"
    for path in (server, *(tmp_path / "bin" / name for name in ("mariadb-install-db", "my_print_defaults"))):
        path.parent.mkdir(exist_ok=True)
        path.write_text("#!/bin/sh\necho mariadbd Ver 10.11.6-MariaDB\n")
        path.chmod(0o755)
    return server


def test_a_machine_without_a_server_is_told_what_to_install() -> None:
    """And by default its databases are SQLite's."""
    done = look(*servers())
    default, error, *_ = done.stdout.splitlines()
    assert default == "sqlite"
    assert error.startswith("no MySQL or MariaDB server found on the PATH; install one")
    assert install_command(server_program.PACKAGE) in error
    assert done.stderr == f"SQL runs on SQLite: {server_program.ABSENT}; `intercode doctor` says what to install\n"


@pytest.mark.parametrize("tool", ["mariadb-install-db", "my_print_defaults"])
def test_a_server_without_its_tools_does_not_count(whole_server: Path, tool: str) -> None:
    """A distribution has them in packages of their own, so that one may be there without the others."""
    (whole_server.parents[1] / "bin" / tool).unlink()
    aliases = ("mysql_install_db",) if tool == "mariadb-install-db" else ()
    of_the_machine = [found for name in (tool, *aliases) if (found := shutil.which(name))]
    done = look(*map(os.path.realpath, of_the_machine), INTERCODE_MYSQLD=str(whole_server))
    default, error, *_ = done.stdout.splitlines()
    lack = f"{whole_server} is installed, but not {tool}, which it needs"
    assert default == "sqlite"
    assert error == f"{lack} ({install_command(server_program.PACKAGE)})"
    assert done.stderr == f"SQL runs on SQLite: {lack}; `intercode doctor` says what to install\n"


def test_a_server_without_its_client_does_not_count(whole_server: Path) -> None:
    done = look(program="import sys; sys.modules['pymysql'] = None\n" + LOOK, INTERCODE_MYSQLD=str(whole_server))
    assert done.stdout.startswith("sqlite\n")
    assert done.stderr.startswith("SQL runs on SQLite: MariaDB 10.11.6 is installed, but not PyMySQL, which talks to")


def test_a_server_with_all_that_it_needs_is_the_default(whole_server: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    monkeypatch.setenv("INTERCODE_MYSQLD", str(whole_server))
    assert databases.default(progress=lines.append) == "mysql"
    assert databases.default(DatabaseSource("files", Path("files"), "sqlite"), progress=lines.append) == "sqlite"
    assert lines == []


def test_a_server_is_found_beside_the_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Most users' PATH lacks the folders where servers are."""
    if server_program.why_none():
        pytest.skip(f"{server_program.why_none()}, so none can be found")
    monkeypatch.delenv("INTERCODE_MYSQLD", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert server_program.find().title.startswith(("MariaDB ", "MySQL "))


def test_a_named_program_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTERCODE_MYSQLD", "/no/such/program")
    with pytest.raises(DatabaseError, match="/no/such/program cannot be run"):
        server_program.find()
