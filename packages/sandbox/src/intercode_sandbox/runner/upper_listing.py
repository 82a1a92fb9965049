"""What a session changed, told by its process 1 with the end of a command, where there is little of it.

The other side is `helper/listing.c`. What comes is checked as if hostile code had written it: what has not exactly the
form of a listing is none, and the host then reads the upper layer itself (`overlay_diff.py`).
"""

from __future__ import annotations

import stat
import struct
import sys

from intercode_sandbox.results import file_type
from intercode_sandbox.runner.content_digest import digest_of_short
from intercode_sandbox.runner.lower_layers import LowerLayers
from intercode_sandbox.runner.overlay_diff import DEPTH_LIMIT, PATH_LIMIT, OverlayDiff
from intercode_sandbox.sandbox import Change, Entry

_ITEM = struct.Struct("=IIIHHqQI")
_LONGEST_NAME, _IDS, _MODES = 255, 1 << 16, 1 << 16
_ENCODING, _ERRORS = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()
_NO_NAMES = (b".", b"..")


class BadListingError(ValueError):
    """It has not the form of a listing, or tells of what the host has to see for itself."""


class UpperListing:
    """A listing, held against the layers below, which *walker* can open."""

    def __init__(self, data: bytes, lower: LowerLayers, walker: OverlayDiff) -> None:
        self._data, self._lower, self._walker = data, lower, walker
        self._folders = [""]
        """The folder in which the next item would lie, for each depth that it can have."""

        self._hiding: dict[str, set[str]] = {}
        """Folders that show nothing of what is below, with the paths that are in them."""

        self._found: dict[str, Change] = {}
        self.contents: dict[str, bytes] = {}
        """What is in each file that is listed, by path. All folders above one are folders in the session as well."""

    def changes(self) -> list[Change]:
        """Return all changes, sorted: the same that `OverlayDiff.changes` finds.

        Raises:
            BadListingError: If it is none.
        """
        at = 0
        while at < len(self._data):
            at = self._read_item(at)
        for folder, inside in self._hiding.items():
            for path in self._lower.paths(folder, self._walker):
                if path not in inside:
                    self._delete(path)
        return [self._found[path] for path in sorted(self._found)]

    def _read_item(self, at: int) -> int:
        """Take in the item that begins there; where the next one does."""
        try:
            mode, uid, gid, depth, length, modified, size, hides = _ITEM.unpack_from(self._data, at)
        except struct.error as error:
            raise BadListingError("the last item is cut") from error
        if mode >= _MODES or uid >= _IDS or gid >= _IDS or hides > 1:
            raise BadListingError("numbers that no file has")
        if depth >= len(self._folders) or depth >= DEPTH_LIMIT - 1:
            raise BadListingError("an item that lies nowhere, or too deep")
        end: int = at + _ITEM.size + length
        folder = self._folders[depth]
        path = f"{folder}/{_name(self._data[end - length : end], length)}"
        if len(path) > PATH_LIMIT // 4:
            raise BadListingError("a path that may be too long")
        del self._folders[depth + 1 :]
        if folder in self._hiding:
            self._hiding[folder].add(path)
        kind, bits = file_type(mode), stat.S_IMODE(mode)
        if kind == "directory":
            self._folders.append(path)
            if hides or folder in self._hiding:
                self._hiding[path] = set()
            self._note(path, Entry(kind, bits, uid, gid, 0, 0))
        elif kind == "file":
            content, end = self._content(end, size), end + size
            self.contents[path] = content
            self._note(path, Entry(kind, bits, uid, gid, size, modified, digest_of_short(content)))
        elif kind == "symlink":
            target, end = self._content(end, size), end + size
            self._note(path, Entry(kind, 0o777, uid, gid, 0, 0, str(target, _ENCODING, _ERRORS)))
        elif size == 0 and stat.S_ISCHR(mode):
            self._delete(path)
        else:
            self._note(path, Entry(kind, bits, uid, gid, 0, 0))
        return end

    def _content(self, at: int, size: int) -> bytes:
        content = self._data[at : at + size]
        if len(content) != size:
            raise BadListingError("content that is cut")
        return content

    def _note(self, path: str, after: Entry) -> None:
        before = self._lower.entry(path, self._walker)
        if before is not None and before.type == "directory" and after.type != "directory":
            self._delete(path)
            self._found.pop(path, None)
        if before != after:
            self._found[path] = Change(path, before, after)

    def _delete(self, path: str) -> None:
        for change in self._lower.deletions(path, self._walker):
            self._found[change.path] = change


def _name(name: bytes, length: int) -> str:
    if len(name) != length or not 0 < length <= _LONGEST_NAME or b"/" in name or b"\0" in name or name in _NO_NAMES:
        raise BadListingError("a name that none is")
    return str(name, _ENCODING, _ERRORS)
