"""Folders that go into a session and come out of it. What is in them is nobody's to trust, on either side.

Nothing here follows a link, and what was a file a moment ago may be one now. So things are looked at once they are
open: what is no file or folder by then is left out.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from intercode_sandbox.results import FolderEntry, file_type
from intercode_sandbox.util.rooted_paths import make_parents, open_in, root_descriptor

DEPTH_LIMIT = 128
"""Folders above the deepest thing that is copied."""

_CHUNK = 1 << 20
_KERNELS = ("/proc", "/sys", "/dev")
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NONBLOCK", 0)
_OTHERS = {errno.ELOOP, errno.ENXIO, errno.ENODEV, errno.ENOTDIR, errno.EACCES, errno.EPERM, errno.ENAMETOOLONG}
"""How opening fails for links, sockets and devices, for what was a folder a moment ago, for what may not be read."""


class OpenPath(Protocol):
    """See `Session.open_path`."""

    def __call__(self, path: str, flags: int, *, mode: int = 0, parents: bool = False) -> int:
        """Return a descriptor of *path*."""


def only_file(descriptor: int, path: str) -> int:
    """Return *descriptor*, if it is of a regular file.

    Else it is closed, and OSError raised as Python's `open` would.
    """
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return descriptor
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    raise OSError(errno.EINVAL, "not a regular file", path)


def list_folder(open_path: OpenPath, path: str) -> list[FolderEntry]:
    """See `Session.list_folder`. What is taken away meanwhile is left out."""
    folder = open_path(path, _FOLDER)
    try:
        found = []
        for name in sorted(os.listdir(folder)):
            with suppress(FileNotFoundError):
                seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
                kind, mode = file_type(seen.st_mode), stat.S_IMODE(seen.st_mode)
                found.append(FolderEntry(name, kind, mode, seen.st_size, seen.st_mtime_ns))
        return found
    finally:
        os.close(folder)


def upload(open_path: OpenPath, source: Path, path: str) -> list[str]:
    """See `Session.upload`."""
    left_out = []
    for folder, descriptor, files, others in walk(source):
        left_out += others
        os.close(open_path(f"{path}/{folder}/.", _FOLDER, parents=True))
        for name in files:
            target = f"{path}/{folder}/{name}"
            with os.fdopen(only_file(os.open(name, _READ, dir_fd=descriptor), name), "rb") as file:
                copy = open_path(target, _WRITE, mode=_mode(file.fileno()))
                with os.fdopen(only_file(copy, target), "wb") as written:
                    shutil.copyfileobj(file, written, _CHUNK)
    return sorted(left_out)


def walk(source: Path) -> Iterator[tuple[str, int, list[str], list[str]]]:
    """For each folder below *source*: its path from there, its descriptor, names of files, paths of what is neither.

    No link is followed.

    Raises:
        OSError: If *source* is no folder.
    """
    if not source.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(source))
    for found, folders, files, descriptor in os.fwalk(source, follow_symlinks=False):
        folder = found.removeprefix(str(source)).lstrip("/")
        kinds = {name: _kind(name, descriptor) for name in (*folders, *files)}
        others = [_join(folder, name) for name, kind in kinds.items() if kind not in (stat.S_IFREG, stat.S_IFDIR)]
        yield folder, descriptor, [name for name in files if kinds[name] == stat.S_IFREG], others


def download(open_path: OpenPath, path: str, target: Path, *, limit: int, files: int) -> list[str]:
    """See `Session.download`."""
    os.close(open_path(path, _FOLDER))
    target.mkdir(parents=True, exist_ok=True)
    with root_descriptor(target) as root:
        copier = _Download(open_path, path.rstrip("/"), root, limit, files)
        folders = [""]
        while folders:
            folders += copier.copy_folder(folders.pop())
    return sorted(copier.left_out)


class _Download:
    """What may still come of one download, and what was left out."""

    def __init__(self, open_path: OpenPath, path: str, root: int, limit: int, files: int) -> None:
        self.open_path, self.path, self.root = open_path, path, root
        self.room, self.entries = limit, files
        self.left_out: list[str] = []

    def copy_folder(self, folder: str) -> list[str]:
        """Copy the files of a folder; returns the folders in it."""
        if folder.count("/") >= DEPTH_LIMIT or f"{self.path}/{folder}" in _KERNELS:
            self.left_out.append(folder)
            return []
        names = self._names(folder)
        self.entries -= len(names)
        if self.entries < 0:
            raise OSError(errno.EFBIG, "too many files and folders", self.path or "/")
        make_parents(self.root, f"{folder}/.name")
        return [path for path in (_join(folder, name) for name in sorted(names)) if self._copy(path)]

    def _names(self, folder: str) -> list[str]:
        descriptor = self._open(folder, _FOLDER | (os.O_NOFOLLOW if folder else 0))
        if descriptor is None:
            return []
        try:
            return os.listdir(descriptor)
        finally:
            os.close(descriptor)

    def _open(self, path: str, flags: int) -> int | None:
        try:
            return self.open_path(f"{self.path}/{path}", flags)
        except FileNotFoundError:  # taken away since it was listed
            return None
        except OSError as error:
            if error.errno not in _OTHERS:
                raise
            self.left_out.append(path)
            return None

    def _copy(self, path: str) -> bool:
        """Copy what is at *path*, if that is a file; whether it is a folder."""
        descriptor = self._open(path, _READ)
        if descriptor is None:
            return False
        kind = stat.S_IFMT(os.fstat(descriptor).st_mode)
        try:
            if kind == stat.S_IFREG:
                self._copy_file(descriptor, path)
            elif kind != stat.S_IFDIR:
                self.left_out.append(path)
        finally:
            os.close(descriptor)
        return kind == stat.S_IFDIR

    def _copy_file(self, descriptor: int, path: str) -> None:
        copy = open_in(self.root, path, _WRITE, mode=_mode(descriptor), links=False)
        with os.fdopen(only_file(copy, path), "wb") as written:
            while block := os.read(descriptor, min(_CHUNK, self.room + 1)):
                self.room -= len(block)
                if self.room < 0:
                    raise OSError(errno.EFBIG, "more bytes than allowed", self.path or "/")
                written.write(block)


def _mode(descriptor: int) -> int:
    return 0o755 if os.fstat(descriptor).st_mode & 0o100 else 0o644


def _kind(name: str, folder: int) -> int:
    return stat.S_IFMT(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
