"""WHERE queries run: a promise (`base`), and one file for each way of keeping it."""

from __future__ import annotations

import re
from importlib.util import find_spec

from intercode import registry
from intercode.databases.base import Database, Progress, Source
from intercode.errors import UserError

__all__ = ["default", "find", "without_password"]

URL = re.compile(r"(?:mysql|mariadb)://|(?:mysqld|docker):")
INSTALL_CLIENT = "pip install 'intercode-env[mysql]'"
FORMS = "mysql://user:password@host:port, mysql://user:password@/?socket=/path, mysqld:/path/to/mysqld or docker:IMAGE"
"""How a server is named."""


def find(spec: str | None = None, *, progress: Progress = lambda line: None) -> Database:
    """The database that *spec* names: `sqlite`, `mysql`, or the URL of a server; None: the `default`.

    Nothing is started yet. *progress* hears of what takes a while. Raises UnknownName, and UserError for what would be
    the URL of a server.
    """
    spec = spec or default(progress=progress)
    if re.search("[:/]", spec) and not (URL.match(spec) or spec.endswith(".py")):
        shown = re.sub(".*@", "…@", spec)  # before it may be a password
        raise UserError(f"the database {shown!r} names no server: write {FORMS}; or sqlite, or mysql, which starts one")
    name, url = ("mysql", spec) if URL.match(spec) else (spec, None)
    found: Database = registry.find("databases", name)(url=url, progress=progress)
    return found


def default(source: Source | None = None, *, progress: Progress = lambda line: None) -> str:
    """`mysql` where all that a server of our own needs is installed, and it can read *source*; else `sqlite`.

    Where a server could read *source* and cannot be used, *progress* hears in one line why.
    """
    if source is not None and source.kind == "sqlite":
        return "sqlite"
    if why := _why_no_server():
        progress(f"SQL runs on SQLite: {why}; `intercode doctor` says what to install")
        return "sqlite"
    return "mysql"


def has_client() -> bool:
    """Whether PyMySQL is installed, which talks to servers."""
    return find_spec("pymysql") is not None


def _why_no_server() -> str:
    from intercode.databases.server import program

    why = program.why_none()
    if why or has_client():
        return why
    return f"{program.find().title} is installed, but not PyMySQL, which talks to it"


def without_password(text: str) -> str:
    """*text* with the passwords taken out of all URLs of servers in it, for records."""
    return re.sub(r"((?:mysql|mariadb)://[^\s:/@]*):[^\s/@]*@", r"\1@", text)
