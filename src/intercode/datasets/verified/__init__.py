"""Verified sets: published data sets with changes of our own, one line of `changes.jsonl` in the set's folder for each.

`changes` reads the lines, `verified_dataset` puts them on the published tasks, `planted_files` makes what they add.
"""

from __future__ import annotations

from intercode.datasets.verified.changes import TaskChange, changes_in
from intercode.datasets.verified.verified_dataset import VerifiedDataset

__all__ = ["TaskChange", "VerifiedDataset", "changes_in"]
