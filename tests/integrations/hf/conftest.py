"""No hub is asked but one of this machine; what is fetched is kept in a folder of the test."""

from __future__ import annotations

import os
import shutil
import tempfile

os.environ.update(
    HF_HOME=tempfile.mkdtemp(prefix="hf-home-"),
    HF_HUB_OFFLINE="1",
    HF_HUB_DISABLE_TELEMETRY="1",
    HF_HUB_DISABLE_XET="1",
)


def pytest_unconfigure() -> None:
    shutil.rmtree(os.environ["HF_HOME"], ignore_errors=True)
