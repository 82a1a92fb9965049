"""Where the published data is, for the tests that need it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the published data; tests that ask for it are skipped where there is none."""
    beside = Path(__file__).parents[2].parent / "shared" / "data"
    folder = Path(os.environ.get("INTERCODE_DATA") or beside)
    if not (folder / "nl2bash").is_dir():
        pytest.skip(f"the published data is not at {folder}; INTERCODE_DATA names another place")
    monkeypatch.setenv("INTERCODE_DATA", str(folder))
    return folder
