"""An engine's interface, over what its own command connects to: `docker system dial-stdio`.

So the command decides where the engine is (DOCKER_HOST, contexts) and how one gets there, and a question takes
milliseconds: no program is started for it but the first time.
"""

from __future__ import annotations

import json
import socket
import subprocess
import threading
from collections.abc import Mapping, Sequence
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import urlencode

from intercode_sandbox.engine.command import DETACHED
from intercode_sandbox.engine.errors import EngineError
from intercode_sandbox.errors import SandboxError
from intercode_sandbox.util.polling import readable

SECONDS = 120.0
"""How long the engine may take over one answer."""

NO_ANSWER = "{what}: the container engine does not answer ({why}): is it still running? (intercode doctor)"


class EngineConnection:
    """Questions to the engine that *command* speaks to, from any thread. All of it raises SandboxError."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._free: list[_Line] = []
        self._guard = threading.Lock()

    def ask(
        self, what: str, method: str, path: str, query: Mapping[str, object] | None = None, body: Any = None
    ) -> bytes:
        """Return the engine's answer; *what*, for people, says what was going on.

        Raises:
            EngineError: If the engine says that it cannot be.
            SandboxError: If it says nothing.
        """
        line = self._line()
        where = f"{path}?{urlencode(query)}" if query else path
        try:
            status, said = line.exchange(method, where, None if body is None else json.dumps(body).encode())
        except (OSError, HTTPException) as error:
            raise SandboxError(NO_ANSWER.format(what=what, why=line.end() or error)) from error
        except BaseException:  # such as a Ctrl-C: the rest of the answer would come as the next one's
            line.end()
            raise
        with self._guard:
            self._free.append(line)
        if status >= 400:
            raise EngineError(what, status, said)
        return said

    def _line(self) -> _Line:
        """Return one that nobody uses: Podman's service goes when it is asked nothing for a while."""
        with self._guard:
            while self._free:
                line = self._free.pop()
                if not line.has_ended:
                    return line
                line.end()
        return _Line(self._command)

    def close(self) -> None:
        """Let go of all that is open. Closing twice is harmless."""
        with self._guard:
            lines, self._free = self._free, []
        for line in lines:
            line.end()


class _Line(HTTPConnection):
    """One connection, and the program that it goes through."""

    def __init__(self, command: Sequence[str]) -> None:
        super().__init__("engine")
        self._command = [*command, "system", "dial-stdio"]
        self._popen: subprocess.Popen[bytes] | None = None

    def connect(self) -> None:
        self.sock, theirs = socket.socketpair()
        self.sock.settimeout(SECONDS)
        with theirs:
            stream = theirs.fileno()
            self._popen = subprocess.Popen(
                self._command, stdin=stream, stdout=stream, stderr=subprocess.PIPE, **DETACHED
            )

    @property
    def has_ended(self) -> bool:
        """Return whether the other side has closed it."""
        return self.sock is None or readable(self.sock.fileno(), 0)

    def exchange(self, method: str, where: str, body: bytes | None) -> tuple[int, bytes]:
        """Ask, and return the status and all of the answer."""
        headers = {} if body is None else {"Content-Type": "application/json"}
        self.request(method, where, body, headers)
        answer = self.getresponse()
        return answer.status, answer.read()

    def end(self) -> str:
        """Close it, end the program, and return the last line of what that had to say."""
        self.close()
        popen, self._popen = self._popen, None
        if popen is None:
            return ""
        with popen:
            try:
                _, errors = popen.communicate(timeout=5.0)
            except subprocess.TimeoutExpired:
                popen.kill()
                _, errors = popen.communicate()
        return errors.decode("utf-8", "replace").strip().rpartition("\n")[2]
