"""WHERE queries run: a promise (`base`), and one file for each way of keeping it."""

from __future__ import annotations

import re
from importlib.util import find_spec

from intercode import registry
from intercode.databases.base import Database, DatabaseSource, Progress
from intercode.errors import DatabaseError, UserError

__all__ = ["default", "find", "without_password"]

URL = re.compile(r"(?:mysql|mariadb)://|(?:mysqld|docker):")
FORMS = "mysql://user:password@host:port, mysql://user:password@/?socket=/path, mysqld:/path/to/mysqld or docker:IMAGE"
"""How a server is named."""


def find(spec: str | None = None, *, progress: Progress = lambda line: None) -> Database:
    """The database that *spec* names: `sqlite`, `mysql`, or the URL of a server; None: the `default`.

    Nothing is started yet. *progress* hears of what takes a while. Raises UnknownNameError, and UserError for what
    would be the URL of a server.
    """
    spec = spec or default()
    if re.search("[:/]", spec) and not (URL.match(spec) or spec.endswith(".py")):
        shown = re.sub(".*@", "…@", spec)  # before it may be a password
        raise UserError(f"the database {shown!r} names no server: write {FORMS}; or sqlite, or mysql, which starts one")
    name, url = ("mysql", spec) if URL.match(spec) else (spec, None)
    found: Database = registry.find("databases", name)(url=url, progress=progress)
    return found


def default(source: DatabaseSource | None = None) -> str:
    """`mysql` where a server program is installed, PyMySQL too, and can read *source*; else `sqlite`."""
    from intercode.databases.mysql import server_program

    if (source is not None and source.kind == "sqlite") or find_spec("pymysql") is None:
        return "sqlite"
    try:
        server_program.find()
    except DatabaseError:
        return "sqlite"
    return "mysql"


def without_password(text: str) -> str:
    """*text* with the passwords taken out of all URLs of servers in it, for records."""
    return re.sub(r"((?:mysql|mariadb)://[^\s:/@]*):[^\s/@]*@", r"\1@", text)
