"""What a session changed, read from its upper layer by the host.

The tree was written by hostile code, which may still be at it: every step goes by descriptor, follows no link, opens
nothing that could block, reads no file twice and none further than it reached when it was opened, and looks below 128
folders no further. What the host may not open itself, the session's runner opens for it.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from intercode_sandbox.images.image import time_in_session
from intercode_sandbox.results import Change, Entry, file_type
from intercode_sandbox.runner.content_digest import digest_of
from intercode_sandbox.runner.protocol import OUT_OF_RESOURCES

DEPTH_LIMIT = 128
PATH_LIMIT = 4096 - 256
"""No longer path can be opened by name, whoever tries, once one more name is added."""

_GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
Opener = Callable[[int, str, int], int]
"""Open path (1) of layer (0: the upper one, else 1 + i for lower layer i) with flags (2), whoever may."""


@dataclass(frozen=True, slots=True)
class LayerPath:
    """A folder of one layer, open. `layer` is 0 for the upper one, else 1 + index.

    `hides`, in the upper layer: whether nothing of the lower ones shows through it; None where that cannot be told.
    """

    layer: int
    descriptor: int
    hides: bool | None = False


@dataclass(frozen=True, slots=True)
class OverlayDiff:
    """Reads changes. `owner` and `group` translate ids into the session's; `stamps` are the times of fresh layers.

    `shown` has the names in a folder as the session's programs see them: asked where a folder's mark cannot be read.
    """

    open_anyway: Opener
    owner: Callable[[int], int]
    group: Callable[[int], int]
    stamps: Mapping[int, int]
    opaque: str = "user.overlay.opaque"
    """The attribute by which this overlay marks folders that hide what is below; sessions can set others freely."""
    shown: Callable[[str], Collection[str]] = lambda path: ()
    digests: dict[tuple[int, int], str] = field(default_factory=dict)
    """Of files with several names, by device and inode."""

    def changes(self, upper: int, lowers: Sequence[tuple[int, int]]) -> list[Change]:
        """Return all changes, sorted. *lowers* are (layer, descriptor), highest first."""
        top = self._open(LayerPath(0, upper), ".", "/.", _FOLDER)  # anew: a passed descriptor shares its read position
        if top is None:
            raise OSError(errno.EACCES, "what a session changed cannot be read", "/")
        try:
            places = [LayerPath(layer, descriptor) for layer, descriptor in lowers]
            return sorted(self._folder("", LayerPath(0, top), places, 0), key=lambda change: change.path)
        finally:
            os.close(top)

    def _folder(self, path: str, upper: LayerPath, lowers: Sequence[LayerPath], depth: int) -> Iterator[Change]:
        for name in os.listdir(upper.descriptor):
            yield from self._name(f"{path}/{name}", name, upper, lowers, depth)
        if lowers and upper.hides is not False:
            gone = self.merged_names(lowers, path) - set(os.listdir(upper.descriptor))
            for name in gone if upper.hides else gone.difference(self.shown(path)):
                yield from self.deletions(f"{path}/{name}", name, lowers, depth)

    def _name(
        self, path: str, name: str, upper: LayerPath, lowers: Sequence[LayerPath], depth: int
    ) -> Iterator[Change]:
        try:
            found = self._stat(upper, name, path)
        except OSError as error:
            if error.errno in _GONE:  # while we look
                return
            raise
        if _is_whiteout(found):
            yield from self.deletions(path, name, lowers, depth)
            return
        below = self.lookup(lowers, name, path)
        before = self.entry(*below, name, path) if below else None
        after = self.entry(upper, found, name, path)
        if after.type == "directory":
            yield from self._directory(path, name, upper, lowers, depth, before, after)
            return
        if before is not None and before.type == "directory":
            yield from (change for change in self.deletions(path, name, lowers, depth) if change.path != path)
        if before != after:
            yield Change(path, before, after)

    def _directory(
        self,
        path: str,
        name: str,
        upper: LayerPath,
        lowers: Sequence[LayerPath],
        depth: int,
        before: Entry | None,
        after: Entry,
    ) -> Iterator[Change]:
        if depth >= DEPTH_LIMIT or (len(path) > PATH_LIMIT // 4 and len(os.fsencode(path)) > PATH_LIMIT):
            yield Change(path, before, replace(after, digest="cut"))
            return
        if before != after:
            yield Change(path, before, after)
        opened: list[LayerPath] = []
        try:
            opened = list(self.open_merged(lowers, name, path))
            inside = self._open(upper, name, path, _FOLDER)
            if inside is None:
                yield Change(path, before, replace(after, digest="unreadable"))
                return
            opened.append(LayerPath(0, inside, upper.hides or self._is_opaque(inside, unless=upper.hides)))
            yield from self._folder(path, opened[-1], opened[:-1], depth + 1)
        finally:
            for place in opened:
                os.close(place.descriptor)

    # How lower layers are looked at, also by `lower_layers.py`

    def deletions(self, path: str, name: str, lowers: Sequence[LayerPath], depth: int) -> Iterator[Change]:
        """Yield *name* as the layers below had it, and everything under it, as deletions."""
        below = self.lookup(lowers, name, path)
        if below is None:
            return
        entry = self.entry(*below, name, path)
        yield Change(path, entry, None)
        if entry.type != "directory" or depth >= DEPTH_LIMIT:
            return
        opened: list[LayerPath] = []
        try:
            opened = list(self.open_merged(lowers, name, path))
            for inner in self.merged_names(opened, path):
                yield from self.deletions(f"{path}/{inner}", inner, opened, depth + 1)
        finally:
            for place in opened:
                os.close(place.descriptor)

    def lookup(self, lowers: Sequence[LayerPath], name: str, path: str) -> tuple[LayerPath, os.stat_result] | None:
        """Return the highest lower layer that has *name*, unless it was deleted there."""
        for place in lowers:
            try:
                found = self._stat(place, name, path)
            except FileNotFoundError:
                continue
            return None if _is_whiteout(found) else (place, found)
        return None

    def open_merged(self, lowers: Sequence[LayerPath], name: str, path: str) -> Iterator[LayerPath]:
        """Yield the lower folders that show through as *name*, highest first."""
        for place in lowers:
            try:
                descriptor = self._open_lower(place, name, path)
            except FileNotFoundError:
                continue
            if descriptor is None:
                return
            inner = LayerPath(place.layer, descriptor)
            yield inner
            if place is not lowers[-1] and self._is_opaque(descriptor):  # nothing is below the lowest
                return

    def _open_lower(self, place: LayerPath, name: str, path: str) -> int | None:
        """Return the folder *name* of a lower layer; None for what is none, or nobody can open."""
        try:
            return os.open(name, _FOLDER, dir_fd=place.descriptor)
        except FileNotFoundError:
            raise
        except PermissionError:
            is_folder = stat.S_ISDIR(self._stat(place, name, path).st_mode)
            return self._open(place, name, path, _FOLDER) if is_folder else None
        except OSError as error:
            if error.errno in OUT_OF_RESOURCES:
                raise
            return None

    def merged_names(self, places: Sequence[LayerPath], path: str) -> set[str]:
        """Return the names that show through in a folder, whose *places* in the layers are given."""
        names = {name for place in places for name in os.listdir(place.descriptor)}
        return {name for name in names if self.lookup(places, name, f"{path}/{name}")}

    def _stat(self, place: LayerPath, name: str, path: str) -> os.stat_result:
        try:
            return os.stat(name, dir_fd=place.descriptor, follow_symlinks=False)
        except PermissionError:
            descriptor = self.open_anyway(place.layer, path, os.O_PATH | os.O_NOFOLLOW)
            try:
                return os.stat(descriptor)
            finally:
                os.close(descriptor)

    def _open(self, place: LayerPath, name: str, path: str, flags: int) -> int | None:
        """Return a descriptor, or None where nobody can open it."""
        try:
            return os.open(name, flags, dir_fd=place.descriptor)
        except PermissionError:
            try:
                return self.open_anyway(place.layer, path, flags)
            except OSError:
                return None
        except OSError:
            return None

    def _is_opaque(self, folder: int, unless: bool | None = False) -> bool | None:
        """Return whether a folder is marked as hiding what is below.

        *unless* for one that is not, None where nobody may look.

        The kernel asks for the right to read the folder, not only for its being open.
        """
        try:
            return os.getxattr(folder, self.opaque) == b"y" or unless
        except PermissionError:
            return None
        except OSError:
            return unless

    def entry(self, place: LayerPath, found: os.stat_result, name: str, path: str) -> Entry:
        """Return what was *found* as *name* in a layer's folder."""
        kind = file_type(found.st_mode)
        size, when, digest = 0, 0, ""
        if kind == "file":
            size, when = found.st_size, found.st_mtime_ns
            if place.layer in self.stamps:
                when = time_in_session(when, self.stamps[place.layer])
            digest = self._digest(place, found, name, path)
        elif kind == "symlink":
            digest = self._target(place, name, path)
        mode = 0o777 if kind == "symlink" else stat.S_IMODE(found.st_mode)
        return Entry(kind, mode, self.owner(found.st_uid), self.group(found.st_gid), size, when, digest)

    def _target(self, place: LayerPath, name: str, path: str) -> str:
        descriptor = self._open(place, name, path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
        if descriptor is None:
            return "unreadable"
        try:
            return os.readlink("", dir_fd=descriptor)
        except OSError:  # no link any more
            return "unreadable"
        finally:
            os.close(descriptor)

    def _digest(self, place: LayerPath, found: os.stat_result, name: str, path: str) -> str:
        key = (found.st_dev, found.st_ino)
        if key in self.digests:
            return self.digests[key]
        descriptor = self._open(place, name, path, _FILE)
        if descriptor is None:
            return "unreadable"
        try:
            digest = digest_of(descriptor)
        finally:
            os.close(descriptor)
        if found.st_nlink > 1:
            self.digests[key] = digest
        return digest


def _is_whiteout(found: os.stat_result) -> bool:
    return stat.S_ISCHR(found.st_mode) and found.st_rdev == 0
