"""The parent's side: it starts worker processes, hands them episodes and stores what they bring.

A worker that dies costs the episodes that it was at. They are played again one by one, in a process of their own: so an
episode that ends its process takes no other with it. When this process dies, its workers see their sockets close, and
end.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol

from intercode import errors
from intercode.errors import MachineError
from intercode.runs.callback import ProgressCallback
from intercode.runs.episode_record import EpisodeRecord, Key
from intercode.runs.job import Job
from intercode.runs.player import Assignment
from intercode.runs.processes import messages
from intercode.runs.processes.messages import ChannelEnd, MessageChannel
from intercode.runs.processes.worker import Start
from intercode.types import Action, Trajectory

PATIENCE = 4.0
"""Seconds that a worker gets to end by itself."""

DEATHS = 3
"""How often the process that plays an episode may die before that is the episode's error; or, at the beginning of a
process, before it is the run's."""


class Master(Protocol):
    """What workers are served from: a `Runner`."""

    callback: ProgressCallback

    @property
    def is_stopped(self) -> bool:
        """Return whether all are to give up what they are at."""

    @property
    def has_more(self) -> bool:
        """Return whether `take` has another episode."""

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


class WorkerProcess(Protocol):
    """A process that plays, here or elsewhere. `channel` ends (EOFError, OSError) when the process does."""

    @property
    def channel(self) -> MessageChannel:
        """Return how to talk with it."""

    def wait(self, seconds: float) -> bool:
        """Wait at most so long for its end; whether it has ended by itself and in good order."""

    @property
    def is_running(self) -> bool:
        """Return whether it may still hear what it is told."""

    @property
    def end(self) -> str:
        """Return how it ended, for people."""

    def kill(self) -> None:
        """End it at once. Killing twice is harmless."""


class Launcher(Protocol):
    """Starts worker processes: on this machine, or on others."""

    def launch(self, start: Start, is_wanted: Callable[[], bool], *, is_replay: bool) -> WorkerProcess:
        """Start one. It may have to wait for room, but no longer than *is_wanted* says.

        With *is_replay* it plays one episode at a time that others have lost.
        """

    def close(self) -> None:
        """Let go of what its processes shared: they have ended. Closing twice is harmless."""


