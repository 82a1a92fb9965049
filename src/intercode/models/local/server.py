"""A server for weights on this machine. It ends with us, however we end."""

from __future__ import annotations

import json
import os
import secrets
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryFile

from intercode.errors import UserError
from intercode.models.local.serve import SETTINGS
from intercode_sandbox.util.child_process import ChildProcess
from intercode_sandbox.util.closing import Closeable
from intercode_sandbox.util.polling import readable

PROGRAM = Path(__file__).with_name("serve.py")

PATIENCE = 600.0
"""Seconds in which weights must be loaded."""

LOG = 2000
"""Bytes of what the program said last, for an error."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """What `intercode.models.local.serve.load` takes, but for the token."""

    weights: str
    name: str
    slots: int
    context: int
    threads: int
    template: str = ""


class LocalServer(Closeable):
    """llama.cpp's server in a process of its own, at a free port of the loopback address, with a token of its own."""

    def __init__(self, settings: ServerSettings) -> None:
        """Start it and wait until it answers.

        Raises:
            UserError: If the weights cannot be loaded.
        """
        self.token = secrets.token_urlsafe(32)
        self._log = TemporaryFile()  # noqa: SIM115 - closed with the server
        given = json.dumps({**asdict(settings), "token": self.token})
        outside, inside = os.pipe()
        with os.fdopen(outside, "rb") as said:
            try:
                command = [sys.executable, "-P", str(PROGRAM)]
                self._process = ChildProcess(
                    command, stdout=inside, stderr=self._log, env={**os.environ, SETTINGS: given}
                )
            finally:
                os.close(inside)
            line = said.readline() if readable(outside, PATIENCE) else b""
        self.url = line.decode().strip()
        if not self.url:
            why = self.log
            self.close()
            raise UserError(f"cannot load the weights in {settings.weights}: {why or 'the program said nothing'}")

    @property
    def alive(self) -> bool:
        """Return whether it still runs."""
        return self._process.alive

    @property
    def log(self) -> str:
        """Return the end of what it wrote about failures."""
        size = os.fstat(self._log.fileno()).st_size
        return os.pread(self._log.fileno(), LOG, max(0, size - LOG)).decode(errors="replace").strip()

    def close(self) -> None:
        """End it. Closing twice is harmless."""
        self._process.close()
        self._log.close()
