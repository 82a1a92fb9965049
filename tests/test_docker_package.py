"""Docker's own Python package, as it is used here."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from intercode.docker_package import docker_package
from intercode.testing.sandbox_fixtures import held


def test_a_client_that_reaches_nobody_leaves_no_socket_open(tmp_path: Path) -> None:
    client = docker_package().APIClient(base_url=f"unix://{tmp_path}/nobody", version="1.41")
    before = held("socket:")
    gc.disable()
    try:
        for _ in range(3):
            with pytest.raises(Exception, match="No such file or directory"):
                client.ping()
        after = held("socket:")
    finally:
        gc.enable()
        client.close()
    assert after == before
