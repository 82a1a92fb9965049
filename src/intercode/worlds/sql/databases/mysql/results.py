"""The driver's streaming results, read in bulk: for what its buffer holds it need not be called for each value.

What is not wholly in that buffer, and what is no plain row, the driver reads as ever.
"""

from __future__ import annotations

import codecs
import io
import socket
import time
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from pymysql.connections import Connection, MySQLResult
from pymysql.constants import COMMAND, CR
from pymysql.err import MySQLError, OperationalError

from intercode.types.databases import QueryLimits, Row, limit_rows

LENIENT = "utf8_lenient"
"""UTF-8 with replacement characters for what is none. A session can choose another encoding for its results."""


def _lenient(data: Any, errors: str = "", /) -> tuple[str, int]:
    return codecs.utf_8_decode(data, "replace", True)


CODEC = codecs.CodecInfo(codecs.utf_8_encode, _lenient, name=LENIENT)
codecs.register(lambda name: CODEC if name == LENIENT else None)


def read_text(data: bytes) -> str:
    """Return the same for one text, in a fifth of the time: codecs of one's own are found anew for each."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


NULL, LONG, END, ERROR = 0xFB, 0xFD, 0xFE, 0xFF
"""How a value begins that is none, one whose length takes three bytes, and packets that are no rows."""

WIDTH = 250
"""What to take from a byte above `NULL` for how many bytes the length takes: two or three, in any buffer's values."""

MORE = 8
"""The bit that says that another result follows."""

SMALL = 9 * io.DEFAULT_BUFFER_SIZE
"""No result that the driver's buffer holds is larger, if what is not text is counted as eight bytes."""

_known: dict[bytes, tuple[tuple[str, ...], list[Any]]] = {}
"""Columns by the bytes that describe them: their names, and how the driver is to read their values."""

KNOWN = 1000
"""Up to so many of 8 KB at most."""


class BulkConnection(Connection):  # type: ignore[misc]
    """The driver's connection, with results of ours where they are streamed, and packets that are sent ahead."""

    _result: BulkResult | None

    @property
    def last_result(self) -> BulkResult | None:
        """Return what the last statement gave, if it was begun."""
        return self._result

    @property
    def packet_number(self) -> int:
        """Return the number that the next packet has to have."""
        return int(self._next_seq_id)

    def connect_by(self, channel: socket.socket | None) -> None:
        """Connect over *channel*, a socket of this machine; without one by itself."""
        self._secure = channel is not None  # as the driver has it for a socket that it opens: passwords may pass
        self.connect(channel)

    def limit_time(self, seconds: float) -> None:
        """Wait no longer than *seconds* for the server to read or to write."""
        self._read_timeout = self._write_timeout = seconds

    def send_ahead(self, packets: bytes) -> None:
        """Send what may be sent before the answers to what came before were read."""
        self._write_bytes(packets)

    def read_answer(self) -> None:
        """Read the answer to the first of the packets that were sent ahead."""
        self._next_seq_id = 1
        self._read_packet()

    def read_result(self, query: bytes = b"") -> BulkResult:
        """Send *query*, if there is one, and return its result; without, the result of what was sent ahead."""
        if query:
            self._execute_command(COMMAND.COM_QUERY, query)
        else:
            self._next_seq_id = 1
        self._read_query_result(unbuffered=True)
        assert self._result is not None
        return self._result

    def hang_up(self) -> None:
        """Close the connection without a word to the server."""
        self._force_close()

    def peek(self) -> bytes:
        """Return what the driver's buffer holds; waits if that is nothing. Raises what the driver raises."""
        try:
            found: bytes = self._rfile.peek()
            return found
        except OSError as error:
            self.hang_up()
            raise OperationalError(
                CR.CR_SERVER_LOST, f"Lost connection to MySQL server during query ({error})"
            ) from error

    def skip(self, size: int, packets: int) -> None:
        """Take *size* bytes, which hold *packets*, out of the buffer."""
        self._rfile.read(size)
        self._next_seq_id = (self._next_seq_id + packets) % 256

    def _read_query_result(self, unbuffered: bool = False) -> Any:
        if not unbuffered:
            return super()._read_query_result()
        self._result, result, data = None, BulkResult(self), self.peek()
        if len(data) > 9 and data[3] == self._next_seq_id:
            if data[4] == ERROR and data[7] == ord("#") and (end := _end(data, 1)):
                self.skip(end, 1)
                raise MySQLError(data[5] | data[6] << 8, data[13:end].decode("utf-8", "replace"))
            header = data[: _end(data, data[4] + 2)] if 0 < data[4] < NULL else b""
        else:
            header = b""
        if header in _known:
            self.skip(len(header), data[4] + 2)
            result.names, result.converters = _known[header]
            result.unbuffered_active = True
        else:
            result.learn(header)
        self._result = result
        return result.affected_rows


