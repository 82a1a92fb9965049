"""A connection to a server, by PyMySQL: statements with limits, and errors in MySQL's words."""

from __future__ import annotations

import os
import socket
import struct
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from intercode.databases.base import QueryLimits, QueryResult, Row
from intercode.databases.dialect.errors import TIMEOUT, told
from intercode.databases.dialect.mariadb import error_as_mysql, result_as_mysql
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

CHOOSE, QUERY, RESET = 0x02, 0x03, 0x1F
"""The protocol's COM_INIT_DB, COM_QUERY and COM_RESET_CONNECTION."""

NAMES = "SET NAMES utf8mb4 COLLATE utf8mb4_general_ci"
"""How texts travel and are compared."""


class LinkLost(Exception):
    """The connection is gone: the server died, or cut it."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is and as whom to talk to it; *socket* wins over *host*."""

    user: str
    password: str = ""
    socket: str = ""
    host: str = "localhost"
    port: int = 3306

    def as_user(self, user: str, password: str = "") -> Address:
        """The same server, somebody else."""
        return replace(self, user=user, password=password)

    def __str__(self) -> str:
        place = self.socket or f"{self.host}:{self.port}"
        return f"{self.user}@{place}"


class Link:
    """One connection. Not for several threads at once."""

    def __init__(self, address: Address, *, seconds: float | None = None, patience: float = 10.0) -> None:
        """Connect. *seconds* limits each statement at the server. Raises LinkLost, or DatabaseError when refused."""
        self.address = address
        self._connection = _connect(address, patience)
        self.id: int = self._connection.thread_id()
        self.mariadb = "mariadb" in str(self._connection.server_version).lower()
        self._default = seconds
        self._allowed: float | None = None
        self.reset()

    @property
    def version(self) -> str:
        """What the server calls its version."""
        return str(self._connection.server_version)

    def reset(self, database: str = "") -> None:
        """As if just connected: no variables, temporary tables, locks or transactions; in *database*."""
        import pymysql

        commands = [(RESET, b""), (QUERY, self._settings())]
        if database:
            commands.append((CHOOSE, database.encode()))
        try:
            self._at_once(commands)
        except (pymysql.err.MySQLError, OSError) as error:
            raise LinkLost(str(error)) from error
        self._allowed = self._default

    def _at_once(self, commands: Sequence[tuple[int, bytes]]) -> None:
        """Send all *commands*, then read all answers: the server need not be waited for in between."""
        (first, argument), *rest = commands
        self._connection._execute_command(first, argument)
        packets = (struct.pack("<IB", len(argument) + 1, command) + argument for command, argument in rest)
        self._connection._write_bytes(b"".join(packets))
        for _ in commands:
            self._connection._next_seq_id = 1
            self._connection._read_ok_packet()

    def run(self, statement: str, seconds: float, limits: QueryLimits) -> QueryResult:
        """Run an agent's statement. Raises LinkLost when the connection is gone, TimeoutError when it had to be cut."""
        import pymysql

        started = time.monotonic()
        try:
            self._allow(seconds, statement)
            self._connection._read_timeout = self._connection._write_timeout = seconds + GRACE  # two cost a system call
            result = self._limited(statement, started + seconds + GRACE, limits)
            return result_as_mysql(statement, result) if self.mariadb else result
        except pymysql.err.MySQLError as error:
            return self._failure(error, statement, time.monotonic() - started - seconds)
        except OSError as error:
            raise LinkLost(str(error)) from error

    def rows(self, statement: str, arguments: tuple[Any, ...] | None = None) -> list[Row]:
        """Run a statement of our own. Raises LinkLost, and DatabaseError for any other failure."""
        import pymysql

        try:
            with self._connection.cursor() as cursor:
                cursor.execute(statement, arguments)
                return list(cursor.fetchall()) if cursor.description else []
        except pymysql.err.MySQLError as error:
            if _number(error) in GONE:
                raise LinkLost(str(error)) from error
            raise DatabaseError(f"{self.address}: {_told(error)}, at: {statement[:200]}") from error

    def columns(self, statement: str) -> tuple[tuple[str, ...], list[Row]]:
        """Names and rows of a statement of our own. Raises as `rows` does."""
        import pymysql

        try:
            with self._connection.cursor() as cursor:
                cursor.execute(statement)
                return tuple(column[0] for column in cursor.description or ()), list(cursor.fetchall())
        except pymysql.err.MySQLError as error:
            if _number(error) in GONE:
                raise LinkLost(str(error)) from error
            raise DatabaseError(f"{self.address}: {_told(error)}, at: {statement[:200]}") from error

    def close(self) -> None:
        """Hang up."""
        import pymysql

        try:
            self._connection._force_close()  # without waiting for an answer
        except (pymysql.err.MySQLError, OSError):
            return

    def _settings(self) -> bytes:
        """What each user of the connection begins with."""
        return NAMES.encode() if self._default is None else f"{NAMES}, {self._limit(self._default)}".encode()

    def _limit(self, seconds: float) -> str:
        if self.mariadb:
            return f"SESSION max_statement_time = {seconds}"
        return f"SESSION max_execution_time = {int(seconds * 1000)}"

    def _allow(self, seconds: float, statement: str) -> None:
        """Have the server stop statements after *seconds* by itself."""
        if self._allowed != seconds and self._default is not None:
            self._connection.query(f"SET {self._limit(seconds)}")
            self._allowed = seconds
        if "max_" in statement.lower():  # it may set that itself
            self._allowed = None

    def _limited(self, statement: str, deadline: float, limits: QueryLimits) -> QueryResult:
        """Run it, without a cursor of PyMySQL's: those read all that is left when they go."""
        connection = self._connection
        connection.query(statement, unbuffered=True)
        result = connection._result
        if result.description is None:
            self._finish()
            return QueryResult(None, affected=max(0, result.affected_rows))
        columns = tuple(column[0] for column in result.description)
        rows, cut = _fetched(result, deadline, limits)
        if not cut:
            self._finish()
        return QueryResult(rows, columns, truncated=cut)

    def _finish(self) -> None:
        """Go past what a procedure shows beside its first result."""
        while self._connection._result.has_next:
            self._connection.next_result(unbuffered=True)
            self._connection._result._finish_unbuffered_query()

    def drain(self) -> None:
        """Read what is left of a result that was cut, after the statement was killed. Raises LinkLost."""
        import pymysql

        result = self._connection._result
        while result is not None and result.unbuffered_active:
            try:
                result._read_rowdata_packet_unbuffered()
            except pymysql.err.MySQLError as error:
                result.unbuffered_active = False
                if _number(error) in GONE:
                    raise LinkLost(str(error)) from error
            except OSError as error:
                raise LinkLost(str(error)) from error
        self._connection._result = None

    def _failure(self, error: Exception, statement: str, late: float) -> QueryResult:
        """What an error means that came *late* seconds after the time allowed."""
        number = _number(error)
        if number in GONE:
            if late >= GRACE / 2:
                raise TimeoutError
            raise LinkLost(str(error)) from error
        if number in TIMED_OUT or (number == INTERRUPTED and late > -0.01):
            return QueryResult(None, error=TIMEOUT, timed_out=True)
        return QueryResult(None, error=_told(error, statement))


