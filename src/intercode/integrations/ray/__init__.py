"""Ray: a run's episodes on many machines, and rollouts for training (docs/how-to/ray.md)."""

from intercode.integrations.ray.cluster import RayCluster, RayLauncher
from intercode.integrations.ray.rollouts import RolloutPool

__all__ = ["RayCluster", "RayLauncher", "RolloutPool"]
