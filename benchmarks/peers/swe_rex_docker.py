"""SWE-ReX's docker deployment: a container for each episode with its server in it, which is asked over HTTP."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import swerex
from swerex.deployment.docker import DockerDeployment
from swerex.runtime.abstract import BashAction, CreateBashSessionRequest

from benchmarks.peers.in_container import PACKAGES, InContainer
from benchmarks.peers.remote import serve


class SweRexDocker(InContainer):
    """Commands as SWE-ReX's own agents send them, exit status and all."""

    def reset(self) -> None:
        here = Path(swerex.__file__).parents[1]
        arguments = ["--volume", f"{here}:{PACKAGES}:ro", "--init"]
        self._deployment = DockerDeployment(image=self.image, pull="never", docker_args=arguments)
        self.wait(self._deployment.start())
        request = CreateBashSessionRequest(startup_timeout=10.0)
        self.wait(self._deployment.runtime.create_session(request))

    def run(self, command: str) -> bytes:
        action = BashAction(command=command, timeout=60.0, check="silent")
        return str(self.wait(self._deployment.runtime.run_in_session(action)).output).encode()

    def close(self) -> None:
        self.wait(self._deployment.stop())


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    serve(SweRexDocker(sys.argv[1]))
