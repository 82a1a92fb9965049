"""The docker sandbox as it is where this is no Linux keeps the contract, on a real engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from intercode_sandbox import images
from intercode_sandbox.docker.by_exec import DockerExecSandbox
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Sandbox, Session
from intercode_sandbox.testing.contract import SandboxContract
from intercode_sandbox.testing.fixtures import OLD, sh


class TestDockerExecSandbox(SandboxContract):
    no_count = "nothing on this side can watch the engine's disk"
    no_jobs = "the engine cannot tell what one command has started: at a time limit the whole container is stopped"
    no_order = "directories on the engine's disk are in an order of their own"
    no_snapshots = "sessions are containers that nothing is committed from"
    no_users = "every command runs as the container's root"

    images_read: ClassVar[dict[str, Any]] = {}
    """What is in an image is read once, and not for each test: that takes seconds."""

    @pytest.fixture
    def sandbox(self, docker_url: str) -> Iterator[Sandbox]:
        with DockerExecSandbox(engine=docker_url) as sandbox:
            sandbox._bases = self.images_read
            yield sandbox

    @pytest.fixture
    def image(self) -> Image:
        return images.find("host")

    def test_a_file_of_which_only_the_time_differs_is_seen(self, session: Session) -> None:
        """As in the contract, but in whole seconds: engines cut off the rest in what they hand out."""
        sh(session, "touch -d @1234567890.5 old.txt")
        [change] = session.changes()
        assert change.before is not None
        assert change.after is not None
        assert (change.before.mtime_ns, change.after.mtime_ns) == (OLD * 10**9, 1234567890 * 10**9)
        assert change.before.digest == change.after.digest
