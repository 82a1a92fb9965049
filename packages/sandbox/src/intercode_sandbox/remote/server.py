"""A server that holds a sandbox, for other processes of the same user: one socket in the file system, nothing else.

Who can connect can do what this process can: the socket is its user's alone, and the kernel is asked who is at the
other end. What a session's programs do never gets here but as bytes.
"""

from __future__ import annotations

import os
import secrets
import socket
import struct
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

import msgspec

from intercode_sandbox import images
from intercode_sandbox.errors import IntercodeError, SandboxError, UserError
from intercode_sandbox.images import Image
from intercode_sandbox.limits import Limits
from intercode_sandbox.remote import messages
from intercode_sandbox.sandbox import Sandbox
from intercode_sandbox.session import Process, Session, Snapshot, TerminalProcess
from intercode_sandbox.util.closing import Closeable

CALLS: Mapping[type, tuple[str, ...]] = {
    TerminalProcess: ("close", "exit_code", "is_left", "prompt", "receive", "send", "signal"),
    Process: ("close", "exit_code", "receive", "send", "signal"),
    Session: (
        "account", "changes", "close", "configure", "connect", "interrupt", "is_pristine", "is_quiet", "kill",
        "list_folder", "listen", "network_usage", "open", "open_path", "open_terminal", "read", "run", "serve",
        "snapshot", "write",
    ),
    Snapshot: ("close",),
}  # fmt: skip
"""What a client may call, or ask for, of each kind of object."""

OF_SERVER = ("attach", "detach", "hello", "start")
"""What it may call of the server itself."""

CREDENTIALS = struct.Struct("iII")


class Call(msgspec.Struct, forbid_unknown_fields=True):
    """A call of a method. `of` names the object, "" the server itself; `listens`: to what a command prints.

    `client` is what `hello` has called who asks.
    """

    method: str
    client: str = ""
    of: str = ""
    arguments: dict[str, Any] = {}
    listens: bool = False


