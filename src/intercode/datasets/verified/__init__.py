"""Verified sets: published data sets with changes of our own, one line of `PUBLISHED.jsonl` here for each.

`changes` reads the lines, `base` puts them on the published tasks, `planted` makes what they add to a world.
"""

from __future__ import annotations

from intercode.datasets.verified.base import VerifiedDataset
from intercode.datasets.verified.changes import Change, changes_of

__all__ = ["Change", "VerifiedDataset", "changes_of"]
