"""MySQL's protocol on a connection that stands: commands go out together, answers are read in bulk.

PyMySQL connects and proves who we are. It is not asked to read: it goes to its buffer twice for each packet and to the
clock for each call of a socket, which was half of what an episode that reads cost. What is read here is described in
MySQL's "Client/Server Protocol", part "Text Protocol".
"""

from __future__ import annotations

import math
import socket
import struct
import time
from ssl import SSLSocket

from intercode.databases.base import QueryLimits, QueryResult, Row
from intercode.databases.mysql.values import Decoder, column, lenient, number

CHOOSE, QUERY, RESET = 0x02, 0x03, 0x1F
"""The protocol's COM_INIT_DB, COM_QUERY and COM_RESET_CONNECTION."""

DONE, FILE, END, ERROR = 0x00, 0xFB, 0xFE, 0xFF
"""How packets begin: no rows to come, a wish for a file of ours, the end of rows, an error."""

NULL = 0xFB
"""What stands for a cell without a value, where others have their length."""

LONG_CELL = 9
"""Bytes that a row has at least which begins as an END does."""

MORE = 0x08
"""The bit of a status by which another result follows."""

FULL = 0xFFFFFF
"""Bytes in a packet that goes on in the next one."""

AT_ONCE = 1 << 16
"""Bytes that are asked for at a time."""

NO_LIMITS = QueryLimits(rows=1 << 62, bytes=1 << 62)


class StatementError(Exception):
    """An error that the server tells: its `number`, and its `message`."""

    def __init__(self, number: int, message: str) -> None:
        super().__init__(number, message)
        self.number, self.message = number, message


