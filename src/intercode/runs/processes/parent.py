"""The parent's side: it starts worker processes, hands them episodes and stores what they bring.

A worker that dies costs the episodes that it was at. They are played again one by one, in a process of their own: so an
episode that ends its process takes no other with it. When this process dies, its workers see their sockets close, and
end.
"""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Protocol

from intercode import errors, paths
from intercode.errors import MachineError
from intercode.runs.callback import ProgressCallback
from intercode.runs.job import Job
from intercode.runs.player import Assignment
from intercode.runs.processes import messages
from intercode.runs.processes import worker as worker_side
from intercode.runs.processes.messages import Link
from intercode.runs.store import EpisodeRecord, Key
from intercode.types import Action, Trajectory

PATIENCE = 4.0
"""Seconds that a worker gets to end by itself."""

DEATHS = 3
"""How often the process that plays an episode may die before that is the episode's error; or, at the beginning of a
process, before it is the run's."""

_FOLDERS = "shared"
_numbers = count()


class Master(Protocol):
    """What workers are served from: a `Runner`."""

    watcher: ProgressCallback

    @property
    def is_stopped(self) -> bool:
        """Whether all are to give up what they are at."""

    def take(self) -> Assignment | None:
        """See `AssignmentSource.take`."""

    def on_reset(self, assignment: Assignment) -> None:
        """See `AssignmentSource.on_reset`."""

    def on_step(self, assignment: Assignment, turns: int) -> None:
        """See `AssignmentSource.on_step`."""

    def on_action(self, assignment: Assignment, action: Action) -> None:
        """See `AssignmentSource.on_action`."""

    def store_all(self, records: Sequence[EpisodeRecord]) -> None:
        """Store episodes that are over."""


