"""A program of this machine on a terminal."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from subprocess import Popen

from intercode_sandbox.host.process import HostProcess
from intercode_sandbox.sandbox import Prompt, TerminalProcess
from intercode_sandbox.util.terminal import OuterTerminal

SAID = 256
"""Stands in a process's `coredump_filter` beside an exit status that it says (see `helper/keeper.c`)."""


class HostTerminal(HostProcess, TerminalProcess):
    """See `TerminalProcess`. *path_of* tells the session's path of a folder of this machine."""

    def __init__(
        self, popen: Popen[bytes], stop: Callable[[], None], terminal: OuterTerminal, path_of: Callable[[str], str]
    ) -> None:
        super().__init__(popen, stop)
        self._terminal, self._path_of = terminal, path_of

    def send(self, data: bytes) -> None:
        """See `Process.send`: it is typed."""
        self._terminal.type(data)

    def receive(self, timeout: float) -> bytes:
        """See `Process.receive`: also what was printed to the terminal. A change of its modes ends the waiting."""
        assert self.popen.stdout is not None
        printed, output = self._terminal.receive(self.popen.stdout.fileno(), timeout)
        return printed + (super().receive(0) if output else b"")

    def signal(self, number: int) -> None:
        self._terminal.signal(number)

    def prompt(self) -> Prompt | None:
        """See `TerminalProcess.prompt`. How many processes there are is not limited here."""
        if not self._terminal.is_editing:
            return None
        process = Path(f"/proc/{self.popen.pid}")
        said = 0
        with suppress(OSError):
            said = int((process / "coredump_filter").read_text(), 16)
            if said & SAID:
                (process / "coredump_filter").write_text("0")
        try:
            is_idle = (process / "stat").read_text().rpartition(")")[2].split()[0] == "S"
            folder = self._path_of(os.readlink(process / "cwd"))
        except OSError:
            return None
        return Prompt(folder, said & 255 if said & SAID else None, 0, is_idle=is_idle)

    @property
    def is_left(self) -> bool:
        return self._terminal.is_left

    def close(self) -> None:
        super().close()
        self._terminal.close()