class SandboxServer(Closeable):
    """Serves *sandbox* at the socket *path*; *find* returns the images that it starts, by name.

    Raises:
        UserError: If another server is at *path*, or something that is no socket.
    """

    def __init__(self, sandbox: Sandbox, path: str | Path, *, find: Callable[[str], Image] = images.find) -> None:
        self._sandbox, self._path, self._find = sandbox, Path(path), find
        self._objects: dict[str, tuple[Any, str]] = {}
        """What clients have a name for, and the name of the session that it ends with."""

        self._clients: dict[str, set[str]] = {}
        """Of each client that is there the sessions and snapshots that end with it."""

        self._listener = _listener(self._path)

    def serve(self) -> None:
        """Serve until it is closed by another thread or a signal: each connection in a thread of its own."""
        with suppress(OSError):  # closed
            while True:
                connection, _ = self._listener.accept()
                if _is_ours(connection):
                    threading.Thread(target=self._serve, args=(connection,), daemon=True).start()
                else:
                    connection.close()

    def close(self) -> None:
        """End the sandbox with all its sessions, and take the socket away."""
        if self._listener.fileno() >= 0:
            with suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
            self._path.unlink(missing_ok=True)
        self._sandbox.close()

    def hello(self) -> dict[str, object]:
        """Return what a client has to know of the sandbox, and what it is called.

        What it starts ends with the connection over which it has asked this.
        """
        sandbox, client = self._sandbox, secrets.token_hex(8)
        self._clients[client] = set()
        return {
            "client": client,
            "isolated": sandbox.isolated,
            "gives_network": sandbox.gives_network,
            "gives_terminal": sandbox.gives_terminal,
            "limits": sandbox.limits,
        }

    def start(
        self, image: str, snapshot: str | None, started_at: float | None, limits: Limits | None, shuffle: int
    ) -> Session:
        """Start a session of the image of that name; see `Sandbox.start`."""
        found = None if snapshot is None else self._object(snapshot)
        return self._sandbox.start(
            self._find(image), snapshot=found, started_at=started_at, limits=limits, shuffle=shuffle
        )

    def attach(self, session: str) -> dict[str, object]:
        """Return what a client has to know of a session that somebody has started.

        Raises:
            UserError: If there is none of that name.
        """
        found = self._object(session)
        if not isinstance(found, Session):
            raise UserError(f"{session} is no session")
        return _card(session, found)

    def detach(self, session: str) -> None:
        """Let a session go on when the client that has started it ends."""
        for each in list(self._clients.values()):
            each.discard(session)

    def _serve(self, connection: socket.socket) -> None:
        clients: list[str] = []
        try:
            with connection, suppress(OSError, SandboxError):  # the client has gone, or does not speak as it should
                while (received := messages.receive(connection)) is not None:
                    clients += self._answer(connection, *received)
        finally:
            for client in clients:
                self._end(client)

    def _end(self, client: str) -> None:
        """End what a client has left."""
        for name in self._clients.pop(client, ()):
            if name in self._objects:
                with suppress(SandboxError):
                    self._objects[name][0].close()
                self._forget(name)

    def _answer(self, connection: socket.socket, said: Any, descriptors: Sequence[int]) -> list[str]:
        """Answer a call; return the client that has said hello by it, if one has."""
        given: list[int] = []
        try:
            reply: dict[str, object] = {"value": self._perform(connection, said, descriptors, given)}
        except msgspec.ValidationError as error:
            reply = {"error": messages.describe(UserError(f"no such call: {error}"))}
        except Exception as error:  # noqa: BLE001 - the client hears of it
            reply = {"error": messages.describe(error)}
            if not isinstance(error, (OSError, IntercodeError)):
                traceback.print_exc()
        try:
            messages.send(connection, reply, given)
        finally:
            for descriptor in (*descriptors, *given):
                os.close(descriptor)
        found = reply.get("value")
        return [str(found["client"])] if isinstance(found, dict) and "client" in found else []

    def _perform(self, connection: socket.socket, said: Any, descriptors: Sequence[int], given: list[int]) -> object:
        """Return what the call that was *said* returns; descriptors are *given* beside that."""
        call = msgspec.convert(said, Call)
        target = self._object(call.of) if call.of else self
        known = next((calls for kind, calls in CALLS.items() if isinstance(target, kind)), OF_SERVER)
        if call.method not in known:
            raise UserError(f"no call {call.method!r} of {type(target).__name__}")
        found = getattr(target, call.method)
        if callable(found):
            more: dict[str, object] = {}
            if call.listens:
                more["on_output"] = lambda chunk: messages.send(connection, {"output": chunk})
            if call.method == "serve":
                more["listener"] = socket.socket(fileno=os.dup(descriptors[0]))
            found = found(**_converted(type(target), call), **more)
        if call.method == "close":
            self._forget(call.of)
        if isinstance(found, socket.socket):
            found = found.detach()
            given.append(found)
        elif call.method == "open_path":
            given.append(found)
        return self._keep(found, call) if isinstance(found, (Session, Process, Snapshot)) else found

    def _object(self, name: str) -> Any:
        try:
            return self._objects[name][0]
        except KeyError:
            raise SandboxError(f"{name} is not here: it was closed, or another server has started it") from None

    def _keep(self, found: Session | Process | Snapshot, call: Call) -> dict[str, object]:
        """Return what a client has to know of what it has started."""
        name = secrets.token_hex(8)
        self._objects[name] = found, call.of if isinstance(found, Process) else ""
        if not isinstance(found, Process):
            self._clients.get(call.client, set()).add(name)
        return _card(name, found)

    def _forget(self, name: str) -> None:
        for each, (_, parent) in list(self._objects.items()):
            if name in (each, parent):
                self._objects.pop(each, None)


def _card(name: str, found: Session | Process | Snapshot) -> dict[str, object]:
    if not isinstance(found, Session):
        return {"name": name}
    return {"name": name, "image": found.image.name, "limits": found.limits, "root": found.root}


def _converted(kind: type, call: Call) -> dict[str, object]:
    """Return the arguments of *call* as the method wants them.

    Raises:
        ValidationError: If they are of other types.
        UserError: If there are others.
    """
    hints = _hints(kind, call.method)
    if unknown := [name for name in call.arguments if name not in hints]:
        raise UserError(f"{call.method} takes no {unknown[0]!r}")
    return {name: msgspec.convert(value, hints[name]) for name, value in call.arguments.items()}


@cache
def _hints(kind: type, method: str) -> Mapping[str, Any]:
    """Return the types of a method's arguments, as the promise says them: sandboxes of others may have none."""
    promise = next((each for each in CALLS if issubclass(kind, each)), kind)
    return get_type_hints(getattr(promise, method))


def _listener(path: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    try:
        _make_way(path)
        before = os.umask(0o177)
        try:
            listener.bind(str(path))
        finally:
            os.umask(before)
        listener.listen()
    except OSError as error:
        listener.close()
        raise UserError(f"no server at {path}: {error.strerror or error}") from error
    except BaseException:
        listener.close()
        raise
    return listener


def _make_way(path: Path) -> None:
    """Remove the socket of a server that has ended."""
    if not path.is_socket():
        return
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
            return
    raise UserError(f"another server is at {path}")


def _is_ours(connection: socket.socket) -> bool:
    """Return whether this user, or root, is at the other end."""
    said = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size)
    _, user, _ = CREDENTIALS.unpack(said)
    return user in (0, os.geteuid())
