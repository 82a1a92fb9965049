"""The processes of a cluster's actors, as this machine sees them."""

from __future__ import annotations

from pathlib import Path

from ray.cluster_utils import Cluster


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
