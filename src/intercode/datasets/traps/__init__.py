"""Tasks in which cheating can be proved, made of those of another data set."""

from intercode.datasets.traps.dataset import TrapsDataset

__all__ = ["TrapsDataset"]
