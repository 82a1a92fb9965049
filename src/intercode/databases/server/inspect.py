"""Looking at a server from the outside: what is in a database, and whether anything was ever committed."""

from __future__ import annotations

from collections.abc import Mapping

from intercode.databases.base import TableState
from intercode.databases.server.link import Link
from intercode.databases.server.program import Program
from intercode.errors import DatabaseError


class Locked(Exception):
    """A table is locked by somebody."""


def position(admin: Link, program: Program) -> object:
    """The end of the binary log."""
    newer = program.flavour == "mysql" and tuple(map(int, program.version.split(".")[:2])) >= (8, 2)
    return admin.rows(f"SHOW {'BINARY LOG' if newer else 'MASTER'} STATUS")[0][:2]


def state(admin: Link, database: str) -> Mapping[str, TableState]:
    """Every table and view of *database*, as committed; nothing where the database is gone. Raises Locked."""
    if not admin.rows("SELECT 1 FROM information_schema.schemata WHERE schema_name = %s", (database,)):
        return {}
    try:
        admin.rows("SET SESSION lock_wait_timeout = 1")
        names = admin.rows(f"SHOW FULL TABLES FROM {quoted(database)}")
        return {name: _table(admin, database, name) for name, _ in names}
    except DatabaseError as error:
        if ": 1205 " in str(error):
            raise Locked(str(error)) from error
        raise


def quoted(name: str) -> str:
    """A name in backticks."""
    return "`" + name.replace("`", "``") + "`"


def _table(admin: Link, database: str, name: str) -> TableState:
    whole = f"{quoted(database)}.{quoted(name)}"
    create = admin.rows(f"SHOW CREATE TABLE {whole}")[0][1]
    columns, rows = admin.columns(f"SELECT * FROM {whole}")
    return TableState(name, columns, tuple(sorted(rows, key=repr)), create)
