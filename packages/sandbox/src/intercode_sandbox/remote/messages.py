"""What travels between client and server: JSON with its length before it, and descriptors beside it.

Bytes are base64, dataclasses are objects of their fields. Whoever reads says what type is expected, and nothing else is
made of what came.
"""

from __future__ import annotations

import array
import json
import os
import socket
import struct
from collections.abc import Sequence
from typing import Any

import msgspec

from intercode_sandbox import errors
from intercode_sandbox.errors import IntercodeError, SandboxError

LONGEST = 1 << 28
"""Bytes of one message. What is longer goes by descriptor (`Session.upload`, `Session.download`)."""

_LENGTH = struct.Struct("!I")
_DESCRIPTORS = 4


def send(connection: socket.socket, message: object, descriptors: Sequence[int] = ()) -> None:
    """Send one message."""
    data = json.dumps(msgspec.to_builtins(message)).encode()  # lone surrogates are escaped: no other encoder does that
    if len(data) > LONGEST:
        raise SandboxError(f"a message of {len(data)} bytes: {LONGEST} is the most; use upload and download")
    ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
    connection.sendmsg([_LENGTH.pack(len(data))], ancillary)
    connection.sendall(data)


def receive(connection: socket.socket) -> tuple[Any, list[int]] | None:
    """Return the next message and the descriptors that came with it; None at the end.

    Raises:
        SandboxError: If it is none.
    """
    head, descriptors, _, _ = socket.recv_fds(connection, _LENGTH.size, _DESCRIPTORS)
    try:
        head += _exactly(connection, _LENGTH.size - len(head)) if head else b""
        if len(head) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack(head)
        if length > LONGEST:
            raise SandboxError(f"a message of {length} bytes: {LONGEST} is the most")
        data = _exactly(connection, length)
        if len(data) < length:
            return None
        found = json.loads(data)
    except BaseException as error:
        for descriptor in descriptors:
            os.close(descriptor)
        if isinstance(error, ValueError):
            raise SandboxError(f"a message that is no JSON: {error}") from error
        raise
    return found, descriptors


def _exactly(connection: socket.socket, size: int) -> bytes:
    """Return so many bytes; fewer at the end."""
    found = bytearray()
    while len(found) < size and (chunk := connection.recv(min(size - len(found), 1 << 20))):
        found += chunk
    return bytes(found)


def describe(error: Exception) -> list[Any]:
    """Return *error* for `raise_error`: an OSError, or one of ours, as itself; a bug as a SandboxError."""
    if isinstance(error, OSError):
        return ["OSError", error.errno or 0, error.strerror or str(error), error.filename]
    if isinstance(error, IntercodeError):
        return [type(error).__name__, str(error)]
    return ["SandboxError", f"the server failed, see what it printed: {type(error).__name__}: {error}"]


def raise_error(said: Sequence[Any]) -> None:
    """Raise what `describe` has described."""
    kind, *details = said
    if kind == "OSError":
        number, text, name = details
        raise OSError(number, text, *([] if name is None else [name]))
    found = getattr(errors, str(kind), None)
    if isinstance(found, type) and issubclass(found, IntercodeError):
        raise found(*map(str, details))
    raise SandboxError(*map(str, details))
