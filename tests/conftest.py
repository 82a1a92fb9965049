"""What all tests share: options of the command line, and where the published data is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


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
