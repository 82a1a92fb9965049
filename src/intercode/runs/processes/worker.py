"""The worker's side: a process that plays, in several threads, what the run's own hands out. It stores nothing."""

from __future__ import annotations

import os
import pickle
import queue
import signal
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection

from intercode.datasets.base import Dataset
from intercode.errors import IntercodeError, InterruptedRunError
from intercode.runs.budget import Budget
from intercode.runs.episode_record import EpisodeRecord
from intercode.runs.job import Job, prepare_part
from intercode.runs.player import Assignment, play_assignments
from intercode.runs.processes import messages
from intercode.runs.processes.messages import ChannelEnd, MessageChannel
from intercode.runs.processes.outbox import DELAY, Outbox
from intercode.runs.settings import Settings
from intercode.runs.worker_pool import WorkerPool
from intercode.types import Action, Trajectory
from intercode.types.conversation import Usage

PATIENCE = 3.0
"""Seconds that threads get to notice that they are to stop; less than the parent waits."""


SHOWN = 400
"""Characters of an action that a display may want to show."""

AHEAD = 2.5
"""For how long a worker has episodes ahead, going by how many it has played in such a time: so many delays."""

MOST_AHEAD = 64
"""Episodes that it has ahead at most."""


@dataclass(frozen=True, slots=True)
class Start:
    """What a worker is told first: the settings without blanks, its number of threads, the data set's checksum.

    With *one_by_one* it has no episode but those that its threads are at. What nobody waits for it says at most once in
    *delay* seconds.
    """

    settings: Settings
    threads: int
    checksum: str
    one_by_one: bool = False
    delay: float = DELAY


