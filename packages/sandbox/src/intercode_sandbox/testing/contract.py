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

from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Sandbox, Session
from intercode_sandbox.testing.changes import ChangeTests
from intercode_sandbox.testing.commands import CommandTests
from intercode_sandbox.testing.files import FileTests
from intercode_sandbox.testing.fixtures import contract_image
from intercode_sandbox.testing.isolation import SandboxIsolationTests
from intercode_sandbox.testing.lifecycle import SandboxLifecycleTests
from intercode_sandbox.testing.users import UserTests


class SandboxContract(CommandTests, UserTests, ChangeTests, FileTests, SandboxLifecycleTests, SandboxIsolationTests):
    """What every sandbox keeps to. Give `sandbox`, and `image`: any with bash and the usual tools in it."""

    @pytest.fixture
    def sandbox(self) -> Iterator[Sandbox]:
        """Provide the sandbox to examine, open for one test."""
        raise NotImplementedError("give a fixture called `sandbox`")

    @pytest.fixture
    def image(self) -> Image:
        """Provide what sessions start from; the contract puts files of its own on top."""
        raise NotImplementedError("give a fixture called `image`")

    @pytest.fixture
    def world(self, image: Image) -> Image:
        """Provide *image* with the contract's files in it."""
        return contract_image(image)

    @pytest.fixture
    def session(self, sandbox: Sandbox, world: Image) -> Iterator[Session]:
        """Provide a fresh session of `world`."""
        with sandbox.start(world) as session:
            yield session
