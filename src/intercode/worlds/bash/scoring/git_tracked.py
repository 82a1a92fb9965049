"""What the published containers keep in their repository: every file and link of the image, but for ignored names."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

IGNORED = frozenset(
    ["bin", "boot", "dev", "etc", "home", "lib", "media", "opt", "proc", "root", "run", "sbin", "srv", "sys", "usr"]
) | {"var", ".dockerenv"}
"""The lines of the published `.gitignore`. They hold no slash, so each matches a name at any depth."""

_UNSEEN = IGNORED | {".git"}
_CAN_BE_TRACKED = (stat.S_IFREG, stat.S_IFLNK)
_OPAQUE = ("user.overlay.opaque", "trusted.overlay.opaque")


def is_ignored(path: str) -> bool:
    """Return whether git never looks at *path*.

    It, or a directory above it, has an ignored name or is a repository's own.
    """
    return not _UNSEEN.isdisjoint(path.split("/"))


@dataclass(frozen=True, slots=True)
class TrackedFiles:
    """The directories of an image that hold tracked files, at whatever depth. Absolute, without a trailing slash.

    git shows an untracked directory as one entry; this is what tells which directories are untracked.
    """

    directories: frozenset[str]

    @classmethod
    def of(cls, paths: Iterable[str]) -> Self:
        """From the absolute paths of the image's regular files and symbolic links; ignored ones may be among them."""
        return cls(frozenset(above for path in paths if not is_ignored(path) for above in parents(path)))

    @classmethod
    def below(cls, *layers: Path) -> Self:
        """From an image's layers as they lie on disk, lowest first, with overlayfs' marks for what a layer removes.

        Only trees that are not ignored are read.

        Raises:
            OSError: For a directory that cannot be.
        """
        paths: set[str] = set()
        for layer in layers:
            there = dict(_walk(layer))
            hidden = {path for path, status in there.items() if _hides(layer / path[1:], status)}
            paths = {path for path in paths if path not in there and hidden.isdisjoint(parents(path))}
            paths.update(path for path, status in there.items() if stat.S_IFMT(status.st_mode) in _CAN_BE_TRACKED)
        return cls.of(paths)


def parents(path: str) -> Iterator[str]:
    """Yield the directories above an absolute *path*, the highest first, the root left out: `/a/b/c` → `/a`, `/a/b`."""
    end = path.find("/", 1)
    while end > 0:
        yield path[:end]
        end = path.find("/", end + 1)


def _walk(root: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Yield every path below *root* that is not ignored, as it is called inside, a directory before what it holds."""
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        with os.scandir(f"{root}{folder}") as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if is_ignored(entry.name):
                    continue
                path, status = f"{folder}/{entry.name}", entry.stat(follow_symlinks=False)
                yield path, status
                if stat.S_ISDIR(status.st_mode):
                    waiting.append(path)


def _hides(path: Path, status: os.stat_result) -> bool:
    """Return whether what lies at *path* in a layer hides what the layers below have there."""
    if not stat.S_ISDIR(status.st_mode):
        return True
    if not hasattr(os, "listxattr"):  # no Linux, so no layers of overlayfs
        return False
    return any(mark in os.listxattr(path) and os.getxattr(path, mark) == b"y" for mark in _OPAQUE)
