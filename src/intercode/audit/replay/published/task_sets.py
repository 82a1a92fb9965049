"""The data sets that recordings are replayed on: the published ones, or the verified ones in their place."""

from __future__ import annotations

from typing import Any

from intercode import datasets
from intercode.audit.replay.published.recordings import RecordedEpisode
from intercode.datasets.base import Dataset
from intercode.errors import UnknownNameError


class TaskSets:
    """Published data sets, or their *verified* ones; each is read once."""

    def __init__(self, *, verified: bool) -> None:
        self._verified = verified
        self._loaded: dict[str, Dataset] = {}

    def load(self, name: str, **options: Any) -> Dataset:
        """Return the one called *name*, made with *options* where it is the published one."""
        key = f"{name} {options}"
        if key not in self._loaded:
            self._loaded[key] = datasets.load(f"{name}-verified") if self._verified else datasets.load(name, **options)
        return self._loaded[key]

    def has(self, episode: RecordedEpisode) -> bool:
        """Return whether the task of *episode* is there: verified sets leave some out."""
        if not self._verified:
            return True
        try:
            self.load(episode.dataset.partition("/")[0]).find(episode.local_id)
        except UnknownNameError:
            return False
        return True
