"""The host's end of sessions' networks: starts the proxies' process, hands it listeners, and asks what was used."""

from __future__ import annotations

import array
import json
import os
import socket
import subprocess
import sys
from contextlib import suppress
from functools import cached_property
from threading import Lock

from intercode_sandbox.errors import SandboxError
from intercode_sandbox.network.hosts import NetworkPolicy
from intercode_sandbox.network.usage import NetworkUsage
from intercode_sandbox.network.variables import bundle_of_machine, network_variables, read_bundle
from intercode_sandbox.util.closing import Closeable

ANSWER_SECONDS = 10.0
LONGEST_ANSWER = 8 << 10
GONE = "the proxy of the sessions' network has ended; a new sandbox starts another"


class NetworkConnection(Closeable):
    """The network of one session."""

    def __init__(self, link: socket.socket) -> None:
        self._link = link
        self._guard = Lock()
        self._last = NetworkUsage()
        link.settimeout(ANSWER_SECONDS)

    def usage(self) -> NetworkUsage:
        """Return what it has had so far; once it is closed, what it had by then.

        Raises:
            SandboxError: If the proxy has ended.
        """
        with self._guard:
            if self._link.fileno() < 0:
                return self._last
            try:
                self._link.send(b"?")
                said = self._link.recv(LONGEST_ANSWER)
            except OSError as error:
                raise SandboxError(GONE) from error
            if not said:
                raise SandboxError(GONE)
            requests, refused, sent, received, unreached = json.loads(said)
            self._last = NetworkUsage(requests, refused, sent, received, tuple(unreached))
            return self._last

    def close(self) -> None:
        """End it: connections are closed at once."""
        with suppress(SandboxError):
            self.usage()
        with self._guard:
            self._link.close()


class NetworkGateway(Closeable):
    """The process of the proxies, started with the first session that has a network. It ends with this process."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._control: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    @cached_property
    def bundle(self) -> bytes | None:
        """The authorities that this machine's programs are told to trust; None where they are not.

        Raises:
            SandboxError: If they cannot be handed on.
        """
        path = bundle_of_machine()
        return read_bundle(path) if path is not None else None

    @cached_property
    def variables(self) -> dict[str, str]:
        """The environment variables of commands in sessions that have a network."""
        return network_variables()

    def connect(self, listener: socket.socket, policy: NetworkPolicy) -> NetworkConnection:
        """Serve what connects to *listener*, which is closed here, as *policy* allows.

        Raises:
            SandboxError: If the proxies' process does not start, or has ended.
        """
        outer, inner = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with listener, inner:
            given = array.array("i", [listener.fileno(), inner.fileno()])
            try:
                self._started().sendmsg([json.dumps(policy).encode()], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, given)])
            except OSError as error:
                outer.close()
                raise SandboxError(GONE) from error
        return NetworkConnection(outer)

    def _started(self) -> socket.socket:
        with self._guard:
            if self._control is None or self._process is None or self._process.poll() is not None:
                if self._control is not None:
                    self._control.close()  # of a process that has died
                self._control, inner = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                with inner:
                    self._process = subprocess.Popen(
                        [sys.executable, "-P", "-m", "intercode_sandbox.network.server"],
                        stdin=inner.fileno(),
                        stdout=subprocess.DEVNULL,
                        start_new_session=True,  # a Ctrl-C at our terminal is not meant for it
                        cwd="/",
                        env={**os.environ, "PYTHONWARNINGS": "ignore"},
                    )
            return self._control

    def close(self) -> None:
        """End the process, and with it every session's network."""
        with self._guard:
            if self._control is not None:
                self._control.close()
            if self._process is not None:
                try:
                    self._process.wait(5)
                except subprocess.TimeoutExpired:
                    self._process.kill()
                    self._process.wait()
