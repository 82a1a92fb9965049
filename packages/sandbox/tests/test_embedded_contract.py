"""The embedded sandbox keeps the whole contract, walls and limits included."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from intercode_sandbox import images
from intercode_sandbox.embedded import EmbeddedSandbox, scratch
from intercode_sandbox.embedded.user_namespace import find_user
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Sandbox
from intercode_sandbox.testing.contract import SandboxContract


class TestEmbeddedSandbox(SandboxContract):
    no_count = no_order = "" if scratch.tmpfs_suffices() else "what sessions write is on a disk here"
    no_owners = no_users = (
        "" if find_user().kind != "single" else "a user without a range in /etc/subuid has one id to give"
    )

    @pytest.fixture
    def sandbox(self) -> Iterator[Sandbox]:
        with EmbeddedSandbox() as sandbox:
            yield sandbox

    @pytest.fixture
    def image(self) -> Image:
        return images.find("host")


@pytest.mark.skipif(os.geteuid() != 0 or not scratch.holds("trusted.intercode"), reason="only the machine's root can")
class TestEmbeddedSandboxWithTrustedAttributes(TestEmbeddedSandbox):
    """As for root before Linux 6.6."""

    @pytest.fixture
    def sandbox(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
        monkeypatch.setattr(scratch, "upper", lambda: "trusted")
        with EmbeddedSandbox() as sandbox:
            yield sandbox


class TestEmbeddedSandboxOnDisk(TestEmbeddedSandbox):
    """As for everybody else before Linux 6.6."""

    no_count = "files on disk are counted by a watch"
    no_order = "file systems on disk have an order of their own"

    @pytest.fixture
    def sandbox(self) -> Iterator[Sandbox]:
        with EmbeddedSandbox(on_disk=True) as sandbox:
            yield sandbox
