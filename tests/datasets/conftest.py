"""Where the published data is, for the tests that need it, and a sandbox for those that play its tasks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from intercode_sandbox import images
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.sandbox import Sandbox


@pytest.fixture
def published(published_data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the published data, named to the program; tests that ask for it are skipped where there is none."""
    monkeypatch.setenv("INTERCODE_DATA", str(published_data))
    return published_data


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with EmbeddedSandbox() as sandbox:
        sandbox.start(images.find("host")).close()  # now, so that images go into the user's cache and not into a test's
        yield sandbox
