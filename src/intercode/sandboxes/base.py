"""The promise of a sandbox: WHERE commands run.

A sandbox starts sessions from an image; each session is a world of its own until it is closed. Three rules hold for
every one of them, and `intercode.testing.sandbox` checks them:

- what a command does wrong is in its `Result`; only the sandbox's own failure is an exception (`SandboxError`);
- nothing of a session lives on after `close()`, and no session sees another;
- `changes`, `read`, `write` and `snapshot` are done from outside: no program in the session can answer for them.
"""

from __future__ import annotations

import socket
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from intercode.closing import Closeable
from intercode.errors import SandboxError, SnapshotError, UserError
from intercode.sandboxes.core import folders
from intercode.sandboxes.core.naming import sandbox_name
from intercode.sandboxes.core.users import NO_USERS, Account
from intercode.sandboxes.images import Image

NO_NETWORK = "{} has no network of its own: services need the embedded or the docker sandbox"

NO_SNAPSHOTS = "{} takes no snapshots: branches and tree search need the embedded or the docker sandbox"

NO_DESCRIPTORS = "{} opens no files for this process: folders cannot be copied in or out"

GIVES_NONE = (
    "a network is wanted (network = true in task.toml, or Limits(network=True)), and {} gives none: "
    "choose the docker sandbox (--sandbox docker), or fetch what is wanted while the image is built"
)

