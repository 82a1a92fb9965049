"""What the layers of an image hold, by path, remembered: nobody changes them while sessions stand on them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from intercode_sandbox.runner.overlay_diff import LayerPath, OverlayDiff
from intercode_sandbox.sandbox import Change, Entry

MOST = 4096
"""Paths that are remembered, there or not; then all are forgotten."""

FEW = 64
"""Deletions of one path that are remembered."""

UNSET = 1 << 100
"""What is remembered as a session's start, from which the ages of files count: no file system has such times."""


class LowerLayers:
    """The layers *lowers*, (layer, descriptor), highest first. Safe to use from several threads.

    The *walker* of each call opens what is not known yet: by the runner of a session, if need be, which is not
    remembered.
    """

    def __init__(self, lowers: Sequence[tuple[int, int]]) -> None:
        self._places = [LayerPath(layer, descriptor) for layer, descriptor in lowers]
        self._entries: dict[str, Entry | None] = {}
        self._deletions: dict[str, tuple[Change, ...]] = {}

    def entry(self, path: str, walker: OverlayDiff) -> Entry | None:
        """Return what is at *path*, an absolute one; None where nothing is."""
        if path in (known := self._entries):
            return _stamped(known[path], walker)
        above, _, name = path.rpartition("/")
        own = _HelpRecorder(walker)
        with self._opened(above, own.walker) as places:
            below = own.walker.lookup(places, name, path)
            found = own.walker.entry(*below, name, path) if below else None
        if own.saw(found):
            self._entries = known if len(known) < MOST else {}
            self._entries[path] = found
        return _stamped(found, walker)

    def deletions(self, path: str, walker: OverlayDiff) -> Sequence[Change]:
        """Return *path* and all below it, as deletions."""
        found = self._find_deletions(path, walker)
        return [Change(each.path, _stamped(each.before, walker), None) for each in found] if walker.stamps else found

    def _find_deletions(self, path: str, walker: OverlayDiff) -> Sequence[Change]:
        if path in (known := self._deletions):
            return known[path]
        above, _, name = path.rpartition("/")
        own = _HelpRecorder(walker)
        with self._opened(above, own.walker) as places:
            found = tuple(own.walker.deletions(path, name, places, path.count("/") - 1))
        if len(found) <= FEW and own.saw(*(change.before for change in found)):
            self._deletions = known if len(known) < MOST // FEW else {}
            self._deletions[path] = found
        return found

    def paths(self, folder: str, walker: OverlayDiff) -> list[str]:
        """Return the paths of what is in *folder*."""
        with self._opened(folder, walker) as places:
            return [f"{folder}/{name}" for name in walker.merged_names(places, folder)]

    @contextmanager
    def _opened(self, folder: str, walker: OverlayDiff) -> Iterator[Sequence[LayerPath]]:
        """Provide the folders of the layers that show through as *folder*, highest first; "" is the root."""
        places, opened, path = self._places, list[LayerPath](), ""
        try:
            for name in folder.split("/")[1:]:
                path, before = f"{path}/{name}", len(opened)
                for place in walker.open_merged(places, name, path):
                    opened.append(place)
                places = opened[before:]
            yield places
        finally:
            for place in opened:
                os.close(place.descriptor)


class _HelpRecorder:
    """A *walker* that knows whether the session has helped it, whose copies of files may have other times.

    For it, every session starts at UNSET.
    """

    def __init__(self, walker: OverlayDiff) -> None:
        self._open_anyway, self._was_helped = walker.open_anyway, False
        self.walker = replace(walker, open_anyway=self._ask, stamps=dict.fromkeys(walker.stamps, UNSET))

    def _ask(self, layer: int, path: str, flags: int) -> int:
        self._was_helped = True
        return self._open_anyway(layer, path, flags)

    def saw(self, *entries: Entry | None) -> bool:
        """Return whether these may be remembered: what was not readable may have been so for want of descriptors."""
        return not self._was_helped and all(entry is None or entry.digest != "unreadable" for entry in entries)


def _stamped(entry: Entry | None, walker: OverlayDiff) -> Entry | None:
    if entry is None or entry.mtime_ns < UNSET >> 1:
        return entry
    return replace(entry, mtime_ns=next(iter(walker.stamps.values())) + entry.mtime_ns - UNSET)
