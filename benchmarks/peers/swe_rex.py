"""SWE-ReX's local runtime: a Bash that stays, by pexpect, without walls. Its docker runtime asks this one by HTTP."""

from __future__ import annotations

import asyncio
import logging

from swerex.runtime.abstract import BashAction, CloseBashSessionRequest, CreateBashSessionRequest
from swerex.runtime.local import LocalRuntime

from benchmarks.bare_bash import BareBash
from benchmarks.peers.remote import serve


class SweRexLocal(BareBash):
    """A session for each episode; commands as its own agents send them, exit status and all."""

    def __init__(self) -> None:
        super().__init__()
        self._loop, self._runtime = asyncio.new_event_loop(), LocalRuntime()

    def reset(self) -> None:
        super().reset()
        self._loop.run_until_complete(self._runtime.create_session(CreateBashSessionRequest(startup_timeout=10.0)))

    def run(self, command: str) -> bytes:
        action = BashAction(command=self.here(command), timeout=60.0, check="silent")
        return str(self._loop.run_until_complete(self._runtime.run_in_session(action)).output).encode()

    def close(self) -> None:
        if self.folder is not None:
            self._loop.run_until_complete(self._runtime.close_session(CloseBashSessionRequest()))
        super().close()


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    serve(SweRexLocal())
