"""The promise of a session, and of the processes and snapshots that it gives (see `intercode.sandboxes.base`)."""

from __future__ import annotations

import socket
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path

from intercode.closing import Closeable
from intercode.errors import SandboxError, SnapshotError, UserError
from intercode.sandboxes.core import folders
from intercode.sandboxes.core.naming import sandbox_name
from intercode.sandboxes.core.users import NO_USERS, Account
from intercode.sandboxes.core.values import Change, Limits, Result
from intercode.sandboxes.images import Image

NO_NETWORK = "{} has no network of its own: services need the embedded or the docker sandbox"

NO_SNAPSHOTS = "{} takes no snapshots: branches and tree search need the embedded or the docker sandbox"

NO_DESCRIPTORS = "{} opens no files for this process: folders cannot be copied in or out"


class Snapshot(Closeable):
    """A session's file system at one moment, to branch from. It costs only memory, which `close` frees."""

    @abstractmethod
    def close(self) -> None:
        """Forget it. Sessions that were started from it go on. Closing twice is harmless."""


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
        """Run a command and wait for it. Several threads may do so at once: their commands run side by side.

        A program that cannot be executed gives 127 or 126 with a message in the output, as in a shell. A *cwd* or
        *user* that does not exist gives 126, and so do arguments that are too long for the kernel: one of 128 KiB, or
        about 2 MiB of them together with the environment.

        At the time limit the command and everything that it started is killed, while other commands go on. A process
        that has left its session and lost its parent cannot be told from theirs: it is killed if it is younger than the
        command.

        Args:
            argv: The command with its arguments.
            cwd: Where it starts.
            env: Its whole environment. None: the image's.
            stdin: What it reads.
            timeout: Seconds until it is killed. None: the session's limit.
            separate: Whether standard error is kept apart, in `Result.errors`.
            user: Who runs it: a name or number, with `:group` after it if you like, as in the session's own /etc/passwd
                and /etc/group. None: the session's root.

        Raises:
            UserError: If there is a NUL byte, arguments have over 8 MiB, or the sandbox has only one user and *user* is
                another.
            SandboxGoneError: If the session has died.
        """

    def account(self, user: str) -> Account | None:
        """Look *user* up in the session's own /etc/passwd and /etc/group.

        Returns:
            None if there is no such user.

        Raises:
            UserError: If *user* cannot be a name of a user, or commands can only run as one user.
        """
        raise UserError(NO_USERS.format(sandbox_name(self), user))

    @abstractmethod
    def open(self, argv: Sequence[str], *, cwd: str = "/", env: Mapping[str, str] | None = None) -> Process:
        """Start a command that stays, such as a shell, and return at once. Pipes lead to its input and output."""

    def listen(self, port: int) -> socket.socket:
        """A TCP socket that listens on the session's own loopback device, for another session to `serve`.

        The session's programs connect to 127.0.0.1; they see no process that listens, and cannot end one. The image
        must have python3.

        Args:
            port: The port.

        Raises:
            SandboxError: If there is no python3, the port is taken, or sessions have no network of their own.
        """
        raise SandboxError(NO_NETWORK.format(sandbox_name(self)))

    def serve(
        self, argv: Sequence[str], listener: socket.socket, *, cwd: str = "/", env: Mapping[str, str] | None = None
    ) -> Process:
        """Start a command as `open` does, with *listener* as its standard input.

        The connections that it accepts come from the session that the listener belongs to.

        Raises:
            SandboxError: If sessions have no network of their own.
        """
        raise SandboxError(NO_NETWORK.format(sandbox_name(self)))

    @abstractmethod
    def read(self, path: str, *, limit: int = 1 << 20) -> bytes:
        """Read a regular file, links followed inside the session's root.

        Args:
            path: The file.
            limit: How many bytes to read, from the beginning.

        Raises:
            OSError: If it cannot be read, as by Python's `open`: FileNotFoundError, IsADirectoryError,
                NotADirectoryError or PermissionError where those are the reason. Also for what is not a regular file.
        """

    @abstractmethod
    def write(self, path: str, data: bytes, *, mode: int = 0o644) -> None:
        """Write a file, owned by the session's root. Folders above it are made as needed.

        Raises:
            OSError: If it cannot be written: IsADirectoryError, NotADirectoryError or PermissionError where those are
                the reason.
        """

    def open_path(self, path: str, flags: int, *, mode: int = 0, parents: bool = False) -> int:
        """Open a path for the host, links followed inside the session's root. A FIFO is not waited for.

        Args:
            path: The path in the session.
            flags: As `os.open` takes them.
            mode: The permission bits of a new file.
            parents: Whether folders above it are made.

        Returns:
            A file descriptor.

        Raises:
            OSError: If it cannot be opened.
            SandboxError: If the sandbox's files cannot be opened from here. Such a sandbox overrides `upload` and
                `download`.
        """
        raise SandboxError(NO_DESCRIPTORS.format(sandbox_name(self)))

    def upload(self, source: str | Path, path: str) -> list[str]:
        """Copy a folder of this machine, with all below it, into the session.

        Files keep whether they can be executed, and belong to the session's root. Links, devices, FIFOs and sockets are
        left out: none of them is followed or waited for. Existing files are written over, and nothing is removed.

        Args:
            source: The folder on this machine.
            path: The folder in the session.

        Returns:
            What was left out.

        Raises:
            OSError: If something cannot be read or written.
        """
        return folders.upload(self.open_path, Path(source), path)

    def download(self, path: str, target: str | Path, *, limit: int = 1 << 30, files: int = 1 << 16) -> list[str]:
        """Copy a folder of the session, with all below it, to this machine.

        Left out are links, devices, FIFOs, sockets, what cannot be read, what lies deeper than 128 folders, and the
        kernel's own /proc, /sys and /dev: no content of the session leads out of *target*. Files keep whether they can
        be executed, and nothing else of their modes.

        Args:
            path: The folder in the session.
            target: The folder on this machine, which is made as needed.
            limit: The most bytes.
            files: The most files and folders.

        Returns:
            What was left out.

        Raises:
            OSError: If something cannot be written; with EFBIG if there is more than *limit* or *files*. What was
                copied by then stays.
        """
        return folders.download(self.open_path, path, Path(target), limit=limit, files=files)

    @abstractmethod
    def changes(self) -> list[Change]:
        """All that differs from the image, sorted by path. A copy identical to the image's is no change.

        A file that differs only in its time is a change, in `mtime_ns`; times of directories and links are not
        compared. What lies deeper than 128 folders is cut: the folder there has the digest `cut`. Content that cannot
        be read has the digest `unreadable`.
        """

    def is_pristine(self) -> bool:
        """Whether what runs next finds the session as the first command found it.

        That is so if no process is left, no file was changed, not even for a while, nothing lies in memory that is
        shared, and nothing was sent over the network. The numbers that the kernel gives to processes and to objects of
        System V go on all the same. False also where the sandbox cannot tell. Default: it cannot.
        """
        return False

    def snapshot(self) -> Snapshot:
        """Stop the processes, copy what differs from the image, and let them go on.

        Raises:
            SnapshotError: If that cannot be copied, or the sandbox has no snapshots.
        """
        raise SnapshotError(NO_SNAPSHOTS.format(sandbox_name(self)))

    @abstractmethod
    def kill(self) -> None:
        """Kill every process in the session; the file system stays."""

    def interrupt(self) -> None:
        """Send SIGINT to what `run` and `open` have started, as Ctrl-C in a terminal does, whichever thread waits.

        Default, for sandboxes that can send no signal: `kill`.

        Raises:
            SandboxError: If the session has ended.
        """
        self.kill()

    @abstractmethod
    def close(self) -> None:
        """End it: processes, mounts, files. Closing twice is harmless."""


class Process(Closeable):
    """A program that runs on while others do (see `Session.open`)."""

    @abstractmethod
    def send(self, data: bytes) -> None:
        """Write to its standard input.

        Raises:
            BrokenPipeError: If it no longer reads.
        """

    @abstractmethod
    def receive(self, timeout: float) -> bytes:
        """What it has printed since the last call; b"" at its end, or if nothing comes.

        Args:
            timeout: Seconds to wait for the first byte.
        """

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
