"""Inspect's docker sandbox: a Compose project for each sample, and `docker compose exec` for each command."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from inspect_ai.util._sandbox.docker.cleanup import project_cleanup_startup
from inspect_ai.util._sandbox.docker.docker import DockerSandboxEnvironment
from inspect_ai.util._subprocess import init_max_subprocesses

from benchmarks.peers.in_container import InContainer
from benchmarks.peers.remote import serve

COMPOSE = """\
services:
  default:
    image: "{image}"
    x-local: true
    init: true
    command: "tail -f /dev/null"
    network_mode: none
    stop_grace_period: 1s
"""
"""What Inspect writes for a task that has no file of its own, with our image."""


class InspectDocker(InContainer):
    """A sandbox environment for each episode, made and cleaned up as Inspect does for a sample."""

    def __init__(self, image: str, folder: Path) -> None:
        super().__init__(image)
        self._config = folder / "compose.yaml"
        self._config.write_text(COMPOSE.format(image=image))
        init_max_subprocesses()
        project_cleanup_startup()

    def reset(self) -> None:
        self._made = self.wait(DockerSandboxEnvironment.sample_init("benchmark", str(self._config), {}))

    def run(self, command: str) -> bytes:
        return self.wait(self._made["default"].exec(["bash", "-c", command], timeout=60)).stdout.encode()

    def close(self) -> None:
        self.wait(DockerSandboxEnvironment.sample_cleanup("benchmark", str(self._config), self._made, False))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="intercode-bench-") as made:
        serve(InspectDocker(sys.argv[1], Path(made)))
