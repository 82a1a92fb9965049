"""WHERE queries run: a promise (`base`), and one file for each way of keeping it."""

from __future__ import annotations

import re
from importlib.util import find_spec

from intercode import registry
from intercode.errors import UserError
from intercode.types.databases import Database, DatabaseSource, Progress

__all__ = ["default", "find", "without_password"]

URL = re.compile(r"(?:mysql|mariadb)://|(?:mysqld|docker):")
INSTALL_CLIENT = "pip install 'intercode-env[mysql]'"
FORMS = "mysql://user:password@host:port, mysql://user:password@/?socket=/path, mysqld:/path/to/mysqld or docker:IMAGE"
"""How a server is named."""


def find(spec: str | None = None, *, progress: Progress = lambda line: None) -> Database:
    """Find a database; nothing is started yet.

    Args:
        spec: `sqlite`, `mysql`, or the URL of a server. None: the `default`.
        progress: Gets a line when something slow begins.

    Raises:
        UnknownNameError: If there is no such database; the message lists all names.
        UserError: If *spec* looks like a URL, and is not one of a server.
    """
    spec = spec or default(progress=progress)
    if re.search("[:/]", spec) and not (URL.match(spec) or spec.endswith(".py")):
        shown = re.sub(".*@", "…@", spec)  # before it may be a password
        raise UserError(f"the database {shown!r} names no server: write {FORMS}; or sqlite, or mysql, which starts one")
    name, url = ("mysql", spec) if URL.match(spec) else (spec, None)
    found: Database = registry.create("databases", name, url=url, progress=progress)
    return found


def default(source: DatabaseSource | None = None, *, progress: Progress = lambda line: None) -> str:
    """Choose a database: `mysql` where a server of our own can be started and can read *source*, else `sqlite`.

    Args:
        source: What it has to read; None for anything.
        progress: Gets a line that says why, where a server could read *source* and cannot be used.
    """
    if source is not None and source.kind == "sqlite":
        return "sqlite"
    if why := _why_no_server():
        progress(f"SQL runs on SQLite: {why}; `intercode doctor` says what to install")
        return "sqlite"
    return "mysql"


def has_client() -> bool:
    """Return whether PyMySQL, which talks to servers, is installed."""
    return find_spec("pymysql") is not None


def _why_no_server() -> str:
    from intercode.worlds.sql.databases.mysql import server_program

    why = server_program.why_none()
    if why or has_client():
        return why
    return f"{server_program.find().title} is installed, but not PyMySQL, which talks to it"


def without_password(text: str) -> str:
    """Return *text* without the passwords of all URLs of servers in it, for records."""
    return re.sub(r"((?:mysql|mariadb)://[^\s:/@]*):[^\s/@]*@", r"\1@", text)
