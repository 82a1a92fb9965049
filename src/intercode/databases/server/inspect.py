"""Looking at a server from the outside: what is in a database, and whether anything was ever committed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import closing

from intercode.databases.base import QueryLimits, TableState
from intercode.databases.server.link import Link
from intercode.databases.server.program import Program
from intercode.errors import DatabaseError


class Locked(Exception):
    """A table is locked by somebody."""


def position(admin: Link, program: Program) -> object:
    """The end of the binary log."""
    newer = program.flavour == "mysql" and tuple(map(int, program.version.split(".")[:2])) >= (8, 2)
    return admin.rows(f"SHOW {'BINARY LOG' if newer else 'MASTER'} STATUS")[0][:2]


LOCKED = 1205
"""The error of who waited too long for a lock."""

VIEWS = QueryLimits(seconds=4.0, rows=1_000_000, bytes=64 << 20)
"""How much of a view is looked at: what it shows is the agent's own code."""


def state(admin: Link, database: str, guest: Callable[[], Link]) -> Mapping[str, TableState]:
    """Every table and view of *database*, as committed; nothing where the database is gone. Raises Locked.

    A view is the agent's code, and could call functions of the agent's with the rights of whoever looks at it:
    *guest* makes a connection with the agent's own rights for that.
    """
    if not admin.rows("SELECT 1 FROM information_schema.schemata WHERE schema_name = %s", (database,)):
        return {}
    try:
        admin.rows(PATIENCE)
        kinds = admin.rows(f"SHOW FULL TABLES FROM {quoted(database)}")
        return {
            name: _view(admin, database, name, guest) if kind == "VIEW" else _table(admin, database, name)
            for name, kind in kinds
        }
    except DatabaseError as error:
        if f": {LOCKED} " in str(error):
            raise Locked(str(error)) from error
        raise


PATIENCE = "SET SESSION lock_wait_timeout = 1"


def quoted(name: str) -> str:
    """A name in backticks."""
    return "`" + name.replace("`", "``") + "`"


def _table(admin: Link, database: str, name: str) -> TableState:
    whole = f"{quoted(database)}.{quoted(name)}"
    create = admin.rows(f"SHOW CREATE TABLE {whole}")[0][1]
    columns, rows = admin.columns(f"SELECT * FROM {whole}")
    return TableState(name, columns, tuple(sorted(rows, key=repr)), create)


def _view(admin: Link, database: str, name: str, guest: Callable[[], Link]) -> TableState:
    """A view; one that cannot be read has neither columns nor rows."""
    whole = f"{quoted(database)}.{quoted(name)}"
    create = admin.rows(f"SHOW CREATE VIEW {whole}")[0][1]
    create = re.sub(r"^CREATE .*? VIEW ", "CREATE VIEW ", create).replace(f"{quoted(database)}.", "")
    with closing(guest()) as link:
        link.rows(PATIENCE)
        try:
            result = link.run(f"SELECT * FROM {whole}", VIEWS.seconds, VIEWS)
        except TimeoutError:
            admin.rows(f"KILL CONNECTION {link.id}")
            return TableState(name, (), (), create)
    if result.code == LOCKED:
        raise Locked(result.message)
    return TableState(name, result.columns, tuple(sorted(result.rows or (), key=repr)), create)
