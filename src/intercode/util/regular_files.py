"""The one way in which files are opened that somebody else may have written: runs, logs, data, settings.

Such a file may be a named pipe, which blocks who opens it for ever, a device without an end, a link to a file of the
user's own, or a few bytes on disk that read as terabytes. So what is opened is a regular file, opening waits for
nothing, and there is a limit on what is read at once. What is wrong is an OSError, whose `strerror` says it in words.
"""

from __future__ import annotations

import errno
import gzip
import io
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from os.path import realpath  # unlike Path's, it stands links in a circle
from pathlib import Path
from typing import BinaryIO

LARGEST = 64 << 20
"""Bytes of a file that is read whole, unless told: manifests, notes, settings, prompts."""

LARGEST_DATA = 2 << 30
"""Bytes of a file of data, which may well be large."""

LONGEST_LINE = 256 << 20
"""Bytes of a line. An episode whose every action filled its output has fewer."""

KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder",
    stat.S_IFLNK: "a link",
}

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)


def open_regular(path: Path, *, within: Path | None = None) -> BinaryIO:
    """Open the regular file at *path* for reading.

    Args:
        path: The file.
        within: The folder that it must lie in once links are followed; None: anywhere.

    Raises:
        OSError: If it is not there, no regular file, a link that leads out of *within*, or cannot be opened.
    """
    check_within(path, within)
    _check_regular(os.stat(path), path)  # first, as merely opening a device may do something
    descriptor = os.open(path, _FLAGS)
    try:
        _check_regular(os.fstat(descriptor), path)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def open_to_append(path: Path) -> int:
    """Open the regular file at *path* for reading and for writing at its end; it is made if it is not there.

    A link is not followed: in a folder of somebody else's it would lead to a file of the user's own.

    Raises:
        OSError: If it is a link or no regular file, or cannot be opened.
    """
    with suppress(FileNotFoundError):
        _check_regular(os.lstat(path), path)
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | _FLAGS  # reading is 0 among flags
    descriptor = os.open(path, flags, 0o644)
    try:
        _check_regular(os.fstat(descriptor), path)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def read_bytes(path: Path, *, within: Path | None = None, most: int = LARGEST) -> bytes:
    """Return what is in the regular file at *path*, of *most* bytes.

    Raises:
        OSError: As `open_regular` does, and if there is more in it.
    """
    with open_regular(path, within=within) as file:
        size = os.fstat(file.fileno()).st_size
        data = file.read(size + 1) if size <= most else b""  # to ask for *most* would take as much memory
        if len(data) > size:  # it grew, or is one of the kernel's, whose size is 0
            data += file.read(most + 1 - len(data))
    if max(size, len(data)) > most:
        raise OSError(errno.EFBIG, f"it has {_in_words(size)}, and {_in_words(most)} are read at most", str(path))
    return data


def unzip(data: bytes, path: Path, *, most: int = LARGEST_DATA) -> bytes:
    """Return *data*, what is in the file at *path*, as it is or, where it is gzip's, unpacked: *most* bytes.

    Raises:
        OSError: If it is broken, or becomes more than that.
        EOFError: If its end is missing.
        zlib.error: If it is broken.
    """
    if data[:2] != b"\x1f\x8b":
        return data
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
        unpacked = file.read(most + 1)
    if len(unpacked) > most:
        raise OSError(errno.EFBIG, f"unpacked it has over {_in_words(most)}", str(path))
    return unpacked


def read_text(path: Path, *, within: Path | None = None, most: int = LARGEST) -> str:
    """Return the text in the regular file at *path*, which is UTF-8 and may begin with a byte order mark.

    Raises:
        OSError: As `read_bytes` does.
        UnicodeDecodeError: If it is not UTF-8.
    """
    return read_bytes(path, within=within, most=most).decode("utf-8-sig")


def read_lines(path: Path, *, within: Path | None = None, longest: int = LONGEST_LINE) -> Iterator[bytes]:
    """Read the regular file at *path* line by line, each with its line break; the last one may have none.

    Raises:
        OSError: As `open_regular` does, and for a line of more than *longest* bytes.
    """
    with open_regular(path, within=within) as file:
        number = 0
        while line := file.readline(longest + 1):
            number += 1
            if len(line) > longest:
                raise OSError(errno.EFBIG, f"line {number} has over {_in_words(longest)}", str(path))
            yield line


def check_within(path: Path, folder: Path | None) -> None:
    """Check that *path*, once links are followed, lies in *folder*; None is anywhere.

    Raises:
        OSError: If it does not.
    """
    if folder is not None and not Path(realpath(path)).is_relative_to(realpath(folder)):
        raise OSError(errno.ELOOP, f"a link leads out of {folder}, to {realpath(path)}", str(path))


def _check_regular(status: os.stat_result, path: Path) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = KINDS.get(stat.S_IFMT(status.st_mode), "something else")
        raise OSError(errno.EINVAL, f"it is {kind}, not a regular file", str(path))


def _in_words(size: int) -> str:
    return next(
        f"{size / unit:.1f} {name}" if size % unit else f"{size // unit} {name}"
        for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1, "bytes"))
        if size >= unit or unit == 1
    )
