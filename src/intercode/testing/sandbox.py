"""The contract of a sandbox: subclass it, give two fixtures, inherit the tests.

    class TestMySandbox(SandboxContract):
        @pytest.fixture
        def sandbox(self) -> Iterator[Sandbox]: ...
        @pytest.fixture
        def image(self) -> Image: ...

What a sandbox cannot keep is said in an attribute, with the reason: its tests are then skipped, and say why.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from intercode.sandboxes.base import Sandbox, Session
from intercode.sandboxes.images import Image
from intercode.testing.sandbox_changes import ChangeTests
from intercode.testing.sandbox_commands import CommandTests
from intercode.testing.sandbox_files import FileTests
from intercode.testing.sandbox_fixtures import contract_image
from intercode.testing.sandbox_isolation import SandboxIsolationTests
from intercode.testing.sandbox_lifecycle import SandboxLifecycleTests
from intercode.testing.sandbox_users import UserTests


class SandboxContract(CommandTests, UserTests, ChangeTests, FileTests, SandboxLifecycleTests, SandboxIsolationTests):
    """What every sandbox keeps to. Give `sandbox`, and `image`: any with bash and the usual tools in it."""

    @pytest.fixture
    def sandbox(self) -> Iterator[Sandbox]:
        """The sandbox to examine, open for one test."""
        raise NotImplementedError("give a fixture called `sandbox`")

    @pytest.fixture
    def image(self) -> Image:
        """What sessions start from; the contract puts files of its own on top."""
        raise NotImplementedError("give a fixture called `image`")

    @pytest.fixture
    def world(self, image: Image) -> Image:
        """*image* with the contract's files in it."""
        return contract_image(image)

    @pytest.fixture
    def session(self, sandbox: Sandbox, world: Image) -> Iterator[Session]:
        """A fresh session of `world`."""
        with sandbox.start(world) as session:
            yield session
