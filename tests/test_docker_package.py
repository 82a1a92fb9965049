"""Docker's own Python package, as it is used here."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest

from intercode.docker_package import docker_package


def test_a_client_that_reaches_nobody_leaves_no_socket_open(tmp_path: Path) -> None:
    client = docker_package().APIClient(base_url=f"unix://{tmp_path}/nobody", version="1.41")
    before = len(os.listdir("/proc/self/fd"))
    gc.disable()
    try:
        for _ in range(3):
            with pytest.raises(Exception, match="No such file or directory"):
                client.ping()
        after = len(os.listdir("/proc/self/fd"))
    finally:
        gc.enable()
        client.close()
    assert after == before
