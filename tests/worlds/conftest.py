"""What tests of worlds share: one embedded sandbox, since starting it takes longer than any of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from intercode.worlds.python import PythonEnv
from intercode_sandbox import images
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.sandbox import Sandbox
from worlds.python.python_world import HASTY, square_env


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with EmbeddedSandbox() as sandbox:
        sandbox.start(images.find("host")).close()  # now, so that images go into the user's cache and not into a test's
        yield sandbox


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Golds go into a folder of the test's own."""
    monkeypatch.setenv("INTERCODE_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def hasty(sandbox: Sandbox) -> Iterator[PythonEnv]:
    """The small Python world with little time."""
    yield from square_env(sandbox, limits=HASTY)
