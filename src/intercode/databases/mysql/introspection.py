"""Looking at a server from the outside: what is in a database, and whether anything was ever committed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import closing

from intercode.databases.base import VIEW_LIMITS, Row, TableState
from intercode.databases.dialect.tokenizer import quote
from intercode.databases.mysql.connection import Connection
from intercode.databases.mysql.driver import ServerAddress
from intercode.databases.mysql.server_program import ServerProgram
from intercode.errors import DatabaseError

SYSTEM_DATABASES = frozenset({"mysql", "sys", "performance_schema", "information_schema"})
"""The server's own."""


class TableLockedError(Exception):
    """A table is locked by somebody."""


def position(admin: Connection, program: ServerProgram) -> object:
    """The end of the binary log."""
    newer = program.flavour == "mysql" and tuple(map(int, program.version.split(".")[:2])) >= (8, 2)
    return admin.rows(f"SHOW {'BINARY LOG' if newer else 'MASTER'} STATUS")[0][:2]


LOCKED = 1205
"""The error of who waited too long for a lock."""

UNKNOWN = 1049
"""The error of who asks for a database that is not there."""


def connect_guest(admin: Connection, guest: ServerAddress, host: str, seconds: float) -> Connection:
    """A connection of the account of *guest*, at *host*, also where that has given itself another password."""
    try:
        return Connection(guest, seconds=seconds)
    except DatabaseError:
        admin.rows(f"ALTER USER '{guest.user}'@'{host}' IDENTIFIED BY '{guest.password}'")
        return Connection(guest, seconds=seconds)


def state(admin: Connection, database: str, guest: ServerAddress, host: str) -> Mapping[str, TableState]:
    """Every table and view of *database*, as committed; nothing where the database is gone.

    A view is the agent's code, and could call functions of the agent's with the rights of whoever looks at it:
    it is looked at as *guest*, who has the agent's own rights.

    Raises:
        TableLockedError: If a table is locked.
    """
    try:
        return {
            name: _view(admin, database, name, guest, host) if kind == "VIEW" else _table(admin, database, name)
            for name, kind in _kinds(admin, database)
        }
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


PATIENCE = "SET SESSION lock_wait_timeout = 1"


def _kinds(admin: Connection, database: str) -> list[Row]:
    """What there is, as names and kinds."""
    admin.rows(PATIENCE)
    return admin.rows(f"SHOW FULL TABLES FROM {quote(database)}")


def _place(database: str, name: str) -> str:
    return f"{quote(database)}.{quote(name)}"


def _table(admin: Connection, database: str, name: str) -> TableState:
    place = _place(database, name)
    create = admin.rows(f"SHOW CREATE TABLE {place}")[0][1]
    columns, rows = admin.columns(f"SELECT * FROM {place}")
    return TableState(name, columns, tuple(sorted(rows, key=repr)), create)


def _view(admin: Connection, database: str, name: str, guest: ServerAddress, host: str) -> TableState:
    """A view; one that cannot be read has neither columns nor rows."""
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
