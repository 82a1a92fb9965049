"""The docker sandbox keeps the contract, on a real engine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from intercode_sandbox import images
from intercode_sandbox.docker import DockerSandbox
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Sandbox
from intercode_sandbox.testing.contract import SandboxContract


class TestDockerSandbox(SandboxContract):
    no_count = "on the engine's disk files are counted by a watch, which stops who has too many a moment later"
    no_order = "directories on the engine's disk are in an order of their own"

    @pytest.fixture
    def sandbox(self, docker_url: str) -> Iterator[Sandbox]:
        with DockerSandbox(engine=docker_url, ahead=0) as sandbox:
            yield sandbox

    @pytest.fixture
    def image(self) -> Image:
        return images.find("host")
