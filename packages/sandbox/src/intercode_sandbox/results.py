"""What sessions say: results of commands, entries of a file system, and changes of files."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from typing import Literal

FileType = Literal["file", "directory", "symlink", "fifo", "socket", "device"]

_TYPES: dict[int, FileType] = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "directory",
    stat.S_IFLNK: "symlink",
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
}


def file_type(mode: int) -> FileType:
    """Return what has this `st_mode`."""
    return _TYPES.get(stat.S_IFMT(mode), "device")


@dataclass(frozen=True, slots=True)
class Result:
    """What one command did.

    Attributes:
        exit_code: Its exit status; 128 + n after signal n, as in a shell.
        output: Standard output and error in the order in which they came, or standard output alone where `errors` is
            separate.
        errors: Standard error, where it was asked for separately.
        timed_out: Whether it, and all that it started, was killed at its time limit.
        truncated: Whether `output` was cut at the limit.
        seconds: How long it took.
        output_bytes: How many bytes it printed, whether they are in `output` or not.
        cwd: The folder in which its first process ended, without links, as seen from outside; "" where nobody can tell.
        cpu_seconds: What it, and the children that it waited for, had of processors; None where nobody can tell.
        peak_memory: The most bytes that one of those processes had in memory; None where nobody can tell.
    """

    exit_code: int
    output: bytes
    errors: bytes = b""
    timed_out: bool = False
    truncated: bool = False
    seconds: float = 0.0
    output_bytes: int = 0
    cwd: str = ""
    cpu_seconds: float | None = None
    peak_memory: int | None = None

    @classmethod
    def refused(cls, exit_code: int, message: str, *, separate: bool = False) -> Result:
        """Return the result of a command that could not be started: it says why, and has the exit status of a shell."""
        said = f"{message}\n".encode("utf-8", "surrogateescape")
        return cls(exit_code, b"", said) if separate else cls(exit_code, said, output_bytes=len(said))

    @property
    def text(self) -> str:
        """`output` as text; bytes that are not UTF-8 become U+FFFD."""
        return self.output.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing in a file system.

    Attributes:
        type: What it is.
        mode: Its permission bits.
        uid: The owner's number, as seen inside.
        gid: The group's number, as seen inside.
        size: Bytes.
        mtime_ns: When it was last modified, in nanoseconds since 1970.
        digest: Of a file's content, or a link's target; "" for all others.
    """

    type: FileType
    mode: int
    uid: int
    gid: int
    size: int
    mtime_ns: int
    digest: str = ""


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """One thing in a folder.

    Attributes:
        name: What it is called there. Bytes that are not UTF-8 are kept by `surrogateescape`.
        type: What it is.
        mode: Its permission bits.
        size: Bytes.
        mtime_ns: When it was last modified, in nanoseconds since 1970.
    """

    name: str
    type: FileType
    mode: int
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Change:
    """One path that is not as the image has it.

    A directory that is gone, or was replaced, is followed by every path that was below it.

    Attributes:
        path: Absolute. Bytes that are not UTF-8 are kept by `surrogateescape`.
        before: None for what is new.
        after: None for what is gone.
    """

    path: str
    before: Entry | None
    after: Entry | None
