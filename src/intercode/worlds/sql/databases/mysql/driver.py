"""PyMySQL, as we use it: where a server is, how it is connected to, and what its errors mean."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache
from typing import Any

from intercode.errors import DatabaseError
from intercode.worlds.sql.databases.dialect.errors import format_error
from intercode.worlds.sql.databases.dialect.mariadb import error_as_mysql

MISSING = "PyMySQL is missing, which talks to MySQL: pip install 'intercode-env[mysql]'"

GONE = frozenset({0, 1053, 1077, 1152, 1158, 1159, 1160, 1161, 1927, 2002, 2003, 2006, 2013, 2055})
"""Errors that mean that the connection is lost."""


class ConnectionLostError(Exception):
    """The connection is gone: the server died, or cut it."""


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where a server is and as whom to talk to it; *socket* wins over *host*."""

    user: str
    password: str = ""
    socket: str = ""
    host: str = "localhost"
    port: int = 3306

    def as_user(self, user: str, password: str = "") -> ServerAddress:
        """Return the same server, somebody else."""
        return replace(self, user=user, password=password)

    def __str__(self) -> str:
        place = self.socket or f"{self.host}:{self.port}"
        return f"{self.user}@{place}"


@cache
def driver_errors() -> tuple[type[Exception], ...]:
    """Return what the driver raises. It raises RuntimeError where the server asks for a file of ours."""
    import pymysql

    return pymysql.err.MySQLError, RuntimeError


def _converters() -> dict[Any, Any]:
    """The driver's, except that bits are numbers, and dates that do not exist are NULL, as in MySQL's own client."""
    from pymysql.constants import FIELD_TYPE
    from pymysql.converters import conversions

    moment = _or_none(datetime.fromisoformat)
    return {
        **conversions,
        FIELD_TYPE.BIT: lambda data: int.from_bytes(data, "big"),
        FIELD_TYPE.DATE: _or_none(date.fromisoformat),
        FIELD_TYPE.DATETIME: moment,
        FIELD_TYPE.TIMESTAMP: moment,
    }


def _or_none(read: Callable[[str], date]) -> Callable[[str], date | None]:
    def convert(text: str) -> date | None:
        try:
            return read(text)
        except ValueError:
            return None

    return convert


def connect(address: ServerAddress, patience: float) -> Any:
    """Return the driver's connection to *address*, for whose answer it waits *patience* seconds.

    Raises:
        ConnectionLostError: If nobody answers.
        DatabaseError: If it is refused or the driver is missing.
    """
    try:
        import pymysql

        from intercode.worlds.sql.databases.mysql.results import LENIENT, BulkConnection
    except ImportError as error:
        raise DatabaseError(MISSING) from error
    channel = _open_socket(address.socket, patience) if address.socket else None
    try:
        connection = BulkConnection(
            user=address.user,
            password=address.password,
            host=address.host,
            port=address.port,
            charset="utf8mb4",
            autocommit=True,
            conv=_converters(),
            connect_timeout=patience,
            ssl_disabled=channel is not None,  # nothing leaves the machine, and a context for it takes 40 ms
            defer_connect=True,
        )
        connection.connect_by(channel)
        connection.encoding = LENIENT
        return connection
    except (pymysql.err.MySQLError, OSError, RuntimeError) as error:
        if isinstance(error, pymysql.err.OperationalError) and error_number(error) in GONE:
            raise ConnectionLostError(error_text(error)) from error
        raise DatabaseError(f"{address}: {error_text(error)}") from error


def _open_socket(path: str, patience: float) -> socket.socket:
    """Return a connection to the socket at *path*. PyMySQL itself leaves a socket open that it cannot connect.

    Raises:
        ConnectionLostError: Nobody listens there.
    """
    channel = socket.socket(socket.AF_UNIX)
    try:
        channel.settimeout(patience)
        channel.connect(path)
    except OSError as error:
        channel.close()
        raise ConnectionLostError(error.strerror or str(error)) from error
    return channel


def error_number(error: BaseException) -> int:
    """MySQL's number of an error; 0 where the driver itself is at a loss."""
    return error.args[0] if error.args and isinstance(error.args[0], int) else 0


def error_text(error: BaseException, statement: str = "") -> str:
    """Return an error as MySQL's client prints it."""
    if len(error.args) < 2:
        return str(error)
    return format_error(*error_as_mysql(error_number(error), str(error.args[1]), statement))
