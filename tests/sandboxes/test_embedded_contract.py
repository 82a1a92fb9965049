"""The embedded sandbox keeps the whole contract, walls and limits included."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from intercode.sandboxes import images
from intercode.sandboxes.base import Sandbox
from intercode.sandboxes.embedded import EmbeddedSandbox
from intercode.sandboxes.images import Image
from intercode.testing.sandbox import SandboxContract


class TestEmbeddedSandbox(SandboxContract):
    @pytest.fixture
    def sandbox(self) -> Iterator[Sandbox]:
        with EmbeddedSandbox() as sandbox:
            yield sandbox

    @pytest.fixture
    def image(self) -> Image:
        return images.find("host")
