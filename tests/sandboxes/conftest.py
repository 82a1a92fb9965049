"""A Docker engine for the tests that need one: the machine's own or, as root, a private one for each test process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from intercode.testing.docker_engine import DockerEngine, NoDockerEngine


@pytest.fixture(scope="session")
def docker_url() -> Iterator[str]:
    """Where an engine listens; tests that ask for it are skipped, with the reason, where none can be had."""
    try:
        with DockerEngine() as engine:
            yield engine.url
    except NoDockerEngine as reason:
        pytest.skip(str(reason))
