"""Looking at a server from the outside: what is in a database, and whether anything was ever committed."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from contextlib import closing

from intercode.errors import DatabaseError
from intercode.types.databases import VIEW_LIMITS, Row, TableState
from intercode.worlds.sql.databases.dialect.tokenizer import quote
from intercode.worlds.sql.databases.mysql.connection import Connection
from intercode.worlds.sql.databases.mysql.driver import ServerAddress
from intercode.worlds.sql.databases.mysql.server_program import ServerProgram

SYSTEM_DATABASES = frozenset({"mysql", "sys", "performance_schema", "information_schema"})
"""The server's own."""


class TableLockedError(Exception):
    """A table is locked by somebody."""


def position(admin: Connection, program: ServerProgram) -> object:
    """Return the end of the binary log."""
    newer = program.flavour == "mysql" and tuple(map(int, program.version.split(".")[:2])) >= (8, 2)
    return admin.rows(f"SHOW {'BINARY LOG' if newer else 'MASTER'} STATUS")[0][:2]


LOCKED = 1205
"""The error of who waited too long for a lock."""

UNKNOWN = 1049
"""The error of who asks for a database that is not there."""


def connect_guest(admin: Connection, guest: ServerAddress, host: str, seconds: float) -> Connection:
    """Return a connection of the account of *guest*, at *host*, also where that has given itself another password."""
    try:
        return Connection(guest, seconds=seconds)
    except DatabaseError:
        admin.rows(f"ALTER USER '{guest.user}'@'{host}' IDENTIFIED BY '{guest.password}'")
        return Connection(guest, seconds=seconds)


def state(
    admin: Connection, database: str, guest: ServerAddress, host: str, seconds: float = math.inf
) -> Mapping[str, TableState]:
    """Return every table and view of *database*, as committed; nothing where the database is gone.

    A view is the agent's code, and could call functions of the agent's with the rights of whoever looks at it:
    it is looked at as *guest*, who has the agent's own rights.

    Raises:
        TableLockedError: If a table is locked.
        DatabaseError: If a table cannot be read, or not all of it within *seconds*: columns may be computed.
    """
    deadline = time.monotonic() + seconds
    try:
        found: dict[str, TableState] = {}
        for name, kind in _kinds(admin, database):
            if time.monotonic() > deadline:
                raise DatabaseError(f"reading {len(found)} tables of {database} took {seconds:.0f} s")
            if kind == "VIEW":
                found[name] = _view(admin, database, name, guest, host)
            else:
                found[name] = _table(admin, database, name, seconds)
        return found
    except DatabaseError as error:
        if f": {LOCKED} " in str(error):
            raise TableLockedError(str(error)) from error
        if f": {UNKNOWN} " in str(error):
            return {}
        raise


def warm(admin: Connection, database: str) -> None:
    """Have a server that has just started open the tables of *database*, which takes it longer the first time."""
    if database:
        for name, kind in _kinds(admin, database):
            if kind != "VIEW":
                admin.rows(f"SHOW CREATE TABLE {_place(database, name)}")


READING_SECONDS = 60.0
"""How long it may take to read what one session left."""

PATIENCE = "SET SESSION lock_wait_timeout = 1, innodb_lock_wait_timeout = 1"


def _kinds(admin: Connection, database: str) -> list[Row]:
    """Return what there is, as names and kinds."""
    admin.rows(PATIENCE)
    return admin.rows(f"SHOW FULL TABLES FROM {quote(database)}")


def _place(database: str, name: str) -> str:
    return f"{quote(database)}.{quote(name)}"


def _table(admin: Connection, database: str, name: str, seconds: float) -> TableState:
    place = _place(database, name)
    create = admin.rows(f"SHOW CREATE TABLE {place}")[0][1]
    columns, rows = admin.columns(admin.within(f"SELECT * FROM {place}", seconds))
    return TableState(name, columns, tuple(sorted(rows, key=repr)), create)


def _view(admin: Connection, database: str, name: str, guest: ServerAddress, host: str) -> TableState:
    """Return a view; one that cannot be read has neither columns nor rows."""
    place = _place(database, name)
    create = admin.rows(f"SHOW CREATE VIEW {place}")[0][1]
    create = re.sub(r"^CREATE .*? VIEW ", "CREATE VIEW ", create).replace(f"{quote(database)}.", "")
    with closing(connect_guest(admin, guest, host, VIEW_LIMITS.seconds)) as link:
        link.rows(PATIENCE)
        try:
            result = link.run(f"SELECT * FROM {place}", VIEW_LIMITS.seconds, VIEW_LIMITS)
        except TimeoutError:
            admin.rows(f"KILL CONNECTION {link.id}")
            return TableState(name, (), (), create)
    if result.code == LOCKED:
        raise TableLockedError(result.message)
    return TableState(name, result.columns, tuple(sorted(result.rows or (), key=repr)), create)