def _fetched(result: Any, deadline: float, limits: QueryLimits) -> tuple[tuple[Row, ...], bool]:
    """Rows within the limits, and whether there are more. Raises TimeoutError."""
    rows: list[Row] = []
    size = 0
    while (row := result._read_rowdata_packet_unbuffered()) is not None:
        for value in row:
            size += len(value) if type(value) in SIZED else 8
        if len(rows) == limits.rows or size > limits.bytes:
            return tuple(rows), True
        if time.monotonic() > deadline:
            raise TimeoutError
        rows.append(row)
    return tuple(rows), False


SIZED = frozenset({str, bytes})


def _connect(address: Address, patience: float) -> Any:
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
            conv=_values(),
            **place,
        )
    except (pymysql.err.MySQLError, OSError, RuntimeError) as error:
        if isinstance(error, pymysql.err.OperationalError) and _number(error) in GONE:
            raise LinkLost(_told(error)) from error
        raise DatabaseError(f"{address}: {_told(error)}") from error


def _probe(address: Address) -> None:
    """Ask first whether anybody listens: PyMySQL leaves a socket open that it cannot connect. Raises LinkLost."""
    with socket.socket(socket.AF_UNIX) as probe:
        if number := probe.connect_ex(address.socket):
            raise LinkLost(os.strerror(number))


def _values() -> dict[Any, Any]:
    """How values are read: as MySQL's own client does, which knows no dates that are none."""
    from pymysql.constants import FIELD_TYPE
    from pymysql.converters import conversions, convert_date, convert_datetime

    def moment(text: str) -> Any:
        value = convert_datetime(text)
        return value if isinstance(value, date) else None

    def day(text: str) -> Any:
        value = convert_date(text)
        return value if isinstance(value, date) else None

    special = {FIELD_TYPE.DATETIME: moment, FIELD_TYPE.TIMESTAMP: moment, FIELD_TYPE.DATE: day, FIELD_TYPE.BIT: _bits}
    return {**conversions, **special}


def _bits(data: bytes) -> int:
    return int.from_bytes(data, "big")


def _number(error: BaseException) -> int:
    return error.args[0] if error.args and isinstance(error.args[0], int) else 0


def _told(error: BaseException, statement: str = "") -> str:
    """An error as MySQL's client prints it."""
    if len(error.args) < 2:
        return str(error)
    return told(*error_as_mysql(_number(error), str(error.args[1]), statement))
