"""Commands run on this machine, unguarded. For trying things out where nothing better can be had.

It does NOT guard: the file system (an absolute path is this machine's own), the network, other processes, users,
memory, the number of processes, disk space. Only time and output are limited. A session is a temporary folder with
the image's upper layers in it; commands start there, and only what is below it is seen by `changes`, `read`, `write`
and `snapshot`. The lowest layer of an image is not used: the machine's own programs stand in for it. What a command
leaves running is found again by a descriptor that it inherited (see `plain/leash.py`): a program that closes all of
its descriptors outlives the session.
"""

from __future__ import annotations

import itertools
import os
import signal
import stat
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from secrets import token_hex
from weakref import finalize

from intercode.errors import SandboxError, SandboxGone, SessionLostError, SnapshotError, Unsafe
from intercode.sandboxes.base import Change, Entry, Limits, Result, Sandbox, Session, Snapshot
from intercode.sandboxes.images import Image
from intercode.sandboxes.plain import arguments, leash, tree
from intercode.sandboxes.plain.process import PlainProcess, failure
from intercode.sandboxes.plain.workshop import new_folder, set_times, unpack_upper

UNSAFE = (
    "the local sandbox guards nothing: commands run on this machine as you. "
    "Say --i-know-this-is-unsafe (in Python: LocalSandbox(i_know_this_is_unsafe=True)) if that is what you want, "
    "or use the embedded sandbox"
)

ONLY_FILES = os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
"""How files are opened: never waiting for the other end of a FIFO, never through a link put there meanwhile."""


class LocalSandbox(Sandbox):
    """Runs code unguarded (see the top of this file); raises Unsafe unless told that this is known."""

    isolated = False
    gives_network = True

    def __init__(self, *, i_know_this_is_unsafe: bool = False) -> None:
        if not i_know_this_is_unsafe:
            raise Unsafe(UNSAFE)
        self._lock = threading.Lock()
        self._unpacked: dict[str, Path] = {}
        self._sessions: set[LocalSession] = set()

    def start(
        self,
        image: Image,
        *,
        snapshot: Snapshot | None = None,
        started_at: float | None = None,
        limits: Limits | None = None,
        shuffle: int = 0,
    ) -> LocalSession:
        """See `Sandbox.start`: a folder filled from the image's layers but the lowest, or from *snapshot*.

        *shuffle* only has an effect where temporary folders are on a tmpfs: elsewhere order does not follow age.
        """
        if snapshot is not None:
            _check(snapshot, image)
        unpacked = self._unpack(image)
        session = self.make_session(image, limits or Limits())
        self._sessions.add(session)
        session.fill(unpacked, time.time() if started_at is None else started_at)
        if isinstance(snapshot, LocalSnapshot):
            session.restore(snapshot)
        if shuffle:
            tree.shuffle(session.folder, shuffle)
        return session

    def make_session(self, image: Image, limits: Limits) -> LocalSession:
        """A session whose folder is still empty."""
        return LocalSession(image, limits, self._sessions.discard)

    def _unpack(self, image: Image) -> Path:
        with self._lock:
            if image.digest not in self._unpacked:
                self._unpacked[image.digest] = unpack_upper(image.layers)
            return self._unpacked[image.digest]

    def close(self) -> None:
        """See `Sandbox.close`."""
        for session in list(self._sessions):
            session.close()
        while self._unpacked:
            tree.remove(self._unpacked.popitem()[1])