FileType = Literal["file", "directory", "symlink", "fifo", "socket", "device"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What a session may use. Sizes in bytes, times in seconds.

    `memory` is for all processes of the session together, `disk` and `inodes` for what it writes, `output` for what
    is kept of one command's output (the rest is read and counted), `seconds` for one command. `network`: whether its
    programs reach what the machine reaches, for sandboxes with `gives_network`; what judges them never does.
    `tracing`: whether its programs may trace each other, as debuggers do (gdb, ltrace; not strace, which asks to stop
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

    def offline(self) -> Limits:
        """The same without a network: for sessions that hold what the agent must not see."""
        return replace(self, network=False)


@dataclass(frozen=True, slots=True)
class Result:
    """What one command did.

    `output` is standard output and error as they came, merged, or standard output alone when `errors` was asked for
    apart. `exit_code` is 128 + n after signal n, as in a shell. `truncated`: `output` was cut at the limit and
    `output_bytes` counts what there was. `timed_out`: it and all that it started were killed.
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
        """What a command did that could not be started: it says why, and ends as in a shell."""
        said = f"{message}\n".encode("utf-8", "surrogateescape")
        return cls(exit_code, b"", said) if separate else cls(exit_code, said, output_bytes=len(said))

    @property
    def text(self) -> str:
        """`output` as text; bytes that are not UTF-8 become U+FFFD."""
        return self.output.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing in a file system, ids as seen inside. `digest` is of a file's content, or a link's target, or empty."""

    type: FileType
    mode: int
    uid: int
    gid: int
    size: int
    mtime_ns: int
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """One path that is not as the image has it. `before` is None for what is new, `after` for what is gone.

    Paths are absolute; bytes that are not UTF-8 are kept by `surrogateescape`. A directory that is gone, or was
    replaced, is followed by every path that was below it.
    """

    path: str
    before: Entry | None
    after: Entry | None


class Snapshot(Closeable):
    """A session's file system at one moment, to branch from. Costs nothing but memory; `close` gives that back."""

    @abstractmethod
    def close(self) -> None:
        """Forget it. Sessions already started from it go on. Closing twice is harmless."""


class Session(Closeable):
    """One running world: a file system and the processes in it."""

    image: Image
    limits: Limits
    root: str = "/"
    """What programs in it call its root: something else than `/` only where there are no walls."""

    @abstractmethod
    def run(
        self,
        argv: Sequence[str],
        *,
        cwd: str = "/",
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        timeout: float | None = None,
        separate: bool = False,
        user: str | None = None,
    ) -> Result:
        """Run *argv* and wait for it. Several threads may do so at once: their commands run side by side.

        *env* is the whole environment (None: the image's). At *timeout* seconds (None: the limit of the session) it
        and everything that it started is killed: other commands that run go on. But what has left its session and
        lost its parent cannot be told from theirs, and is killed if it is younger than the command that is.
        *separate* keeps standard error apart, in `Result.errors`. *user*: as whom it runs (None: the session's root),
        a name or number with `:group` after it if wanted, looked up in the session's own /etc/passwd and /etc/group.

        A program that cannot be executed gives 127 or 126 with a message in the output, as in a shell; a *cwd* or
        *user* that does not exist gives 126, and so do arguments that are too long for the kernel: one of 128 KiB, or
        about 2 MiB of them together with the environment.

        Raises UserError for a NUL byte, arguments over 8 MiB, and another *user* where a sandbox has only one;
        SandboxGoneError when the session has died.
        """

    def account(self, user: str) -> Account | None:
        """Who *user* is in this session, by its own /etc/passwd and /etc/group; None where nobody is called so.

        Raises UserError for what cannot be a user, and where commands can only run as one.
        """
        raise UserError(NO_USERS.format(sandbox_name(self), user))

    @abstractmethod
    def open(self, argv: Sequence[str], *, cwd: str = "/", env: Mapping[str, str] | None = None) -> Process:
        """Start *argv* with pipes to its standard input and merged output and return at once (a shell that stays)."""

    def listen(self, port: int) -> socket.socket:
        """A TCP socket that listens on *port* of the session's own loopback device, for another session to `serve`.

        Its programs connect to 127.0.0.1; they see no process that listens, and cannot end one. The image must have
        python3. Raises SandboxError where it has none, the port is taken, or sessions have no network of their own.
        """
        raise SandboxError(NO_NETWORK.format(sandbox_name(self)))

    def serve(
        self, argv: Sequence[str], listener: socket.socket, *, cwd: str = "/", env: Mapping[str, str] | None = None
    ) -> Process:
        """The same as `open`, with *listener* as standard input: what the program accepts comes from its session.

        Raises SandboxError where sessions have no network of their own.
        """
        raise SandboxError(NO_NETWORK.format(sandbox_name(self)))

    @abstractmethod
    def read(self, path: str, *, limit: int = 1 << 20) -> bytes:
        """The first *limit* bytes of a regular file, links followed inside the session's root.

        Raises FileNotFoundError, IsADirectoryError, NotADirectoryError or PermissionError, as Python's `open` does,
        and OSError for what else is not a regular file.
        """

    @abstractmethod
    def write(self, path: str, data: bytes, *, mode: int = 0o644) -> None:
        """Write a file, folders above it made as needed, owned by the session's root.

        Raises OSError: IsADirectoryError, NotADirectoryError or PermissionError where those are the reason.
        """

    def open_path(self, path: str, flags: int, *, mode: int = 0, parents: bool = False) -> int:
        """A descriptor of *path*, opened with *flags* as by `os.open`, links followed inside the session's root.

        Nobody waits at a FIFO. *parents*: folders above it are made. Raises OSError, and SandboxError for a sandbox
        whose files cannot be opened from here (it has to write `upload` and `download` of its own).
        """
        raise SandboxError(NO_DESCRIPTORS.format(sandbox_name(self)))

    def upload(self, source: str | Path, path: str) -> list[str]:
        """Copy the folder *source* of this machine, with all below it, to the folder *path*; returns what was left out.

        Files keep whether they can be executed, and belong to the session's root. Left out are links, devices, FIFOs
        and sockets: none of them is followed or waited for. What was there is written over, nothing is removed.
        Raises OSError.
        """
        return folders.upload(self.open_path, Path(source), path)

    def download(self, path: str, target: str | Path, *, limit: int = 1 << 30, files: int = 1 << 16) -> list[str]:
        """Copy the folder *path*, with all below it, to the folder *target* of this machine; returns what was left out.

        *target* is made as needed. Left out are links, devices, FIFOs, sockets, what cannot be read, what lies deeper
        than 128 folders, and the kernel's own /proc, /sys and /dev: no content of the session leads out of *target*.
        Files keep whether they can be executed, and nothing else of their modes.

        Raises OSError, with EFBIG where there are more than *limit* bytes or *files* files and folders: what was
        copied by then stays.
        """
        return folders.download(self.open_path, path, Path(target), limit=limit, files=files)

    @abstractmethod
    def changes(self) -> list[Change]:
        """All that differs from the image, sorted by path. A copy identical to the image's is no change.

        A file that differs only in its time is a change, in `mtime_ns`; times of directories and links are not looked
        at. What lies deeper than 128 folders is cut: the folder there has the digest `cut`, unreadable content
        `unreadable`.
        """

    def snapshot(self) -> Snapshot:
        """Freeze the processes, copy what differs from the image, let them go on.

        Raises SnapshotError where that cannot be copied, or where the sandbox has no snapshots.
        """
        raise SnapshotError(NO_SNAPSHOTS.format(sandbox_name(self)))

    @abstractmethod
    def kill(self) -> None:
        """Kill every process in the session; the file system stays."""

    def interrupt(self) -> None:
        """Send SIGINT to what `run` and `open` have started, as Ctrl-C in a terminal does, whichever thread waits.

        Default: kill it, where no signal can be sent. Raises SandboxError where the session has ended.
        """
        self.kill()

    @abstractmethod
    def close(self) -> None:
        """End it: processes, mounts, files. Closing twice is harmless."""


class Process(Closeable):
    """A program that runs on while others do (see `Session.open`)."""

    @abstractmethod
    def send(self, data: bytes) -> None:
        """Write to its standard input; raises BrokenPipeError when it no longer reads."""

    @abstractmethod
    def receive(self, timeout: float) -> bytes:
        """What it has printed since the last call; waits up to *timeout* for the first byte. b"" at time-out or end."""

    @abstractmethod
    def signal(self, number: int) -> None:
        """Send a signal to its process group."""

    @property
    @abstractmethod
    def exit_code(self) -> int | None:
        """None while it runs."""

    @abstractmethod
    def close(self) -> None:
        """Kill it and what it started."""


class Sandbox(Closeable):
    """A way to run code. Making one is cheap and starts nothing; safe to use from several threads."""

    isolated: bool = True
    """Whether hostile code is held. `local` says False and must be asked for by name."""

    gives_network: bool = False
    """Whether sessions with `Limits.network` have one; all others have none, but for those of `local`."""

    @property
    def label(self) -> str:
        """Sandboxes of one label show the same image alike: what is kept about golds is kept for each label."""
        return type(self).__name__

    def check(self, limits: Limits | None) -> None:
        """Raises UserError for a network that this sandbox does not give."""
        if limits is not None and limits.network and not self.gives_network:
            raise UserError(GIVES_NONE.format(sandbox_name(self)))

    @abstractmethod
    def start(
        self,
        image: Image,
        *,
        snapshot: Snapshot | None = None,
        started_at: float | None = None,
        limits: Limits | None = None,
        shuffle: int = 0,
    ) -> Session:
        """A fresh session of *image*, or one that goes on from *snapshot* (of a session of the same image).

        *started_at* (seconds since the epoch; None: now) is the time that the image's files without a time of their
        own get. *shuffle*: not 0, it seeds an order in which directories of the image's own layers (all but the lowest)
        are read, unlike the usual one; everything else stays equal. Raises SandboxError or ImageError, and then leaves
        nothing behind; UserError for limits that it cannot give (see `check`).
        """

    @abstractmethod
    def close(self) -> None:
        """End every session and whatever is kept ready. Closing twice is harmless."""
