"""A connection to a server, made by PyMySQL: statements with limits, and errors in MySQL's words."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from struct import pack
from typing import Any

from intercode.errors import DatabaseError
from intercode.types.databases import NO_LIMITS, QueryLimits, QueryResult, Row
from intercode.worlds.sql.databases.dialect.errors import TIMEOUT
from intercode.worlds.sql.databases.dialect.mariadb import result_as_mysql
from intercode.worlds.sql.databases.mysql.driver import (
    GONE,
    ConnectionLostError,
    ServerAddress,
    connect,
    driver_errors,
    error_number,
    error_text,
)

GRACE = 1.0
"""Seconds that a statement may take longer than allowed before its connection is cut."""

INTERRUPTED = 1317
"""The error of a statement that was killed; MySQL also tells it of some that took too long."""

TIMED_OUT = frozenset({1969, 3024})
"""Errors of a statement that took too long."""

NAMES = "SET NAMES utf8mb4 COLLATE utf8mb4_general_ci"
"""How texts travel and are compared."""

RESET, QUERY, CHOOSE = 0x1F, 0x03, 0x02
"""The protocol's COM_RESET_CONNECTION, for which the driver has no name, COM_QUERY and COM_INIT_DB."""


SHORT = 64 << 10
"""Bytes of a statement that a server takes while it is still busy with what came before."""


