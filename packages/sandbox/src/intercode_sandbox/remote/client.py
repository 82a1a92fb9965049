"""A sandbox that another process of this user holds: see `server.py`."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from intercode_sandbox.errors import SandboxError, UserError
from intercode_sandbox.images import Image
from intercode_sandbox.limits import Limits
from intercode_sandbox.network.usage import NetworkUsage
from intercode_sandbox.remote import messages
from intercode_sandbox.results import Change, FolderEntry, Result
from intercode_sandbox.sandbox import Sandbox
from intercode_sandbox.session import Process, Prompt, Session, Snapshot, TerminalProcess
from intercode_sandbox.users import Account
from intercode_sandbox.util.closing import HomeProcess


class SessionCard(msgspec.Struct):
    """Describes something that the server has started."""

    name: str
    image: str = ""
    limits: Limits = Limits()
    root: str = "/"


class Client:
    """Connections to a server: as many as there are calls at a time."""

    def __init__(self, path: Path) -> None:
        self._path, self._home = path, HomeProcess()
        self._lock, self._idle = threading.Lock(), list[socket.socket]()
        self._is_open = True
        self.name, self._line = "", socket.socket(socket.AF_UNIX)

    def introduce(self) -> Mapping[str, Any]:
        """Say hello over a connection that lasts: the server ends what this client has started when that is gone."""
        self._line.close()
        self._line = self._take()
        reply, _ = self._answer(self._line, {"method": "hello"})
        self.name = str(reply["value"]["client"])
        return reply["value"]  # type: ignore[no-any-return]

    def call(self, method: str, of: str, kind: Any, /, **arguments: object) -> Any:
        """Call a method of the object *of*, and return what it returns, which is a *kind*."""
        return msgspec.convert(self.exchange(method, of, arguments)[0], kind)

    def descriptor(self, method: str, of: str, /, **arguments: object) -> int:
        """Call a method that returns a descriptor, or a socket."""
        return self.exchange(method, of, arguments)[1][0]

    def exchange(
        self, method: str, of: str, arguments: Mapping[str, object], *, descriptors: Sequence[int] = (),
        on_output: Callable[[bytes], None] | None = None,
    ) -> tuple[Any, list[int]]:  # fmt: skip
        """Call a method, and return what it returns and the descriptors beside that.

        Raises:
            SandboxError: If the server has gone.
        """
        connection = self._take()
        try:
            call = {
                "method": method, "client": self.name, "of": of, "arguments": arguments,
                "listens": on_output is not None,
            }  # fmt: skip
            reply, given = self._answer(connection, call, descriptors)
            while on_output is not None and "output" in reply:
                on_output(msgspec.convert(reply["output"], bytes))
                reply, given = self._answer(connection)
        except BaseException:  # such as a Ctrl-C: what comes later must answer nobody else
            connection.close()
            raise
        self._give_back(connection)
        if "error" in reply:
            messages.raise_error(reply["error"])
        return reply["value"], given

    def _answer(
        self, connection: socket.socket, call: object = None, descriptors: Sequence[int] = ()
    ) -> tuple[Any, list[int]]:
        """Send *call*, if there is one, and return what the server says next."""
        try:
            if call is not None:
                messages.send(connection, call, descriptors)
            received = messages.receive(connection)
        except ConnectionError as error:
            raise self._gone() from error
        if received is None:
            raise self._gone()
        return received

    def _take(self) -> socket.socket:
        self._home.check(self)
        with self._lock:
            if not self._is_open:
                raise SandboxError("this sandbox is closed: make another")
            if self._idle:
                return self._idle.pop()
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(str(self._path))
        except OSError as error:
            connection.close()
            raise self._gone() from error
        return connection

    def _give_back(self, connection: socket.socket) -> None:
        with self._lock:
            if self._is_open:
                self._idle.append(connection)
                return
        connection.close()

    def _gone(self) -> SandboxError:
        return SandboxError(
            f"no server at {self._path}: start one, `python -m intercode_sandbox serve --socket {self._path}`"
        )

    def close(self) -> None:
        """Close all connections, once no call is in flight on them."""
        with self._lock:
            self._is_open, idle = False, self._idle
            self._idle = []
        for connection in (*idle, self._line):
            connection.close()


class RemoteSandbox(Sandbox):
    """The sandbox of the server at the socket *path*. It starts images by their names, which the server looks up.

    Raises:
        SandboxError: If there is no server.
    """

    def __init__(self, path: str | Path) -> None:
        self._client = Client(Path(path))
        said = self._client.introduce()
        self.isolated, self.gives_network = bool(said["isolated"]), bool(said["gives_network"])
        self.gives_terminal = bool(said["gives_terminal"])
        self.limits = msgspec.convert(said["limits"], Limits)
        self._sessions: list[RemoteSession] = []

    def start(
        self,
        image: Image,
        *,
        snapshot: Snapshot | None = None,
        started_at: float | None = None,
        limits: Limits | None = None,
        shuffle: int = 0,
    ) -> RemoteSession:
        """See `Sandbox.start`. The server is told the name of *image*."""
        self.check(limits)
        if snapshot is not None and not isinstance(snapshot, RemoteSnapshot):
            raise UserError("a snapshot of another sandbox")
        card = self._client.call(
            "start", "", SessionCard, image=image.name, snapshot=snapshot.name if snapshot else None,
            started_at=started_at, limits=limits, shuffle=shuffle,
        )  # fmt: skip
        session = RemoteSession(self._client, card, image)
        self._sessions = [*(each for each in self._sessions if not each.closed), session]
        return session

    def attach(self, name: str) -> RemoteSession:
        """Return the session that somebody has started at this server, by its `RemoteSession.name`.

        It goes on when this sandbox is closed. Its image has a name, and nothing else.

        Raises:
            SandboxError: If there is none.
        """
        card = self._client.call("attach", "", SessionCard, session=name)
        return RemoteSession(self._client, card, Image(card.image, ()))

    def detach(self, session: RemoteSession) -> str:
        """Let *session* go on when this sandbox is closed, until somebody who attaches to it closes it; its name."""
        self._sessions = [each for each in self._sessions if each is not session]
        self._client.call("detach", "", None, session=session.name)
        return session.name

    def close(self) -> None:
        """End the sessions that were started here, and no others."""
        for session in self._sessions:
            session.close()
        self._client.close()


class RemoteObject:
    """Something at the server that has a *name*."""

    def __init__(self, client: Client, name: str) -> None:
        self._client, self.name = client, name
        self.closed = False

    def call(self, method: str, kind: Any = None, /, **arguments: object) -> Any:
        """Call a method of it, which returns a *kind*."""
        return self._client.call(method, self.name, kind, **arguments)

    def close(self) -> None:
        """End it. Where the server has gone, that has ended it."""
        if not self.closed:
            self.closed = True
            with suppress(SandboxError):
                self.call("close")


class RemoteSnapshot(RemoteObject, Snapshot):
    """A snapshot that the server keeps."""


class RemoteSession(RemoteObject, Session):
    """A session of the server's; `name` is what others attach to it by."""

    def __init__(self, client: Client, card: SessionCard, image: Image) -> None:
        super().__init__(client, card.name)
        self.image, self.limits, self.root = image, card.limits, card.root

    def run(
        self, argv: Sequence[str], *, cwd: str = "/", env: Mapping[str, str] | None = None, stdin: bytes = b"",
        timeout: float | None = None, separate: bool = False, user: str | None = None,
        on_output: Callable[[bytes], None] | None = None,
    ) -> Result:  # fmt: skip
        """See `Session.run`. If this process goes away, the command ends at its time limit."""
        arguments = {
            "argv": argv, "cwd": cwd, "env": env, "stdin": stdin, "timeout": timeout, "separate": separate,
            "user": user,
        }  # fmt: skip
        found, _ = self._client.exchange("run", self.name, arguments, on_output=on_output)
        return msgspec.convert(found, Result)

    def configure(self, *, env: Mapping[str, str] | None = None, user: str | None = None) -> None:
        """See `Session.configure`. It holds for all who are attached to the session."""
        self.call("configure", env=env, user=user)
        super().configure(env=env, user=user)

    def account(self, user: str) -> Account | None:
        return self.call("account", Account | None, user=user)  # type: ignore[no-any-return]

    def open(self, argv: Sequence[str], *, cwd: str = "/", env: Mapping[str, str] | None = None) -> RemoteProcess:
        return RemoteProcess(self._client, self.call("open", SessionCard, argv=argv, cwd=cwd, env=env).name)

    def open_terminal(
        self, argv: Sequence[str], *, cwd: str = "/", env: Mapping[str, str] | None = None
    ) -> RemoteTerminal:
        return RemoteTerminal(self._client, self.call("open_terminal", SessionCard, argv=argv, cwd=cwd, env=env).name)

    def listen(self, port: int) -> socket.socket:
        return socket.socket(fileno=self._client.descriptor("listen", self.name, port=port))

    def connect(self, port: int, *, timeout: float = 10.0) -> socket.socket:
        return socket.socket(fileno=self._client.descriptor("connect", self.name, port=port, timeout=timeout))

    def serve(
        self, argv: Sequence[str], listener: socket.socket, *, cwd: str = "/", env: Mapping[str, str] | None = None
    ) -> RemoteProcess:
        arguments = {"argv": argv, "cwd": cwd, "env": env}
        card, _ = self._client.exchange("serve", self.name, arguments, descriptors=[listener.fileno()])
        return RemoteProcess(self._client, msgspec.convert(card, SessionCard).name)

    def network_usage(self) -> NetworkUsage | None:
        return self.call("network_usage", NetworkUsage | None)  # type: ignore[no-any-return]

    def read(self, path: str, *, limit: int = 1 << 20) -> bytes:
        return self.call("read", bytes, path=path, limit=limit)  # type: ignore[no-any-return]

    def write(self, path: str, data: bytes, *, mode: int = 0o644) -> None:
        self.call("write", path=path, data=data, mode=mode)

    def list_folder(self, path: str) -> list[FolderEntry]:
        return self.call("list_folder", list[FolderEntry], path=path)  # type: ignore[no-any-return]

    def open_path(self, path: str, flags: int, *, mode: int = 0, parents: bool = False) -> int:
        return self._client.descriptor("open_path", self.name, path=path, flags=flags, mode=mode, parents=parents)

    def changes(self) -> list[Change]:
        return self.call("changes", list[Change])  # type: ignore[no-any-return]

    def is_pristine(self) -> bool:
        return self.call("is_pristine", bool)  # type: ignore[no-any-return]

    def is_quiet(self) -> bool:
        return self.call("is_quiet", bool)  # type: ignore[no-any-return]

    def snapshot(self) -> RemoteSnapshot:
        return RemoteSnapshot(self._client, self.call("snapshot", SessionCard).name)

    def kill(self) -> None:
        self.call("kill")

    def interrupt(self) -> None:
        self.call("interrupt")


class RemoteProcess(RemoteObject, Process):
    """A program that runs on at the server's."""

    def send(self, data: bytes) -> None:
        self.call("send", data=data)

    def receive(self, timeout: float) -> bytes:
        return self.call("receive", bytes, timeout=timeout)  # type: ignore[no-any-return]

    def signal(self, number: int) -> None:
        self.call("signal", number=number)

    @property
    def exit_code(self) -> int | None:
        return self.call("exit_code", int | None)  # type: ignore[no-any-return]


class RemoteTerminal(RemoteProcess, TerminalProcess):
    """A program on a terminal, at the server's."""

    def prompt(self) -> Prompt | None:
        return self.call("prompt", Prompt | None)  # type: ignore[no-any-return]

    @property
    def is_left(self) -> bool:
        return self.call("is_left", bool)  # type: ignore[no-any-return]