class ProtocolReader:
    """One connection. All methods raise OSError when it is lost, TimeoutError when the other side is silent.

    `owed` is how many answers have not been read to their end. Where somebody broke in upon us while we read (Ctrl-C)
    it is more than is known of: such a connection is of no use any more.
    """

    def __init__(self, connected: socket.socket) -> None:
        """Go on with a socket on which nothing is under way."""
        self._socket = connected
        self._data, self._at = b"", 0
        self._decoders: tuple[Decoder, ...] = ()
        self._deadline = math.inf
        self.owed = 0
        connected.settimeout(None)

    def wait_at_most(self, seconds: float) -> None:
        """How long the other side may be silent.

        The kernel sees to it, since Python would at two more calls for each; but TLS would begin to wait again.
        """
        if isinstance(self._socket, SSLSocket):
            self._socket.settimeout(seconds)
            return
        whole = int(seconds)
        span = struct.pack("@ll", whole, int((seconds - whole) * 1e6))
        for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            self._socket.setsockopt(socket.SOL_SOCKET, option, span)

    def send(self, *commands: tuple[int, bytes]) -> None:
        """Send all *commands*, whose answers come in the same order: each is to be read by `confirm` or `result`."""
        packets = b"".join([_packed(bytes((command,)) + text) for command, text in commands])
        self.owed += len(commands)
        try:
            self._socket.sendall(packets)
        except BlockingIOError as error:
            raise TimeoutError("the server was too long in taking what it was sent") from error

    def confirm(self) -> None:
        """Read the answer to a command that shows no rows. Raises Refused."""
        self._deadline = math.inf
        self._opening()
        self.owed -= 1

    def result(self, limits: QueryLimits = NO_LIMITS, deadline: float = math.inf) -> QueryResult:
        """Read the first result of a statement, and past all further ones.

        What is beyond *limits* is left unread, for `drain`. Raises Refused; and TimeoutError also when more is still
        to come at the time *deadline*.
        """
        self._deadline = deadline
        opening = self._opening()
        status: int | None
        if opening[0] == DONE:
            affected, at = number(opening, 1)
            found, status = QueryResult(None, affected=affected), opening[number(opening, at)[1]]
        else:
            names = self._columns(opening)
            rows, status = self._rows(limits)
            found = QueryResult(rows, names, truncated=status is None)
        if status is not None:
            self._finish(status)
        return found

    def drain(self) -> None:
        """Read past what is left of a result that was cut. Raises Refused where the statement was ended."""
        self._deadline = math.inf
        self._finish(self._pass_rows())

    def _opening(self) -> bytes:
        """The packet with which an answer begins."""
        packet = self._packet()
        if packet[0] == ERROR:
            raise self._refused(packet)
        if packet[0] == FILE:  # which the handshake has forbidden it
            raise ConnectionError("the server asks for a file")
        return packet

    def _columns(self, opening: bytes) -> tuple[str, ...]:
        """The columns' names; how their cells are read is kept."""
        columns = [column(self._packet()) for _ in range(number(opening, 0)[0])]
        self._packet()  # says that this was all
        self._decoders = tuple(decoder for _, decoder in columns)
        return tuple(name for name, _ in columns)

    def _rows(self, limits: QueryLimits) -> tuple[tuple[Row, ...], int | None]:
        """Rows within the limits, and the status after them; None where there are more."""
        rows: list[Row] = []
        size, decoders = 0, self._decoders
        while True:
            packet = self._packet()
            if packet[0] >= END and (status := self._ended(packet)) is not None:
                return tuple(rows), status
            size += len(packet)
            if len(rows) == limits.rows or size > limits.bytes:
                return tuple(rows), None
            try:
                rows.append(_row(packet, decoders))
            except UnicodeDecodeError:
                rows.append(_row(packet, tuple(map(lenient, decoders))))

    def _pass_rows(self) -> int:
        while (status := self._ended(self._packet())) is None:
            pass
        return status

    def _finish(self, status: int) -> None:
        """Go past what a procedure shows after its first result, which ended with that *status*."""
        while status & MORE:
            opening = self._opening()
            if opening[0] == DONE:
                status = opening[number(opening, number(opening, 1)[1])[1]]
            else:
                self._columns(opening)
                status = self._pass_rows()
        self.owed -= 1

    def _ended(self, packet: bytes) -> int | None:
        """The status that stands at the end of rows; None for a row. Raises Refused."""
        if packet[0] == ERROR:
            raise self._refused(packet)
        return packet[3] if packet[0] == END and len(packet) < LONG_CELL else None

    def _refused(self, packet: bytes) -> StatementError:
        """The error in *packet*, with which an answer ends."""
        self.owed -= 1
        text = packet[9:] if packet[3:4] == b"#" else packet[3:]  # after its SQLSTATE
        return StatementError(int.from_bytes(packet[1:3], "little"), text.decode(errors="replace"))

    def _packet(self) -> bytes:
        """The next packet, without its head. Made for those that come whole, as nearly all do."""
        if self._at == len(self._data):
            self._receive()
        data, at = self._data, self._at
        start = at + 4
        if start <= len(data):
            size = data[at] | data[at + 1] << 8 | data[at + 2] << 16
            end = start + size
            if end <= len(data) and size < FULL:
                self._at = end
                return data[start:end]
        return self._pieced()

    def _pieced(self) -> bytes:
        """The same for a packet that has not come whole, or goes on in others."""
        pieces = []
        size = FULL
        while size == FULL:
            size = int.from_bytes(self._take(4)[:3], "little")
            pieces.append(self._take(size))
        return b"".join(pieces)

    def _take(self, size: int) -> bytes:
        """The next *size* bytes."""
        pieces = []
        while True:
            pieces.append(self._data[self._at : self._at + size])
            self._at += len(pieces[-1])
            size -= len(pieces[-1])
            if not size:
                return b"".join(pieces)
            self._receive()

    def _receive(self) -> None:
        if time.monotonic() > self._deadline:
            raise TimeoutError("rows kept coming for too long")
        try:
            self._data, self._at = self._socket.recv(AT_ONCE), 0
        except BlockingIOError as error:
            raise TimeoutError("the server was silent for too long") from error
        if not self._data:
            raise ConnectionError("the server hung up")


def _packed(text: bytes) -> bytes:
    """A command as packets."""
    if len(text) < FULL:
        return len(text).to_bytes(4, "little") + text
    pieces = []
    for place, start in enumerate(range(0, len(text) + 1, FULL)):
        piece = text[start : start + FULL]
        pieces.append(len(piece).to_bytes(3, "little") + bytes((place % 256,)) + piece)
    return b"".join(pieces)


def _row(packet: bytes, decoders: tuple[Decoder, ...]) -> Row:
    cells: list[object] = []
    at = 0
    for decoder in decoders:
        size = packet[at]
        at += 1
        if size == NULL:
            cells.append(None)
            continue
        if size > NULL:
            size, at = number(packet, at - 1)
        cells.append(decoder(packet[at : at + size]))
        at += size
    return tuple(cells)
