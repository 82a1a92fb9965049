"""The accounts that agents have: one that reads, one that does as it likes with its own databases, and no more."""

from __future__ import annotations

from collections.abc import Iterable

from intercode.databases.mysql.connection import Connection

AGENT = "agent"
"""Who writes, on a server of its own."""

READING = "SELECT, SHOW VIEW"

WRITING = (
    "SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, REFERENCES, INDEX, ALTER, CREATE TEMPORARY TABLES, LOCK TABLES, "
    "EXECUTE, CREATE VIEW, SHOW VIEW, CREATE ROUTINE, ALTER ROUTINE, TRIGGER"
)
"""Rights on databases only: nothing global, so neither files nor processes nor settings of the server."""


def create(
    admin: Connection, user: str, rights: str, databases: Iterable[str], *, password: str = "", host: str = "localhost"
) -> None:
    """Make an account with *rights* on these *databases*. Raises ConnectionLostError and DatabaseError."""
    identified = f" IDENTIFIED BY '{password}'" if password else ""
    admin.rows(f"CREATE USER '{user}'@'{host}'{identified}")
    grant(admin, user, rights, databases, host=host)


def grant(admin: Connection, user: str, rights: str, databases: Iterable[str], *, host: str = "localhost") -> None:
    """Give an account *rights* on these *databases*."""
    for database in databases:
        admin.rows(f"GRANT {rights} ON `{_pattern(database)}`.* TO '{user}'@'{host}'")


def _pattern(database: str) -> str:
    """In GRANT, the name of a database is a pattern."""
    return database.replace("\\", "\\\\").replace("_", "\\_").replace("%", "\\%").replace("`", "``")