class BulkResult(MySQLResult):  # type: ignore[misc]
    """One result. `names` are those of its columns; None where it has no rows."""

    names: tuple[str, ...] | None = None
    connection: Any  # ours, until the last row has been read
    converters: list[Any]

    def __del__(self) -> None:
        """Read nothing: the driver's own would read the rest, and print a trace where the connection is cut."""

    def learn(self, header: bytes) -> None:
        """Have the driver read what there is before the rows: *header*, or nothing, where that is not known."""
        self.init_unbuffered_query()
        if self.unbuffered_active:
            self.names = tuple(field.name for field in self.fields)
            self.converters = [(None, _reader(*each)) for each in self.converters]
            if header:
                if len(_known) >= KNOWN:
                    _known.clear()
                _known[header] = self.names, self.converters

    def read(self, limits: QueryLimits, deadline: float) -> tuple[list[Row], bool]:
        """Return the first rows, as `limit_rows` gives them. Raises as `stream` does."""
        rows = self._rows_in_buffer()
        if not self.unbuffered_active and len(rows) <= limits.rows and limits.bytes >= SMALL:
            return rows, False
        return limit_rows(chain(rows, self.stream(deadline)), limits)

    def stream(self, deadline: float) -> Iterator[Row]:
        """Yield all rows.

        Raises:
            TimeoutError: When more are still to come at the time *deadline*.
        """
        while self.unbuffered_active:
            row = self._read_rowdata_packet_unbuffered()
            if row is None:
                return
            if time.monotonic() > deadline:
                raise TimeoutError("rows kept coming for too long")
            yield row
            yield from self._rows_in_buffer()

    def drain(self) -> None:
        """Read what is left of the rows, and forget it."""
        self._finish_unbuffered_query()

    def _rows_in_buffer(self) -> list[Row]:
        """Return the rows that are wholly there.

        With the last of them the result ends, where its end is there as well.
        """
        data, rows, at = self.connection.peek(), list[Row](), 0
        readers = [read for _, read in self.converters]
        last, number = len(data) - 5, self.connection.packet_number
        while at <= last and data[at + 3] == number and (end := _end(data, 1, at)):
            place = at + 4
            if data[place] >= LONG:
                if data[place] == END and end - place == 5:
                    self.connection.skip(end, len(rows) + 1)
                    self.has_next, self.unbuffered_active, self.connection = data[place + 3] & MORE, False, None
                    return rows
                break
            row: list[Any] = []
            for read in readers:
                size = data[place]
                place += 1
                if size == NULL:
                    row.append(None)
                    continue
                if size > NULL:
                    width = size - WIDTH
                    size = int.from_bytes(data[place : place + width], "little")
                    place += width
                row.append(read(data[place : place + size]))
                place += size
            rows.append(tuple(row))
            at, number = end, (number + 1) % 256
        self.connection.skip(at, len(rows))
        return rows


def _reader(codec: str | None, convert: Callable[[Any], Any] | None) -> Callable[[bytes], Any]:
    """Return the driver's two steps of reading a value as one; numbers are read from bytes as from text."""
    if convert is None:
        return bytes if codec is None else read_text if codec == LENIENT else lambda data: data.decode(codec)
    if codec is None or convert in (int, float):
        return convert
    return lambda data: convert(data.decode(codec))


def _end(data: bytes, packets: int, at: int = 0) -> int:
    """Return where the *packets* end that begin *at* a place in *data*; 0 where they do not all lie in it."""
    for _ in range(packets):
        if at + 4 > len(data):
            return 0
        at += 4 + (data[at] | data[at + 1] << 8 | data[at + 2] << 16)
    return at if at <= len(data) else 0
