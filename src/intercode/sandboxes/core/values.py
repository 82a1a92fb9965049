"""What sessions may use, and what they say: limits, results of commands, and changes of files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

FileType = Literal["file", "directory", "symlink", "fifo", "socket", "device"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What a session may use.

    Attributes:
        seconds: The longest time of one command.
        memory: Bytes, for all processes of the session together.
        processes: The most processes at a time.
        disk: Bytes that the session may write.
        inodes: Files and folders that the session may create.
        output: Bytes that are kept of one command's output; the rest is read and counted.
        network: Whether its programs reach what the machine reaches, in sandboxes with `gives_network`. Sessions that
            judge never do.
        tracing: Whether its programs may trace each other, as debuggers do (gdb, ltrace; not strace, which asks to stop
            programs that are ending).
    """

    seconds: float = 10.0
    memory: int = 1 << 30
    processes: int = 256
    disk: int = 256 << 20
    inodes: int = 65536
    output: int = 1 << 20
    network: bool = False
    tracing: bool = False

    def __hash__(self) -> int:
        """Of few of them: limits are keys wherever sessions start, and most are alike."""
        return hash((self.seconds, self.memory, self.disk))

    def offline(self) -> Limits:
        """The same limits without a network: for sessions that hold what the agent must not see."""
        return replace(self, network=False)


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
    """

    exit_code: int
    output: bytes
    errors: bytes = b""
    timed_out: bool = False
    truncated: bool = False
    seconds: float = 0.0
    output_bytes: int = 0

    @classmethod
    def refused(cls, exit_code: int, message: str, *, separate: bool = False) -> Result:
        """The result of a command that could not be started: it says why, and has the exit status of a shell."""
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
