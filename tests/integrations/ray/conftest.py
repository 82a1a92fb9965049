"""A Ray cluster of three nodes on this machine, small ones; Ray's own warnings, of which we can do nothing, are none."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

os.environ.update(RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0", RAY_USAGE_STATS_ENABLED="0")

import ray
from ray.cluster_utils import Cluster

IGNORED = (
    "ignore:unclosed file:ResourceWarning",  # the logs of the cluster's nodes
    "ignore:subprocess .* is still running:ResourceWarning",  # nodes that are removed
    "ignore::pytest.PytestUnraisableExceptionWarning",  # the same, where a test ends meanwhile
)


def pytest_configure(config: pytest.Config) -> None:
    for line in IGNORED:
        config.addinivalue_line("filterwarnings", line)


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """Three nodes of one core each, to which this process is connected."""
    node = {"num_cpus": 1, "memory": 4 << 30, "object_store_memory": 100 << 20}
    made = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    try:
        for _ in range(2):
            made.add_node(**node)
        ray.init(address=made.address, log_to_driver=False, logging_level="ERROR")
        yield made
    finally:
        ray.shutdown()
        made.shutdown()
