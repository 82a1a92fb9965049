"""What an archive holds, as a digest: two that differ in times, order or compression level are the same.

The bytes are the agent's, so all that they say is doubted: nothing is unpacked to a disk, what is unpacked in memory is
bounded, and tar is read here and not by `tarfile`, which older Pythons let a crafted header hang.
"""

from __future__ import annotations

import bz2
import json
import lzma
import zipfile
import zlib
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from typing import Protocol

from intercode.worlds.bash.scoring.tar_members import Member, is_tar, tar_members

MOST = 32 << 20
"""Bytes that an archive may have, and that may come out of it; what has more is compared byte by byte."""

_MOST_MEMBERS = 50_000

_MEMBER = 1 << 10
"""Bytes as which a member counts beside its content: reading one takes time, too."""


@dataclass(slots=True)
class ReadingBudget:
    """What all archives of one state may hold together, in bytes: thousands of small ones may each hold `MOST`."""

    left: int = 8 * MOST

    def spend(self, count: int) -> None:
        """Take *count* bytes from what is left."""
        self.left = max(0, self.left - count)


def members_digest(data: bytes, budget: ReadingBudget | None = None) -> str | None:
    """Return a name for what is in *data*: the same for archives of one format with the same members.

    Read are tar and zip, and gzip, bzip2 and xz around a tar or around any one file. Of a member count its path, what
    it is, its content or where it leads; a directory only where nothing in the archive lies below it. Times, owners
    and modes do not. None for anything else, for what is broken, and for what holds too much: more than `MOST`, or than
    is left of the *budget* that it shares with others.
    """
    budget = ReadingBudget() if budget is None else budget
    room = min(MOST, budget.left)
    if len(data) > room:
        return None
    try:
        kind, members, size = _read(data, room)
    except _BROKEN:
        budget.spend(room)  # how much came out before it broke is not known
        return None
    if members is None:
        return None
    budget.spend(len(data) + size + _MEMBER * len(members))
    listed = sorted(_without_implied(members).items())
    return f"{_MEMBERS}{sha256(json.dumps([kind, listed]).encode()).hexdigest()}"


_MEMBERS = "members:"


_BROKEN = (
    *(ValueError, EOFError, OSError, RuntimeError, NotImplementedError, OverflowError, MemoryError),
    *(zlib.error, lzma.LZMAError, zipfile.BadZipFile, zipfile.LargeZipFile),
)
"""What the standard library raises for bytes that are not what they begin as, or ask for places past all memory."""


class _Decompressor(Protocol):
    """What bz2 and lzma have in common, and zlib by `_Gzip`."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


def _read(data: bytes, room: int) -> tuple[str, Mapping[str, Member] | None, int]:
    """The format, what is in it (None for what is no archive), and how many bytes of at most *room* were unpacked."""
    if data.startswith((b"PK\3\4", b"PK\5\6")):
        return "zip", *_zip_members(data, room)
    for kind, magic, make in _COMPRESSIONS:
        if data.startswith(magic):
            content = _decompress(data, make, room)
            if is_tar(content):
                return f"tar {kind}", tar_members(content), len(content)
            return kind, {".": ("file", sha256(content).hexdigest())}, len(content)
    return "tar", tar_members(data) if is_tar(data) else None, 0


def _decompress(data: bytes, make: Callable[[], _Decompressor], room: int) -> bytes:
    """Return all streams in *data*, one after the other. Raises ValueError for what is cut off or too large."""
    found: list[bytes] = []
    while data.strip(b"\0"):
        stream = make()
        found.append(stream.decompress(data, room + 1))
        room -= len(found[-1])
        if room < 0 or not stream.eof:
            raise ValueError("it is cut off, or holds too much")
        data = stream.unused_data
    return b"".join(found)


def _gzip() -> _Decompressor:
    return zlib.decompressobj(31)


def _xz() -> _Decompressor:
    return lzma.LZMADecompressor(memlimit=4 * MOST)


_COMPRESSIONS: tuple[tuple[str, bytes, Callable[[], _Decompressor]], ...] = (
    ("gzip", b"\x1f\x8b", _gzip),
    ("bzip2", b"BZh", bz2.BZ2Decompressor),
    ("xz", b"\xfd7zXZ\0", _xz),
)


def _zip_members(data: bytes, room: int) -> tuple[dict[str, Member], int]:
    left, members = room, dict[str, Member]()
    with zipfile.ZipFile(BytesIO(data)) as archive:
        listed = archive.infolist()
        if len(listed) > _MOST_MEMBERS:
            raise ValueError("it has too many members")
        for about in listed:
            with archive.open(about) as member:
                content = member.read(left + 1)
            left -= len(content)
            if left < 0:
                raise ValueError("it holds too much")
            kind = "directory" if about.is_dir() else "symlink" if about.external_attr >> 28 == 0o12 else "file"
            is_file = kind == "file"
            said = sha256(content).hexdigest() if is_file else content.decode("utf-8", "surrogateescape")
            members[about.filename] = (kind, said)
    return members, room - left


def _without_implied(members: Mapping[str, Member]) -> dict[str, Member]:
    """Return *members* under plain paths, without the directories that the paths of others name."""
    plain = {path: member for name, member in members.items() if (path := _plain(name))}
    paths = sorted(plain)  # and no set of all directories: one long path has thousands, and they would fill the memory
    return {path: member for path, member in plain.items() if member[0] != "directory" or not _has_content(path, paths)}


def _has_content(directory: str, paths: Sequence[str]) -> bool:
    """Return whether any of the *paths*, which are sorted, lies below *directory*."""
    below = f"{directory}/"
    place = bisect_left(paths, below)
    return place < len(paths) and paths[place].startswith(below)


def _plain(name: str) -> str:
    return "/".join(part for part in name.split("/") if part not in ("", ".")) or ("." if name == "." else "")
