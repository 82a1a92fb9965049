"""The promise of a session, and of the processes and snapshots that it gives (see `intercode_sandbox.sandbox`)."""

from __future__ import annotations

import socket
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from intercode_sandbox.deadline import PATIENCE, Deadline
from intercode_sandbox.errors import SandboxError, SnapshotError, UserError
from intercode_sandbox.images import Image
from intercode_sandbox.limits import Limits
from intercode_sandbox.network.usage import NetworkUsage
from intercode_sandbox.results import Change, FolderEntry, Result
from intercode_sandbox.users import NO_USERS, Account
from intercode_sandbox.util import folders
from intercode_sandbox.util.closing import Closeable
from intercode_sandbox.util.naming import sandbox_name

NO_NETWORK = "{} has no network of its own: services need the embedded or the docker sandbox, on Linux"

NO_SNAPSHOTS = "{} takes no snapshots: branches and tree search need the embedded or the docker sandbox, on Linux"

NO_TERMINAL = "{} gives no terminal: a persistent shell needs the embedded or the docker sandbox, on Linux"

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

    env: Mapping[str, str] | None = None
    """The environment of commands that are given none (see `configure`). None: the image's."""

    user: str | None = None
    """Who runs commands and processes that name nobody (see `configure`). None: the session's root."""

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
        on_output: Callable[[bytes], None] | None = None,
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
            env: Its whole environment. None: the session's.
            stdin: What it reads.
            timeout: Seconds until it is killed. None: the session's limit.
            separate: Whether standard error is kept apart, in `Result.errors`.
            user: Who runs it: a name or number, with `:group` after it if you like, as in the session's own /etc/passwd
                and /etc/group. None: the session's own.
            on_output: Called with each piece of what goes to `Result.output`, as soon as it is read, and with what is
                beyond the limit too. If it raises, the command is killed and the error raised here.

        Raises:
            UserError: If there is a NUL byte, arguments have over 8 MiB, or the sandbox has only one user and *user* is
                another.
            SandboxGoneError: If the session has died.
        """

    def configure(self, *, env: Mapping[str, str] | None = None, user: str | None = None) -> None:
        """Set the environment and the user of commands and processes that are given none.

        Args:
            env: The whole environment. None: the image's.
            user: As `run` takes it. None: the session's root.
        """
        self.env, self.user = env, user

    def environment(self, env: Mapping[str, str] | None) -> Mapping[str, str]:
        """Return *env*, or what stands for it where it is None."""
        given = self.env if env is None else env
        return self.image.env if given is None else given

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

    def open_terminal(
        self, argv: Sequence[str], *, cwd: str = "/", env: Mapping[str, str] | None = None
    ) -> TerminalProcess:
        """Start a program that edits lines, such as an interactive Bash, as `open` does; its input is a terminal.

        It, and none of the programs that it starts, gets what is typed: for those the input is at its end. What they
        print goes through a pipe, so that they print as to a file.

        Raises:
            UserError: If the sandbox has no terminals.
        """
        raise UserError(NO_TERMINAL.format(sandbox_name(self)))

    def listen(self, port: int) -> socket.socket:
        """Return a TCP socket that listens on the session's own loopback device, for another session to `serve`.

        The session's programs connect to 127.0.0.1; they see no process that listens, and cannot end one.

        Args:
            port: The port.

        Raises:
            SandboxError: If the port is taken, or sessions have no network of their own.
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

    def connect(self, port: int, *, timeout: float = 10.0) -> socket.socket:
        """Return a TCP socket that is connected to what listens on *port* of the session's own loopback device.

        Who answers is a program of the session, and nothing that it sends is to be trusted.

        Raises:
            OSError: If nobody listens there, or accepts within *timeout* seconds.
            SandboxError: If sessions have no network of their own.
        """
        raise SandboxError(NO_NETWORK.format(sandbox_name(self)))

    def network_usage(self) -> NetworkUsage | None:
        """Return what has gone through the session's network so far; None where it has none.

        Raises:
            SandboxError: If the network has ended before the session.
        """
        return None

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

    def list_folder(self, path: str) -> list[FolderEntry]:
        """Return what lies in a folder, sorted by name. Links are followed to the folder, and not in it.

        Raises:
            OSError: If it cannot be read, as by Python's `os.listdir`.
        """
        return folders.list_folder(self.open_path, path)

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
        """Return all that differs from the image, sorted by path. A copy identical to the image's is no change.

        A file that differs only in its time is a change, in `mtime_ns`; times of directories and links are not
        compared. What lies deeper than 128 folders is cut: the folder there has the digest `cut`. Content that cannot
        be read has the digest `unreadable`.
        """

    def is_pristine(self) -> bool:
        """Return whether what runs next finds the session as the first command found it.

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

    def deadline(self, seconds: float, *, judging: bool = False) -> Deadline:
        """Return the end of what may take so many *seconds* in this session.

        Agents have them by the clock. Who judges (*judging*, or `Limits.judging`) has them of time that other sessions
        cannot slow. Default, for sandboxes that cannot tell: `PATIENCE` times as many by the clock.
        """
        return Deadline(seconds * PATIENCE if judging or self.limits.judging else seconds)

    def frozen(self) -> AbstractContextManager[None]:
        """Stop every process of the session for the length of a `with` block, so that nothing changes meanwhile.

        Commands that `run` starts in the block run. Default, for sandboxes that cannot: nothing is stopped.

        Raises:
            SandboxGoneError: If they cannot be stopped, or the session has died.
        """
        return nullcontext()

    def is_quiet(self) -> bool:
        """Return whether no process is left of what ran in it, as far as that is known. Default: it is not."""
        return False

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
        """Return what it has printed since the last call; b"" at its end, or if nothing comes.

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


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is seen from outside of a shell that waits to be typed to.

    Attributes:
        cwd: Where it is, without links; "" where that is outside of the session.
        status: The exit status that it last said, once, if it was set up to. None: nothing.
        processes: How many processes there are in its session.
        is_idle: Whether it sleeps; else it may be about to take what was typed.
    """

    cwd: str
    status: int | None
    processes: int
    is_idle: bool = True


class TerminalProcess(Process):
    """A program on a terminal (see `Session.open_terminal`). `send` types, `signal` reaches what has the terminal."""

    @abstractmethod
    def prompt(self) -> Prompt | None:
        """Look whether it waits to be typed to. None: it does not, or has ended."""

    @property
    @abstractmethod
    def is_left(self) -> bool:
        """Return whether no program has the terminal any more, as far as `receive` has seen."""