class WorkerProcesses:
    """So many *processes* that have *threads* threads between them. `serve` is called from `count` threads."""

    def __init__(self, job: Job, master: Master, *, processes: int, threads: int) -> None:
        self.count = processes
        self._job, self._master = job, master
        shares = [threads // processes + (number < threads % processes) for number in range(processes)]
        self._shares = iter(shares)
        self._guard = threading.Lock()
        self._live: set[Worker] = set()
        self._deaths: Counter[Key] = Counter()
        self._early_deaths = 0
        self._folder = _shared_folder()

    def serve(self) -> None:
        """Have a worker process play, and another one in its place when it dies, until there is nothing to play.

        Raises what has ended a worker, and MachineError where workers die before they have played anything.
        """
        with self._guard:
            threads = next(self._shares)
        again: list[Assignment] = []
        while not (self._master.is_stopped or (again and self._job.budget.spent)):
            is_last = not again
            worker = self._start(1, again.pop) if again else self._start(threads, self._master.take)
            try:
                has_ended = worker.attend()
            finally:
                worker.close()
                with self._guard:
                    self._live.discard(worker)
            if has_ended and is_last:
                return
            if not has_ended:
                again += self._lost(worker)

    def _start(self, threads: int, take: Callable[[], Assignment | None]) -> Worker:
        worker = Worker(self._job, self._master, take, threads, self._folder)
        with self._guard:
            self._live.add(worker)
        if self._master.is_stopped:  # it may have been overlooked
            worker.stop()
        return worker

    def _lost(self, worker: Worker) -> list[Assignment]:
        """A worker has died: the episodes to be played again. One that was there too often has ended in an error."""
        if self._master.is_stopped:
            return []
        lost = list(worker.assignments.values())
        with self._guard:
            self._deaths.update(each.key for each in lost)
            self._early_deaths = 0 if worker.has_finished else self._early_deaths + 1
            given_up = [each for each in lost if self._deaths[each.key] >= DEATHS]
            is_hopeless = self._early_deaths >= DEATHS and not lost
        if is_hopeless:
            raise MachineError(f"worker processes end before they have played anything: {worker.end}")
        self._master.watcher.on_message(f"a worker process ended ({worker.end}): its episodes are played again")
        self._master.store_all([EpisodeRecord.of(self._failure(each, worker.end)) for each in given_up])
        return [each for each in lost if each not in given_up]

    def _failure(self, lost: Assignment, end: str) -> Trajectory:
        error = f"MachineError: the process that played it ended {DEATHS} times ({end})"
        name = self._job.settings.agent
        return Trajectory(lost.task.view(), name, "error", (), seed=lost.seed, repeat=lost.repeat, error=error)

    def stop(self) -> None:
        """Tell all workers to give up what they are at, and to end."""
        with self._guard:
            workers = list(self._live)
        for worker in workers:
            worker.stop()

    def close(self) -> None:
        """End those that have not ended by themselves, and remove what they shared."""
        with self._guard:
            workers = list(self._live)
        for worker in workers:
            worker.close()
        shutil.rmtree(self._folder, ignore_errors=True)


class Worker:
    """One worker process. `attend` is called once; `assignments` are what it is at."""

    def __init__(
        self, job: Job, master: Master, take: Callable[[], Assignment | None], threads: int, folder: Path
    ) -> None:
        self._job, self._master, self._take = job, master, take
        self.assignments: dict[Key, Assignment] = {}
        self.has_finished = False
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = _launch(theirs.fileno(), folder)
        connection = Connection(ours.detach())
        self._link: Link[messages.FromWorker] = Link(connection, messages.FromWorker)
        checksum = next(iter(job.manifest.data.values()))
        with suppress(OSError):  # it has died: `attend` says so
            connection.send_bytes(pickle.dumps(worker_side.Start(job.settings, threads, checksum)))

    def attend(self) -> bool:
        """Answer it until it has ended; False where it did not end by itself. Raises what it says has ended it."""
        with suppress(EOFError, OSError):
            while True:
                finished: list[EpisodeRecord] = []
                for message in self._link.receive():
                    self._heed(message, finished)
                self._master.store_all(finished)
                for record in finished:
                    self.has_finished = True
                    del self.assignments[record.key]
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(PATIENCE)
        return self._process.returncode == 0 and not self.assignments

    def _heed(self, message: messages.FromWorker, finished: list[EpisodeRecord]) -> None:
        match message:
            case messages.Want(thread, done):
                finished += [done] if done is not None else []
                self._hand_out(thread)
            case messages.Began(task, repeat):
                self._master.on_reset(self.assignments[task, repeat])
            case messages.Stepped(task, repeat, turn):
                with suppress(errors.InterruptedRunError):
                    self._master.on_step(self.assignments[task, repeat], turn)
            case messages.Acted(task, repeat, kind, text):
                self._master.on_action(self.assignments[task, repeat], Action(kind, text))
            case messages.Ask(thread):
                self._link.send(messages.Granted(thread, self._job.budget.spent))
            case messages.Used(usage):
                self._job.budget.add(usage)
            case messages.Told(text):
                self._master.watcher.on_message(text)
            case messages.Failed(kind, text):
                raise _exception(kind, text)

    def _hand_out(self, thread: int) -> None:
        """Give a thread the next episode."""
        try:
            assignment = self._take()
        except IndexError:  # it was to play those again that are over now
            assignment = None
        if assignment is None:
            self._link.send(messages.Enough(thread))
            return
        self.assignments[assignment.key] = assignment
        self._link.send(messages.Play(thread, assignment.task.id, assignment.repeat, assignment.seed))

    @property
    def end(self) -> str:
        """How it ended, for people."""
        code = self._process.poll()
        if code is None or code >= 0:
            return f"with status {code}"
        return f"killed by {signal.Signals(-code).name}"

    def stop(self) -> None:
        """Tell it to give up what it is at, and to end."""
        with suppress(OSError):
            self._link.send(messages.Stop())

    def close(self) -> None:
        """End it. Closing twice is harmless."""
        with suppress(subprocess.TimeoutExpired):
            if self._process.poll() is None:
                self.stop()
                self._process.wait(PATIENCE)
        self._process.kill()
        self._process.wait()
        self._link.close()


def _launch(descriptor: int, folder: Path) -> subprocess.Popen[bytes]:
    """A fresh interpreter, with the same modules to import: a fork would have copies of our locks and threads."""
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


def _shared_folder() -> Path:
    """A folder that nobody else may read, for what this run's processes know in common; killed runs' are removed."""
    above = paths.cache() / _FOLDERS
    above.mkdir(mode=0o700, parents=True, exist_ok=True)
    for stale in above.iterdir():
        if not Path("/proc", stale.name.partition("-")[0]).exists():
            shutil.rmtree(stale, ignore_errors=True)
    folder = above / f"{os.getpid()}-{next(_numbers)}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def _exception(kind: str, text: str) -> Exception:
    """The exception that a worker has told of: one of ours, or a bug with its traceback."""
    known = getattr(errors, kind, None)
    if isinstance(known, type) and issubclass(known, errors.IntercodeError):
        return known(text)
    return RuntimeError(f"a worker process ended by a bug:\n{text}")
