"""Inspect's local sandbox: a process for each command, without walls."""

from __future__ import annotations

import asyncio

from inspect_ai.util._sandbox.local import LocalSandboxEnvironment
from inspect_ai.util._subprocess import init_max_subprocesses

from benchmarks.bare_bash import BareBash
from benchmarks.peers.remote import serve


class InspectLocal(BareBash):
    """A sandbox environment for each episode, made and cleaned up as Inspect does for a sample."""

    def __init__(self) -> None:
        super().__init__()
        self._loop = asyncio.new_event_loop()
        init_max_subprocesses()

    def reset(self) -> None:
        super().reset()
        made = self._loop.run_until_complete(LocalSandboxEnvironment.sample_init("benchmark", None, {}))
        self._environment = made["default"]

    def run(self, command: str) -> bytes:
        call = self._environment.exec(self.argv(self.here(command)), timeout=60)
        return self._loop.run_until_complete(call).stdout.encode()

    def close(self) -> None:
        if self.folder is not None:
            made = {"default": self._environment}
            self._loop.run_until_complete(LocalSandboxEnvironment.sample_cleanup("benchmark", None, made, False))
        super().close()


if __name__ == "__main__":
    serve(InspectLocal())
