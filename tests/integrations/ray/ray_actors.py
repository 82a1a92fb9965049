"""Nodes for a cluster, and the processes of its actors, as this machine sees them."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

from ray.cluster_utils import Cluster

PORTS = ("metrics_agent_port", "metrics_export_port", "runtime_env_agent_port", "dashboard_agent_listen_port")
"""What a node's processes listen to: told beforehand, since a node dies that has not learnt its own within 15 s."""

TRIES = 4
"""How often a node may fail to begin in time: a busy machine is no reason to fail."""


def add_node(cluster: Cluster, **options: Any) -> Any:
    """A node of one core; the first one of *cluster* is its head."""
    for left in reversed(range(TRIES)):
        ports = {name: free_port() for name in PORTS}
        try:
            return cluster.add_node(num_cpus=1, memory=4 << 30, object_store_memory=100 << 20, **ports, **options)
        except Exception as error:
            if "timed out during startup" not in str(error) or not left:
                raise
    raise AssertionError


def free_port() -> int:
    """One that nothing listens to."""
    with socket.socket() as found:
        found.bind(("", 0))
        return int(found.getsockname()[1])


def actors(cluster: Cluster, kind: str) -> list[int]:
    """The processes of actors of the class *kind*, on all nodes of *cluster*."""
    nodes = {each.process.pid for node in cluster.list_all_nodes() for each in node.all_processes["raylet"]}
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if parent in nodes and f"ray::{kind}".encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue  # it has just ended
    return found
