"""A program on a terminal of the session's own, whose outer end is here."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from intercode_sandbox.runner import protocol
from intercode_sandbox.runner.channel import Channel
from intercode_sandbox.runner.command import RunnerProcess
from intercode_sandbox.sandbox import Prompt, TerminalProcess
from intercode_sandbox.util.terminal import OuterTerminal


class RunnerTerminal(RunnerProcess, TerminalProcess):
    """See `TerminalProcess`. The caller holds the channel's lock while it is made."""

    def __init__(
        self, channel: Channel, argv: Sequence[str], cwd: str, env: Mapping[str, str], *, identity: str = ""
    ) -> None:
        self._terminal = OuterTerminal(channel.open(0, "/dev/ptmx", os.O_RDWR | os.O_NOCTTY))
        try:
            super().__init__(channel, argv, cwd, env, stdin=self._terminal.inner, identity=identity)
        except BaseException:
            self._terminal.close()
            raise
        finally:
            os.close(self._terminal.inner)

    def send(self, data: bytes) -> None:
        """See `Process.send`: it is typed."""
        with self._pipes:
            self._terminal.type(data)

    def receive(self, timeout: float) -> bytes:
        """See `Process.receive`: also what was printed to the terminal. A change of its modes ends the waiting."""
        with self._pipes:
            if self.closed:
                return b""
            printed, output = self._terminal.receive(self._output, timeout)
        return printed + (super().receive(0) if output else b"")

    def signal(self, number: int) -> None:
        self._terminal.signal(number)

    def prompt(self) -> Prompt | None:
        with self._channel.lock:
            if self.closed or not self._terminal.is_editing:
                return None
            reply = self._channel.ask(protocol.order("Q", self._job), "Q", self._job)
        status = reply.status if reply.status >= 0 else None
        return Prompt(reply.folder, status, reply.processes, is_idle=reply.status == protocol.IDLE)

    @property
    def is_left(self) -> bool:
        return self._terminal.is_left

    def _close_pipes(self) -> None:
        super()._close_pipes()
        self._terminal.close()
