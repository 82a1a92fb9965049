"""OpenEnv's `PyExecutor`, which its coding environment runs in its own process: an interpreter of a part of Python."""

from __future__ import annotations

from openenv.core.tools import PyExecutor

from benchmarks.peers.remote import serve


class OpenEnvPython:
    """An executor for each episode, as its coding environment makes one at a reset; it keeps no files."""

    name = "OpenEnv, PyExecutor"

    def reset(self) -> None:
        self._executor = PyExecutor()

    def run(self, code: str) -> str:
        return str(self._executor.run(code).stdout)

    def diff(self) -> None:
        """It knows of no files."""

    def close(self) -> None:
        """Nothing is kept."""


if __name__ == "__main__":
    serve(OpenEnvPython())
