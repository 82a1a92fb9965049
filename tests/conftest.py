"""What all tests share: options of the command line, where the published data is, a Docker engine."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from intercode.testing.docker_engine import DockerEngine, NoDockerEngine

# Processes inherit it when SIGINT is ignored, as in whatever a script starts with `&`: those that tests start and
# interrupt would not notice.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("the same every time", derandomize=True, deadline=None)
settings.register_profile("search", max_examples=1000, deadline=None)  # --hypothesis-profile=search
settings.load_profile("the same every time")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--conformance=whole` replays every published recording."""
    parser.addoption("--conformance", choices=("sample", "whole"), default="sample")


@pytest.fixture(scope="session")
def published_data() -> Path:
    """The folder of the published data; tests that ask for it are skipped where there is none."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("INTERCODE_DATA") or beside)
    if not (folder / "nl2bash").is_dir():
        pytest.skip(f"the published data is not at {folder}; INTERCODE_DATA names another place")
    os.environ["INTERCODE_DATA"] = str(folder)
    return folder


@pytest.fixture(scope="session")
def docker_engine() -> Iterator[DockerEngine]:
    """A Docker engine: the machine's own or, as root, a private one for each process of the tests.

    Tests that ask for it are skipped, with the reason, where none can be had.
    """
    try:
        with DockerEngine() as engine:
            yield engine
    except NoDockerEngine as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def docker_url(docker_engine: DockerEngine) -> str:
    """Where it listens."""
    return docker_engine.url
