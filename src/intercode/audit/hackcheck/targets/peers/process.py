"""The process in which a peer's code runs, and what is asked of it: see `intercode.integrations.peers`."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from intercode.audit.hackcheck.targets.peers.kinds import PeerName
from intercode.errors import MachineError, RewardError, UserError

SECONDS = 120.0
"""The longest that a peer may take for one step, its grader included."""

OPEN_SECONDS = 300.0
"""The longest that its package and its data may take to load."""

MODULE = "intercode.integrations.peers"

LINES = 12
"""Of what a process has printed, how many lines are told when it ends."""


@dataclass
class PeerProcess:
    """One process with *peer* open in it. It is started when it is first asked, and again where it has ended."""

    peer: PeerName
    _process: subprocess.Popen[bytes] | None = None
    _printed: Any = None
    _received: bytearray = field(default_factory=bytearray)

    def ask(self, method: str, argument: Any = None) -> Any:
        """Return what the peer answers.

        Raises:
            RewardError: If the peer's own code raises, ends its process, or takes too long.
            UserError: If the peer cannot be opened.
        """
        process = self.start()
        assert process.stdin is not None
        with suppress(OSError):  # the process has ended, which the missing reply tells
            process.stdin.write(json.dumps([method, argument]).encode() + b"\n")
            process.stdin.flush()
        reply = self._reply(SECONDS)
        if reply is None:
            printed = self._end()
            raise RewardError(f"its process ended, or took more than {SECONDS:g} s{printed}")
        if "failed" in reply:
            raise RewardError(_last_lines(reply["failed"]))
        return reply["ok"]

    def start(self) -> subprocess.Popen[bytes]:
        """Start it, unless it runs, and return it once the peer is open.

        Raises:
            UserError: If the peer cannot be opened.
        """
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.close()
        self._printed = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        command = [sys.executable, "-m", MODULE, self.peer.kind, self.peer.name]
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._printed, env=_environment()
            )
        except OSError as error:
            raise MachineError(f"cannot start {command[0]}: {error}") from error
        reply = self._reply(OPEN_SECONDS)
        if reply is None or "failed" in reply:
            printed = self._end()
            said = _last_lines(reply["failed"]) if reply else f"its process ended, or took too long{printed}"
            raise UserError(self.peer.explain(said))
        return self._process

    def _reply(self, seconds: float) -> dict[str, Any] | None:
        """Return the next line; None where none comes."""
        assert self._process is not None
        assert self._process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._received:
                if not selector.select(seconds):
                    return None
                chunk = os.read(self._process.stdout.fileno(), 1 << 16)
                if not chunk:
                    return None
                self._received += chunk
        line, _, rest = bytes(self._received).partition(b"\n")
        self._received = bytearray(rest)
        reply: dict[str, Any] = json.loads(line)
        return reply

    def _end(self) -> str:
        """End the process, and return the last of what it has printed, for a message."""
        printed = ""
        if self._printed is not None:
            self._printed.seek(0)
            printed = _last_lines(self._printed.read().decode("utf-8", "replace"))
        self.close()
        return f": {printed}" if printed else ""

    def close(self) -> None:
        """End the process. Closing twice is harmless."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    _close(stream)
            self._process = None
        if self._printed is not None:
            self._printed.close()
            self._printed = None
        self._received = bytearray()


def _close(stream: Any) -> None:
    with suppress(OSError):  # of what was still to be written to it
        stream.close()


def _environment() -> dict[str, str]:
    """Return the process's: no keys of models, so that nothing is asked that costs, and no display."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith(("_API_KEY", "_TOKEN"))}
    paths = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH", ""), str(Path.cwd())]))
    none = {"INSPECT_DISPLAY": "none", "OPENAI_API_KEY": "none", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    return kept | none | {"PYTHONPATH": paths}


def _last_lines(text: str) -> str:
    return " | ".join(line.strip() for line in text.strip().splitlines()[-LINES:])