class Connection:
    """One connection, which streams what the driver reads. Not for several threads at once."""

    def __init__(self, address: ServerAddress, *, seconds: float | None = None, patience: float = 10.0) -> None:
        """Connect.

        *seconds* limits each statement at the server.

        Raises:
            ConnectionLostError: If nobody answers.
            DatabaseError: If the server refuses.
        """
        self.address = address
        self._connection = connect(address, patience)
        self.id: int = self._connection.thread_id()
        self.version = str(self._connection.server_version)
        self.mariadb = "mariadb" in self.version.lower()
        self._default = self._allowed = seconds
        self._is_reading, self._unread = False, 0
        try:
            self.reset()
        except ConnectionLostError:
            self.close()
            raise

    def reset(self, database: str = "", *, wait: bool = True) -> None:
        """As if just connected: no variables, temporary tables, locks or transactions; in *database*.

        Without *wait* the answers are taken with that of the next statement, which is not asked for in vain where the
        server has died: it raises ConnectionLostError.
        """
        choice = [(CHOOSE, database)] if database else []
        (self._send if self._unread else self.begin_reset)(*choice)
        if wait:
            self._receive()
        self._allowed, self._is_reading = self._default, False

    def begin_reset(self, *others: tuple[int, str]) -> None:
        """Ask for a reset and *others*; only `reset` may follow. The server does it while nobody waits.

        Raises:
            ConnectionLostError: If the server is gone.
        """
        setting = NAMES if self._default is None else f"{NAMES}, {self._limit(self._default)}"
        self._receive()
        self._begin()
        self._send((RESET, ""), (QUERY, setting), *others)

    def _send(self, *commands: tuple[int, str]) -> None:
        """Send *commands* in one go; `_receive` takes their answers: waiting for each costs more than they do."""
        packets = [(number, text.encode()) for number, text in commands]
        self._unread += len(packets)
        with self._close_on_failure():
            self._connection.send_ahead(b"".join(_packet(number, text) for number, text in packets))

    def _receive(self) -> None:
        """Take the answers of all that was sent."""
        if self._unread:
            with self._close_on_failure():
                while self._unread:
                    self._connection.read_answer()
                    self._unread -= 1

    @contextmanager
    def _close_on_failure(self) -> Iterator[None]:
        """Answers that were not taken must not be taken for those of later statements. Raises ConnectionLostError."""
        try:
            yield
        except BaseException as error:
            self.close()
            if isinstance(error, driver_errors()):
                raise ConnectionLostError(str(error)) from error
            raise

    def run(self, statement: str, seconds: float, limits: QueryLimits) -> QueryResult:
        """Run an agent's statement. A result that is cut at its *limits* is left unread, for `drain`.

        Raises:
            ConnectionLostError: If the connection is gone.
            TimeoutError: If it had to be cut.
        """
        started = time.monotonic()
        try:
            self._begin()
            self._allow(seconds, statement)
            result = self._result(statement, limits, started + seconds + GRACE)
        except driver_errors() as error:
            return self._failure(error, statement, time.monotonic() - started - seconds)
        return result_as_mysql(statement, result) if self.mariadb else result

    def rows(self, statement: str, arguments: tuple[Any, ...] | None = None) -> list[Row]:
        """Run a statement of our own.

        Raises:
            ConnectionLostError: If the server is gone.
            DatabaseError: For any other failure.
        """
        if arguments is not None:
            statement = self._connection.cursor().mogrify(statement, arguments)
        return self.columns(statement)[1]

    def columns(self, statement: str) -> tuple[tuple[str, ...], list[Row]]:
        """Names and rows of a statement of our own. Raises as `rows` does."""
        with self._connection_errors(statement):
            self._begin()
            result = self._result(statement, NO_LIMITS, math.inf)
        return result.columns, list(result.rows or ())

    def drain(self) -> None:
        """Read what is left of a result that was cut, after the statement was killed.

        Raises:
            ConnectionLostError: If the server is gone.
        """
        with suppress(DatabaseError), self._connection_errors("the rest"):
            while (result := self._connection.last_result).unbuffered_active or result.has_next:
                result.drain()
                if result.has_next:
                    self._connection.next_result(unbuffered=True)

    def close(self) -> None:
        """Hang up, without waiting for an answer."""
        self._unread = 0
        self._connection.hang_up()

    def _begin(self) -> None:
        """Before a statement. Raises ConnectionLostError where reading another answer was broken off."""
        if self._is_reading or not self._connection.open:
            raise ConnectionLostError("reading the last answer was broken off, or the connection was closed")
        self._is_reading = True

    def _result(self, statement: str, limits: QueryLimits, deadline: float) -> QueryResult:
        """Return the first result of a statement; all further ones, which procedures have, are read and forgotten."""
        connection = self._connection
        try:
            text = statement.encode("utf-8", "surrogateescape")  # dumps hold bytes of blobs as they are
            if len(text) > SHORT:
                self._receive()
                result = connection.read_result(text)
            else:  # at once, whatever is still to be answered
                connection.send_ahead(_packet(QUERY, text))
                self._receive()
                result = connection.read_result()
            if result.names is None:
                found = QueryResult(None, affected=result.affected_rows)
            else:
                rows, cut = result.read(limits, deadline)
                found = QueryResult(tuple(rows), result.names, truncated=cut)
            while not found.truncated and connection.last_result.has_next:
                connection.next_result(unbuffered=True)
                deque(connection.last_result.stream(deadline), maxlen=0)
        except BaseException as error:
            if connection.last_result is not None:
                connection.last_result.unbuffered_active = False  # else the driver reads on before a long statement
            self._is_reading = not isinstance(error, driver_errors())
            raise
        self._is_reading = False
        return found

    @contextmanager
    def _connection_errors(self, statement: str) -> Iterator[None]:
        """Provide what the driver raises, as errors of ours."""
        try:
            yield
        except driver_errors() as error:
            if error_number(error) in GONE:
                raise ConnectionLostError(str(error)) from error
            raise DatabaseError(f"{self.address}: {error_text(error)}, at: {statement[:200]}") from error

    def within(self, query: str, seconds: float) -> str:
        """Return *query*, a SELECT, as one that the server ends after *seconds*."""
        if seconds == math.inf:
            return query
        if self.mariadb:
            return f"SET STATEMENT max_statement_time = {seconds} FOR {query}"
        return query.replace("SELECT", f"SELECT /*+ MAX_EXECUTION_TIME({int(seconds * 1000)}) */", 1)

    def _limit(self, seconds: float) -> str:
        if self.mariadb:
            return f"SESSION max_statement_time = {seconds}"
        return f"SESSION max_execution_time = {int(seconds * 1000)}"

    def _allow(self, seconds: float, statement: str) -> None:
        """Have the server stop statements after *seconds* by itself, and wait no longer than that for it."""
        self._connection.limit_time(seconds + GRACE)
        if self._allowed != seconds and self._default is not None:
            self._send((QUERY, f"SET {self._limit(seconds)}"))
            self._allowed = seconds
        if "max_" in statement.lower():  # it may set that itself
            self._allowed = None

    def _failure(self, error: Exception, statement: str, late: float) -> QueryResult:
        """Return what an error means that came *late* seconds after the time allowed."""
        number = error_number(error)
        if isinstance(error.__context__, TimeoutError):
            raise TimeoutError("the server was silent for too long") from error
        if number in GONE:
            raise ConnectionLostError(str(error)) from error
        if number in TIMED_OUT or (number == INTERRUPTED and late > -0.01):
            return QueryResult(None, error=TIMEOUT, timed_out=True)
        return QueryResult(None, error=error_text(error, statement))


def _packet(number: int, text: bytes) -> bytes:
    """Return the packet of a command with its *number*."""
    return pack("<iB", len(text) + 1, number) + text
