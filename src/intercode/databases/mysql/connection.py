"""A connection to a server, made by PyMySQL: statements with limits, and errors in MySQL's words."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from intercode.databases.base import QueryLimits, QueryResult, Row
from intercode.databases.dialect.errors import TIMEOUT, format_error
from intercode.databases.dialect.mariadb import error_as_mysql, result_as_mysql
from intercode.databases.mysql.protocol import CHOOSE, QUERY, RESET, ProtocolReader, StatementError
from intercode.errors import DatabaseError

MISSING = "PyMySQL is missing, which talks to MySQL: pip install 'intercode-env[mysql]'"

GRACE = 1.0
"""Seconds that a statement may take longer than allowed before its connection is cut."""

GONE = frozenset({0, 1053, 1077, 1152, 1158, 1159, 1160, 1161, 1927, 2002, 2003, 2006, 2013, 2055})
"""Errors that mean that the connection is lost."""

INTERRUPTED = 1317
"""The error of a statement that was killed; MySQL also tells it of some that took too long."""

TIMED_OUT = frozenset({1969, 3024})
"""Errors of a statement that took too long."""

NAMES = "SET NAMES utf8mb4 COLLATE utf8mb4_general_ci"
"""How texts travel and are compared."""


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
        """The same server, somebody else."""
        return replace(self, user=user, password=password)

    def __str__(self) -> str:
        place = self.socket or f"{self.host}:{self.port}"
        return f"{self.user}@{place}"


class Connection:
    """One connection. Not for several threads at once."""

    def __init__(self, address: ServerAddress, *, seconds: float | None = None, patience: float = 10.0) -> None:
        """Connect.

        *seconds* limits each statement at the server. Raises ConnectionLostError, or DatabaseError when refused.
        """
        self.address = address
        self._connection = _connect(address, patience)
        self._wire = ProtocolReader(self._connection._sock)
        self.id: int = self._connection.thread_id()
        self.mariadb = "mariadb" in self.version.lower()
        self._default = seconds
        self._allowed: float | None = None
        self._patience: float | None = None
        self._awaited = 0
        try:
            self.reset()
        except ConnectionLostError:
            self.close()
            raise

    @property
    def version(self) -> str:
        """What the server calls its version."""
        return str(self._connection.server_version)

    def reset(self, database: str = "", *, wait: bool = True) -> None:
        """As if just connected: no variables, temporary tables, locks or transactions; in *database*.

        Without *wait* the answer is read together with the next one, and ConnectionLostError raised there.
        """
        commands = [(RESET, b""), (QUERY, self._settings())]
        if database:
            commands.append((CHOOSE, database.encode()))
        self._allowed = self._default
        self._check()
        try:
            self._wire.send(*commands)
            self._awaited += len(commands)
            if wait:
                self._settle()
        except (StatementError, OSError) as error:
            raise ConnectionLostError(str(error)) from error

    def run(self, statement: str, seconds: float, limits: QueryLimits) -> QueryResult:
        """Run an agent's statement.

        Raises ConnectionLostError when the connection is gone, TimeoutError when it had to be cut.
        """
        started = time.monotonic()
        self._check()
        try:
            self._allow(seconds, statement)
            self._wire.send((QUERY, statement.encode()))
            self._settle()
            result = self._wire.result(limits, started + seconds + GRACE)
        except StatementError as error:
            return self._failure(error, statement, time.monotonic() - started - seconds)
        except TimeoutError:
            raise
        except OSError as error:
            raise ConnectionLostError(str(error)) from error
        return result_as_mysql(statement, result) if self.mariadb else result

    def rows(self, statement: str, arguments: tuple[Any, ...] | None = None) -> list[Row]:
        """Run a statement of our own. Raises ConnectionLostError, and DatabaseError for any other failure."""
        if arguments is not None:
            with self._connection.cursor() as cursor:
                statement = cursor.mogrify(statement, arguments)
        return self.columns(statement)[1]

    def columns(self, statement: str) -> tuple[tuple[str, ...], list[Row]]:
        """Names and rows of a statement of our own. Raises as `rows` does."""
        (result,) = self.together([statement])
        return result.columns, list(result.rows or ())

    def together(self, statements: Sequence[str]) -> list[QueryResult]:
        """Run statements of our own, which are sent all at once, and all run whatever becomes of one of them.

        Raises as `rows` does, for the first that failed.
        """
        self._check()
        try:
            self._wire.send(*[(QUERY, each.encode()) for each in statements])
            self._settle()
            answers = [self._answer(each) for each in statements]
        except OSError as error:
            raise ConnectionLostError(str(error)) from error
        for answer in answers:
            if isinstance(answer, DatabaseError):
                raise answer
        return [answer for answer in answers if isinstance(answer, QueryResult)]

    def _answer(self, statement: str) -> QueryResult | DatabaseError:
        """The next answer, which is to *statement*. Raises ConnectionLostError and OSError."""
        try:
            return self._wire.result()
        except StatementError as error:
            if error.number in GONE:
                raise ConnectionLostError(str(error)) from error
            return DatabaseError(f"{self.address}: {_told(error)}, at: {statement[:200]}")

    def drain(self) -> None:
        """Read what is left of a result that was cut, after the statement was killed. Raises ConnectionLostError."""
        try:
            self._wire.drain()
        except StatementError as error:
            if error.number in GONE:
                raise ConnectionLostError(str(error)) from error
        except OSError as error:
            raise ConnectionLostError(str(error)) from error

    def close(self) -> None:
        """Hang up."""
        import pymysql

        try:
            self._connection._force_close()  # without waiting for an answer
        except (pymysql.err.MySQLError, OSError):
            return

    def _check(self) -> None:
        """Raise ConnectionLostError where reading an answer was broken off."""
        if self._wire.owed != self._awaited:
            raise ConnectionLostError("reading the last answer was broken off")

    def _settle(self) -> None:
        """Read what answers are still to come to commands of ours. Raises ConnectionLostError."""
        while self._awaited:
            self._awaited -= 1
            try:
                self._wire.confirm()
            except StatementError as error:
                raise ConnectionLostError(str(error)) from error

    def _settings(self) -> bytes:
        """What each user of the connection begins with."""
        return NAMES.encode() if self._default is None else f"{NAMES}, {self._limit(self._default)}".encode()

    def _limit(self, seconds: float) -> str:
        if self.mariadb:
            return f"SESSION max_statement_time = {seconds}"
        return f"SESSION max_execution_time = {int(seconds * 1000)}"

    def _allow(self, seconds: float, statement: str) -> None:
        """Have the server stop statements after *seconds* by itself, and wait no longer than that for it."""
        if self._patience != seconds:
            self._wire.wait_at_most(seconds + GRACE)
            self._patience = seconds
        if self._allowed != seconds and self._default is not None:
            self._wire.send((QUERY, f"SET {self._limit(seconds)}".encode()))
            self._awaited += 1
            self._allowed = seconds
        if "max_" in statement.lower():  # it may set that itself
            self._allowed = None

    def _failure(self, error: StatementError, statement: str, late: float) -> QueryResult:
        """What an error means that came *late* seconds after the time allowed."""
        if error.number in GONE:
            raise ConnectionLostError(str(error)) from error
        if error.number in TIMED_OUT or (error.number == INTERRUPTED and late > -0.01):
            return QueryResult(None, error=TIMEOUT, timed_out=True)
        return QueryResult(None, error=format_error(*error_as_mysql(error.number, error.message, statement)))


def _connect(address: ServerAddress, patience: float) -> Any:
    try:
        import pymysql
    except ImportError as error:
        raise DatabaseError(MISSING) from error
    if address.socket:
        _probe(address)
    place = {"unix_socket": address.socket} if address.socket else {"host": address.host, "port": address.port}
    try:
        return pymysql.connect(
            user=address.user,
            password=address.password,
            charset="utf8mb4",
            autocommit=True,
            connect_timeout=patience,
            ssl_disabled=bool(address.socket),  # nothing leaves the machine, and a context for it takes 40 ms
            **place,
        )
    except (pymysql.err.MySQLError, OSError, RuntimeError) as error:
        if isinstance(error, pymysql.err.OperationalError) and _number(error) in GONE:
            raise ConnectionLostError(_told(error)) from error
        raise DatabaseError(f"{address}: {_told(error)}") from error


def _probe(address: ServerAddress) -> None:
    """Ask first whether anybody listens: PyMySQL leaves a socket open that it cannot connect.

    Raises ConnectionLostError.
    """
    with socket.socket(socket.AF_UNIX) as probe:
        if number := probe.connect_ex(address.socket):
            raise ConnectionLostError(os.strerror(number))


def _number(error: BaseException) -> int:
    return error.args[0] if error.args and isinstance(error.args[0], int) else 0


def _told(error: BaseException, statement: str = "") -> str:
    """An error as MySQL's client prints it."""
    if len(error.args) < 2:
        return str(error)
    return format_error(*error_as_mysql(_number(error), str(error.args[1]), statement))
