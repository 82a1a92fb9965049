"""Worker processes on this machine: fresh interpreters, each at the other end of a socket that nobody else has."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from uuid import uuid4

from intercode.runs.processes import worker as worker_side
from intercode.runs.processes.messages import MessageChannel
from intercode.runs.processes.worker import Start
from intercode_sandbox.util import paths
from intercode_sandbox.util.locks import locked

_FOLDERS = "shared"
_LOCK = ".lock"


class LocalLauncher:
    """See `Launcher`: what its processes know in common is in a folder that only their user may read.

    *share* tells them, by what it writes there, what of this process they may use.
    """

    def __init__(self, share: Callable[[Path], None] = lambda folder: None) -> None:
        with ExitStack() as life:
            self._folder = life.enter_context(_shared_folder())
            share(self._folder)
            self._life = life.pop_all()

    def launch(self, start: Start, is_wanted: Callable[[], bool], *, is_replay: bool) -> LocalProcess:
        """See `Launcher.launch`. Here they begin at once, so nobody waits in vain."""
        return LocalProcess(start, self._folder)

    def close(self) -> None:
        """Remove what the processes shared. Closing twice is harmless."""
        self._life.close()


class LocalProcess:
    """See `WorkerProcess`."""

    def __init__(self, start: Start, folder: Path) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = _launch(theirs.fileno(), folder)
        self.channel: MessageChannel = Connection(ours.detach())
        with suppress(OSError):  # it has died: whoever listens finds out
            self.channel.send_bytes(pickle.dumps(start))

    def wait(self, seconds: float) -> bool:
        """See `WorkerProcess.wait`."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        return self._process.returncode == 0

    @property
    def is_running(self) -> bool:
        """See `WorkerProcess.is_running`."""
        return self._process.poll() is None

    @property
    def end(self) -> str:
        """See `WorkerProcess.end`."""
        code = self._process.poll()
        if code is None or code >= 0:
            return f"with status {code}"
        return f"killed by {signal.Signals(-code).name}"

    def kill(self) -> None:
        """See `WorkerProcess.kill`."""
        self._process.kill()
        self._process.wait()


def _launch(descriptor: int, folder: Path) -> subprocess.Popen[bytes]:
    """Return a fresh interpreter, with the same modules to import.

    A fork would have copies of our locks and threads.
    """
    code = f"import sys; sys.path[:] = {sys.path!r}; from {worker_side.__name__} import main; main({descriptor})"
    env = {"OPENBLAS_NUM_THREADS": "1", **os.environ, paths.SHARED: str(folder)}
    return subprocess.Popen(
        [sys.executable, "-P", "-c", code],
        pass_fds=[descriptor],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env=env,
        start_new_session=True,  # a Ctrl-C at our terminal is meant for us: we tell them
    )


@contextmanager
def _shared_folder() -> Iterator[Path]:
    """Provide a folder that nobody else may read, for what this run's processes know in common.

    Killed runs' are removed.

    A lock tells which run lives: several machines may have one cache, and know nothing of each other's processes.
    """
    above = paths.cache() / _FOLDERS
    above.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name in {path.name.removesuffix(_LOCK) for path in above.iterdir()}:
        with suppress(BlockingIOError):  # its run goes on
            _remove(above / name)
    folder = above / uuid4().hex
    with locked(_lock_of(folder)):
        folder.mkdir(mode=0o700)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _remove(folder: Path) -> None:
    """Remove *folder* and its lock. Raises BlockingIOError where somebody has locked it."""
    with locked(_lock_of(folder)):
        shutil.rmtree(folder, ignore_errors=True)


def _lock_of(folder: Path) -> Path:
    return folder.with_name(folder.name + _LOCK)
