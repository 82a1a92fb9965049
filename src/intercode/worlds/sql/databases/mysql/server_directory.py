"""Where our own servers live: each in a folder of its own, in memory where there is room, owned by nobody else."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from secrets import token_hex

from intercode.errors import DatabaseError
from intercode_sandbox.util.child_process import ChildProcess
from intercode_sandbox.util.locks import lock, unheld

PREFIX = "intercode-mysql-"

ROOM = 1 << 30
"""Bytes that must be free in memory; else servers live on the disk of temporary files."""

IDENTITIES = (0x6FFF0000, 65534)
"""As whom servers run when we are root: an id that nobody has, or `nobody` where ids end at 65535."""

LOCK = "owner"

ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C", "TZ": "UTC"}
"""What programs in such a folder are started with."""


class ServerDirectory:
    """A fresh folder. It counts as left behind, and is removed by the next who looks, once its maker has died."""

    def __init__(self) -> None:
        self.identity = identity()
        self.folder = _place() / f"{PREFIX}{token_hex(6)}"
        try:
            self.folder.mkdir(mode=0o700)
            draft = self.folder / f"{LOCK}.new"  # whoever looks must not find the lock before it is held
            self._lock = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            lock(self._lock)
            draft.rename(self.folder / LOCK)
            if self.identity is not None:
                os.chown(self.folder, self.identity, self.identity)
        except OSError as error:
            raise DatabaseError(f"{self.folder}: {error.strerror}") from error

    @property
    def drop(self) -> list[str]:
        """Return what `setpriv` is told so that programs here have no rights but their owner's."""
        if self.identity is None:
            return []
        who = str(self.identity)
        return ["--reuid", who, "--regid", who, "--clear-groups", "--inh-caps=-all", "--bounding-set=-all"]

    def log(self, most: int = 1500) -> str:
        """See `read_log`."""
        return read_log(self.folder, most)

    def remove(self) -> None:
        """Forget the folder and what is in it."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.forget()

    def forget(self) -> None:
        """Let go of it without removing it."""
        if self._lock >= 0:
            with suppress(OSError):
                os.close(self._lock)
            self._lock = -1


def read_log(folder: Path, most: int) -> str:
    """Return the end of what the program in *folder* printed, *most* characters of it."""
    with suppress(OSError):
        return (folder / "log").read_text("utf-8", "replace")[-most:].strip()
    return ""


class DirectoryProcess(ChildProcess):
    """Runs *argv* as the owner of *directory*, and with no more rights. What it prints goes to the directory's log.

    Neither it nor the directory is left behind, however this process ends.

    Raises:
        OSError: If it cannot be started.
    """

    def __init__(self, directory: ServerDirectory, argv: Sequence[str], *, stdin: Path = Path(os.devnull)) -> None:
        self.directory = directory
        try:
            with (directory.folder / "log").open("ab") as log:
                super().__init__(
                    argv,
                    stdin=stdin,
                    stdout=log,
                    stderr=log,
                    env=ENVIRONMENT,
                    privileges=["--no-new-privs", *directory.drop],
                    cleanup=["rm", "-rf", str(directory.folder)],
                )
        except OSError:
            directory.remove()
            raise

    def close(self) -> None:
        """End it, and wait until it and its directory are gone. Closing twice is harmless."""
        super().close()
        self.directory.remove()

    def forget(self) -> None:
        """In a fork of this process: let go of it, since it belongs to the parent."""
        super().forget()
        self.directory.forget()


@cache
def identity() -> int | None:
    """As whom programs run: None for the user that we are already, and for root where no other can be had."""
    if os.geteuid() != 0:
        return None
    for number in IDENTITIES:
        who = str(number)
        argv = ["setpriv", "--reuid", who, "--regid", who, "--clear-groups", "--bounding-set=-all", "true"]
        if subprocess.run(argv, capture_output=True, check=False, start_new_session=True).returncode == 0:
            return number
    return None


def _place() -> Path:
    """Return a folder for directories of servers: memory, else temporary files; sockets need a short path."""
    memory = Path("/dev/shm")
    if os.access(memory, os.W_OK | os.X_OK):
        stat = os.statvfs(memory)
        if stat.f_bavail * stat.f_frsize >= ROOM:
            return memory
    place = Path(tempfile.gettempdir())
    return place if len(str(place)) < 60 else Path("/tmp")


_swept = threading.Event()


def sweep() -> None:
    """Remove what processes have left that were killed together with their guards; once per process."""
    if _swept.is_set():
        return
    _swept.set()
    for place in {_place(), Path("/dev/shm"), Path(tempfile.gettempdir())}:
        with suppress(OSError):
            for folder in place.glob(f"{PREFIX}*"):
                if _is_left(folder):
                    shutil.rmtree(folder, ignore_errors=True)


def _is_left(folder: Path) -> bool:
    """Return whether nobody holds its lock."""
    try:
        with unheld(folder / LOCK):
            return True
    except OSError:
        return False