class WorkerProcesses:
    """So many *processes* that have *threads* threads between them. `serve` is called from `count` threads."""

    def __init__(self, job: Job, master: Master, launcher: Launcher, *, processes: int, threads: int) -> None:
        self.count = processes
        self._job, self._master = job, master
        shares = [threads // processes + (number < threads % processes) for number in range(processes)]
        self._shares = iter(shares)
        self._guard = threading.Lock()
        self._live: set[Worker] = set()
        self._deaths: Counter[Key] = Counter()
        self._early_deaths = 0
        self._launcher = launcher

    def serve(self) -> None:
        """Have a worker process play, and another one in its place when it dies, until there is nothing to play.

        Raises what has ended a worker, and MachineError where workers die before they have played anything.
        """
        with self._guard:
            threads = next(self._shares)
        again: list[Assignment] = []
        while not (self._master.is_stopped or (again and self._job.budget.spent)):
            is_last = not again
            worker = self._start_replay(again) if again else self._start(threads)
            try:
                has_ended = worker.serve()
            finally:
                worker.close()
                with self._guard:
                    self._live.discard(worker)
            if has_ended and is_last:
                return
            if not has_ended:
                again += self._on_worker_death(worker)

    def _start(self, threads: int) -> Worker:
        return self._attach(Worker(self._job, self._master, self._master.take), threads, lambda: self._master.has_more)

    def _start_replay(self, again: list[Assignment]) -> Worker:
        """Return one that plays those *again* that were lost, one by one."""
        worker = Worker(self._job, self._master, again.pop)
        return self._attach(worker, 1, lambda: not self._master.is_stopped, is_replay=True)

    def _attach(
        self, worker: Worker, threads: int, is_wanted: Callable[[], bool], *, is_replay: bool = False
    ) -> Worker:
        checksum = next(iter(self._job.manifest.data.values()))
        is_exact = is_replay or self._job.budget.is_limited
        start = Start(self._job.settings, threads, checksum, one_by_one=is_exact)
        worker.attach(self._launcher.launch(start, is_wanted, is_replay=is_replay))
        with self._guard:
            self._live.add(worker)
        if self._master.is_stopped:  # it may have been overlooked
            worker.stop()
        return worker

    def _on_worker_death(self, worker: Worker) -> list[Assignment]:
        """Return a dead worker's episodes, to be played again; one that was there too often ends in an error."""
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
        self._master.callback.on_message(f"a worker process ended ({worker.end}): its episodes are played again")
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
        self._launcher.close()


class Worker:
    """One worker process, once `attach` has named it. `serve` is called once; `assignments` are what it is at."""

    def __init__(self, job: Job, master: Master, take: Callable[[], Assignment | None]) -> None:
        self._job, self._master, self._take = job, master, take
        self.assignments: dict[Key, Assignment] = {}
        self.has_finished = False

    def attach(self, process: WorkerProcess) -> None:
        """It is this *process*."""
        self._process = process
        self._link: ChannelEnd[messages.FromWorker] = ChannelEnd(process.channel, messages.FromWorker)

    def serve(self) -> bool:
        """Answer it until it has ended; False where it did not end by itself. Raises what it says has ended it."""
        with suppress(EOFError, OSError):
            while True:
                finished: list[EpisodeRecord] = []
                for message in self._link.receive():
                    self._handle_message(message, finished)
                self._master.store_all(finished)
                for record in finished:
                    self.has_finished = True
                    del self.assignments[record.key]
        return self._process.wait(PATIENCE) and not self.assignments

    def _handle_message(self, message: messages.FromWorker, finished: list[EpisodeRecord]) -> None:
        match message:
            case messages.EpisodeRequest(count):
                self._hand_out(count)
            case messages.EpisodeFinished(record):
                finished.append(record)
            case messages.EpisodeStarted(task, repeat):
                self._master.on_reset(self.assignments[task, repeat])
            case messages.TurnStarted(task, repeat, turn):
                with suppress(errors.InterruptedRunError):
                    self._master.on_step(self.assignments[task, repeat], turn)
            case messages.ActionChosen(task, repeat, kind, text):
                self._master.on_action(self.assignments[task, repeat], Action(kind, text))
            case messages.BudgetRequest(thread):
                self._link.send([messages.BudgetAnswer(thread, self._job.budget.spent)])
            case messages.UsageReport(usage):
                self._job.budget.add(usage)
            case messages.Notice(text):
                self._master.callback.on_message(text)
            case messages.WorkerFailure(kind, text):
                raise _exception(kind, text)

    def _hand_out(self, count: int) -> None:
        """Give it so many episodes more, as long as there are any."""
        orders = list[messages.WorkerMessage]()
        while len(orders) < count and (assignment := self._next()) is not None:
            self.assignments[assignment.key] = assignment
            orders.append(messages.PlayEpisode(assignment.task.id, assignment.repeat, assignment.seed))
        if len(orders) < count:
            orders.append(messages.NoMoreEpisodes())
        self._link.send(orders)

    def _next(self) -> Assignment | None:
        try:
            return self._take()
        except IndexError:  # it was to play those again that are over now
            return None

    @property
    def end(self) -> str:
        """Return how it ended, for people."""
        return self._process.end

    def stop(self) -> None:
        """Tell it to give up what it is at, and to end."""
        with suppress(OSError):
            self._link.send([messages.Stop()])

    def close(self) -> None:
        """End it. Closing twice is harmless."""
        if self._process.is_running:
            self.stop()
            self._process.wait(PATIENCE)
        self._process.kill()
        self._link.close()


def _exception(kind: str, text: str) -> Exception:
    """Return the exception that a worker has told of: one of ours, or a bug with its traceback."""
    known = getattr(errors, kind, None)
    if isinstance(known, type) and issubclass(known, errors.IntercodeError):
        return known(text)
    return RuntimeError(f"a worker process ended by a bug:\n{text}")
