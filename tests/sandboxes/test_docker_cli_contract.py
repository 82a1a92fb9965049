"""The docker-cli sandbox keeps the contract, on a real engine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from intercode.sandboxes import images
from intercode.sandboxes.base import Sandbox
from intercode.sandboxes.docker_cli import DockerCliSandbox
from intercode.sandboxes.images import Image
from intercode.testing.sandbox import SandboxContract


class TestDockerCliSandbox(SandboxContract):
    no_count = "nothing on this side can watch the engine's disk"
    no_jobs = "the engine cannot tell what one command has started: at a time limit the whole container is stopped"
    no_order = "directories on the engine's disk are in an order of their own"
    no_snapshots = "sessions are containers that nothing is committed from"
    no_users = "every command runs as the container's root"

    @pytest.fixture
    def sandbox(self, docker_url: str) -> Iterator[Sandbox]:
        with DockerCliSandbox(engine=docker_url) as sandbox:
            yield sandbox

    @pytest.fixture
    def image(self) -> Image:
        return images.find("host")