class LocalSession(Session):
    """A temporary folder and what runs in it."""

    def __init__(self, image: Image, limits: Limits, forget: Forget) -> None:
        self.image, self.limits, self.folder = image, limits, new_folder()
        self.root = str(self.folder)
        self._remove = finalize(self, tree.remove, self.folder)
        self._forget = forget
        self._before: Mapping[str, Entry] = {}
        self._name = f"intercode-{token_hex(8)}"
        self._numbers = itertools.count()
        self._opened: list[PlainProcess] = []
        self._open = True

    def fill(self, source: Path, now: float) -> None:
        """Begin with what is in *source*; files without a time of their own get *now*."""
        tree.copy(source, self.folder)
        set_times(self.folder, now)
        self._before = tree.scan(self.folder)

    def restore(self, snapshot: LocalSnapshot) -> None:
        """Make the folder what it was when *snapshot* was taken; times of fresh files are those of then."""
        self._before = snapshot.before
        tree.remove(self.folder)
        self.folder.mkdir(mode=0o755)
        tree.copy(snapshot.folder, self.folder)

    def run(
        self,
        argv: Sequence[str],
        *,
        cwd: str = "/",
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        timeout: float | None = None,
        separate: bool = False,
    ) -> Result:
        """See `Session.run`."""
        started = self._start(argv, cwd, env, separate)
        if isinstance(started, Result):
            return started
        seconds = self.limits.seconds if timeout is None else timeout
        return started.finish(stdin, seconds=seconds, limit=self.limits.output)

    def open(self, argv: Sequence[str], *, cwd: str = "/", env: Mapping[str, str] | None = None) -> PlainProcess:
        """See `Session.open`; what cannot be executed is a process that says so and ends with 127 or 126."""
        started = self._start(argv, cwd, env, separate=False)
        if isinstance(started, Result):
            script = ["/bin/sh", "-c", 'printf %s "$1"; exit "$2"', "sh", started.text, str(started.exit_code)]
            started = PlainProcess.start(script, name=f"{self._name}-none-", cwd=self.folder, env={})
        self._opened.append(started)
        return started

    def _start(
        self, argv: Sequence[str], cwd: str, env: Mapping[str, str] | None, separate: bool
    ) -> PlainProcess | Result:
        self._check_open()
        variables = self.image.env if env is None else env
        arguments.check(argv, variables, cwd)
        folder = tree.inside(self.folder, cwd)
        if not folder.is_dir():
            return failure(126, f"cannot start in {cwd}: No such file or directory")
        name = f"{self._name}-{next(self._numbers)}-"
        try:
            return PlainProcess.start(argv, name=name, cwd=folder, env=variables, separate=separate)
        except FileNotFoundError:
            return failure(127, f"{argv[0]}: No such file or directory")
        except OSError as error:
            return failure(126, f"{argv[0]}: {error.strerror}")

    def read(self, path: str, *, limit: int = 1 << 20) -> bytes:
        """See `Session.read`."""
        self._check_open()
        descriptor = os.open(tree.inside(self.folder, path), os.O_RDONLY | ONLY_FILES)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(f"{path} is not a regular file")
            return file.read(limit)

    def write(self, path: str, data: bytes, *, mode: int = 0o644) -> None:
        """See `Session.write`."""
        self._check_open()
        target = tree.inside(self.folder, path)
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | ONLY_FILES, mode)
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(descriptor, mode)
            file.write(data)

    def changes(self) -> list[Change]:
        """See `Session.changes`."""
        self._check_open()
        try:
            return tree.compare(self._before, tree.scan(self.folder))
        except OSError as error:
            raise SessionLostError(f"what this session has changed cannot be read: {error}") from error

    def snapshot(self) -> LocalSnapshot:
        """See `Session.snapshot`."""
        self._check_open()
        copy = LocalSnapshot(new_folder(), self._before, self.image)
        frozen = leash.holders(self._name)
        leash.send(frozen, signal.SIGSTOP)
        try:
            tree.copy(self.folder, copy.folder)
        except SandboxError as error:
            copy.close()
            raise SnapshotError(f"this session cannot be kept as it is: {error}") from error
        finally:
            leash.send(frozen, signal.SIGCONT)
        return copy

    def kill(self) -> None:
        """See `Session.kill`."""
        leash.kill(self._name)

    def close(self) -> None:
        """See `Session.close`."""
        self._open = False
        self._forget(self)
        self.kill()
        for process in self._opened:
            process.close()
        self._remove()

    def _check_open(self) -> None:
        if not self._open:
            raise SandboxGone("this session is closed: start another")


class LocalSnapshot(Snapshot):
    """A copy of a session's folder, and what that was *before* anything happened in it."""

    def __init__(self, folder: Path, before: Mapping[str, Entry], image: Image) -> None:
        self.folder, self.before, self.image = folder, before, image
        self._remove = finalize(self, tree.remove, folder)

    @property
    def closed(self) -> bool:
        """Whether it is forgotten."""
        return not self._remove.alive

    def close(self) -> None:
        """See `Snapshot.close`."""
        self._remove()


def _check(snapshot: Snapshot, image: Image) -> None:
    if not isinstance(snapshot, LocalSnapshot) or snapshot.closed:
        raise SandboxError("this snapshot is closed, or another sandbox made it")
    if snapshot.image.digest != image.digest:
        raise SandboxError(f"the snapshot is of image {snapshot.image.name!r}, not of {image.name!r}")


Forget = Callable[[LocalSession], None]
"""What a session calls when it is closed."""
