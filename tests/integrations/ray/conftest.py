"""A Ray cluster on this machine, of small nodes. Warnings of Ray's own, of which we can do nothing, are no errors."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

os.environ.update(
    RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0",
    RAY_USAGE_STATS_ENABLED="0",
    RAY_agent_register_timeout_ms="300000",  # a busy machine takes long to begin a process
    RAY_worker_register_timeout_seconds="300",
)

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # so that only the first of its processes has to compile Ray

import ray
from ray.cluster_utils import Cluster
from ray_actors import add_node

IGNORED = (
    "ignore:unclosed file:ResourceWarning",  # the logs of the cluster's nodes
    "ignore:subprocess .* is still running:ResourceWarning",  # nodes that are removed
    "ignore::pytest.PytestUnraisableExceptionWarning",  # the same, where a test ends meanwhile
)


def pytest_configure(config: pytest.Config) -> None:
    for line in IGNORED:
        config.addinivalue_line("filterwarnings", line)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """Two nodes of one core each, to which this process is connected."""
    made = Cluster()
    try:
        add_node(made, include_dashboard=False)
        add_node(made)
        ray.init(address=made.address, log_to_driver=False, logging_level="ERROR")
        yield made
    finally:
        ray.shutdown()
        made.shutdown()