def main(descriptor: int) -> None:
    """Play what comes through the socket *descriptor*, until that is all, or it closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    connection = Connection(descriptor)
    start: Start = pickle.loads(connection.recv_bytes())
    serve(connection, start)


def serve(channel: MessageChannel, start: Start, find_data: Callable[[], Dataset] | None = None) -> None:
    """Play what comes through *channel*, and tell the parent what has ended it.

    *find_data* finds the data set (None: as the settings name it). When the parent says stop, or has gone, this process
    ends.
    """
    link: ChannelEnd[messages.ToWorker] = ChannelEnd(channel, messages.ToWorker)
    outbox = Outbox(link, start.delay)
    try:
        with suppress(BrokenPipeError, InterruptedRunError):
            _play(link, outbox, start, None if find_data is None else find_data())
            outbox.flush()
    except Exception as error:  # noqa: BLE001 - the parent raises it
        text = str(error) if isinstance(error, IntercodeError) else traceback.format_exc()
        with suppress(OSError):
            outbox.put(messages.WorkerFailure(type(error).__name__, text), urgent=True)


def _play(link: ChannelEnd[messages.ToWorker], outbox: Outbox, start: Start, dataset: Dataset | None) -> None:
    source = RemoteSource(outbox, 0.0 if start.one_by_one else AHEAD * start.delay)
    budget = RemoteBudget(source, start.settings)
    say = lambda line: outbox.put(messages.Notice(line))  # noqa: E731
    with prepare_part(start.settings, budget, checksum=start.checksum, say=say, dataset=dataset) as job:
        source.know(job)
        pool = WorkerPool(
            lambda: play_assignments(source, job.make_env, job.make_agent, job.settings.agent),
            job.close,
            lambda: budget.under_way,
            PATIENCE,
            source.stopped,
        )
        threading.Thread(target=_listen, args=(link, source, pool, job), daemon=True).start()
        pool.run(start.threads)


def _listen(link: ChannelEnd[messages.ToWorker], source: RemoteSource, pool: WorkerPool, job: Job) -> None:
    """Hand on what the parent says. When it says stop, or has gone, give up what is under way and end.

    What else comes once all is played, such as a second word that there is no more, ends nothing: the last episodes may
    still have to be told.
    """
    with suppress(EOFError, OSError):
        while not source.is_told_to_stop:
            for message in link.receive():
                source.dispatch(message)
    source.dispatch(messages.Stop())
    job.close()
    pool.wait_for_workers()
    os._exit(1)  # who still waits for a model is not waited for


class RemoteSource:
    """See `AssignmentSource`: episodes that the parent hands out.

    Short ones are ordered ahead, as many as were played in the last *ahead* seconds, so that no thread waits for the
    parent. Of long ones none is, so that no other worker waits for what lies here.
    """

    def __init__(self, outbox: Outbox, ahead: float) -> None:
        self._outbox, self._seconds_ahead = outbox, ahead
        self.stopped = threading.Event()
        self.is_told_to_stop = False  # by the parent; all else that ends the work sets `stopped` alone
        self._orders: deque[messages.PlayEpisode] = deque()
        self._changed = threading.Condition()
        self._idle = self._asked = 0  # threads that wait for an order; orders on their way
        self._is_all = False
        self._ends: deque[float] = deque(maxlen=MOST_AHEAD)
        self._answers: list[queue.SimpleQueue[messages.ToWorker]] = []
        self._mine = threading.local()

    def know(self, job: Job) -> None:
        """The tasks of *job* are those that may come."""
        self._tasks = {task.id: task for task in job.tasks}

    def dispatch(self, message: messages.ToWorker) -> None:
        """Give *message* to who it is meant for."""
        if isinstance(message, messages.BudgetAnswer):
            self._answers[message.thread].put(message)
            return
        with self._changed:
            match message:
                case messages.PlayEpisode():
                    self._asked -= 1
                    self._orders.append(message)
                    self._changed.notify()
                case messages.NoMoreEpisodes():
                    self._is_all = True
                    self._changed.notify_all()
                case messages.Stop():
                    self.is_told_to_stop = True
                    self.stopped.set()
                    self._changed.notify_all()
                    for each in self._answers:
                        each.put(message)

    def ask_for_budget(self) -> messages.ToWorker:
        """Ask the parent, for this thread, whether a model may be asked, and wait for its answer."""
        if not hasattr(self._mine, "number"):
            with self._changed:
                self._mine.number = len(self._answers)
                self._answers.append(queue.SimpleQueue())
        if self.stopped.is_set():
            return messages.Stop()
        number: int = self._mine.number
        self._outbox.put(messages.BudgetRequest(number), urgent=True)
        return self._answers[number].get()

    def take(self) -> Assignment | None:
        """See `AssignmentSource.take`."""
        with self._changed:
            self._idle += 1
            while not (self._orders or self._is_all or self.stopped.is_set()):
                self._order()
                self._changed.wait()
            self._idle -= 1
            if self.stopped.is_set() or not self._orders:
                return None
            order = self._orders.popleft()
            self._order()
        return Assignment(self._tasks[order.task], order.repeat, order.seed)

    def _order(self) -> None:
        """Order more before there are too few: at once where a thread waits, or would be the next to."""
        ahead, there = self._ahead(), len(self._orders) + self._asked
        wanted = self._idle + ahead
        if there < max(self._idle, 1 + ahead // 2) and wanted > there and not self._is_all:
            self._asked += wanted - there
            self._outbox.put(messages.EpisodeRequest(wanted - there))
        if self._asked and not self._orders:
            self._outbox.flush()

    def _ahead(self) -> int:
        """Return how many to have besides those that are played."""
        since = time.monotonic() - self._seconds_ahead
        while self._ends and self._ends[0] <= since:
            self._ends.popleft()
        return len(self._ends)

    def on_reset(self, assignment: Assignment) -> None:
        """See `AssignmentSource.on_reset`."""
        self._outbox.put(messages.EpisodeStarted(*assignment.key))

    def on_step(self, assignment: Assignment, turns: int) -> None:
        """See `AssignmentSource.on_step`."""
        if self.stopped.is_set():
            raise InterruptedRunError("stopped")
        self._outbox.put(messages.TurnStarted(*assignment.key, turns))

    def on_action(self, assignment: Assignment, action: Action) -> None:
        """See `AssignmentSource.on_action`."""
        text = action.text[:SHOWN].encode("utf-8", "replace").decode()  # half a surrogate pair cannot be sent
        self._outbox.put(messages.ActionChosen(*assignment.key, action.kind, text))

    def finish(self, assignment: Assignment, trajectory: Trajectory) -> None:
        """See `AssignmentSource.finish`. While all are being stopped its sandbox is gone: its result means nothing."""
        if self.stopped.is_set():
            return
        record = EpisodeRecord.of(trajectory)
        with self._changed:
            self._ends.append(time.monotonic())
        self._outbox.put(messages.EpisodeFinished(record))

    def used(self, usage: Usage, *, urgent: bool) -> None:
        """Tell the parent what an answer took: at once if that is *urgent*."""
        self._outbox.put(messages.UsageReport(usage), urgent=urgent)


class RemoteBudget(Budget):
    """The run's budget, which the parent keeps: it is asked before each question where there is a limit."""

    def __init__(self, source: RemoteSource, settings: Settings) -> None:
        super().__init__(cost=settings.max_cost, tokens=settings.max_tokens)
        self._source = source

    def add(self, usage: Usage) -> None:
        self._source.used(usage, urgent=self.is_limited)

    @property
    def spent(self) -> str:
        if not self.is_limited:
            return ""
        answer = self._source.ask_for_budget()
        return answer.spent if isinstance(answer, messages.BudgetAnswer) else "the run is being stopped"
