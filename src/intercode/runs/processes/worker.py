"""The worker's side: a process that plays, in several threads, what the run's own hands out. It stores nothing."""

from __future__ import annotations

import os
import pickle
import queue
import signal
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection

from intercode.conversation import Usage
from intercode.datasets.base import Dataset
from intercode.errors import IntercodeError, InterruptedRunError
from intercode.runs.budget import Budget
from intercode.runs.episode_record import EpisodeRecord
from intercode.runs.job import Job, prepare_part
from intercode.runs.player import Assignment, play_assignments
from intercode.runs.processes import messages
from intercode.runs.processes.messages import Channel, Link
from intercode.runs.settings import Settings
from intercode.runs.worker_pool import WorkerPool
from intercode.types import Action, Trajectory

PATIENCE = 3.0
"""Seconds that threads get to notice that they are to stop; less than the parent waits."""


SHOWN = 400
"""Characters of an action that a display may want to show."""


@dataclass(frozen=True, slots=True)
class Start:
    """What a worker is told first: the settings without blanks, its number of threads, the data set's checksum."""

    settings: Settings
    threads: int
    checksum: str


def main(descriptor: int) -> None:
    """Play what comes through the socket *descriptor*, until that is all, or it closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    connection = Connection(descriptor)
    start: Start = pickle.loads(connection.recv_bytes())
    serve(connection, start)


def serve(channel: Channel, start: Start, find_data: Callable[[], Dataset] | None = None) -> None:
    """Play what comes through *channel*, and tell the parent what has ended it.

    *find_data* finds the data set (None: as the settings name it). When the parent says stop, or has gone, this process
    ends.
    """
    link: Link[messages.ToWorker] = Link(channel, messages.ToWorker)
    try:
        with suppress(BrokenPipeError, InterruptedRunError):
            _play(link, start, None if find_data is None else find_data())
    except Exception as error:  # noqa: BLE001 - the parent raises it
        text = str(error) if isinstance(error, IntercodeError) else traceback.format_exc()
        with suppress(OSError):
            link.send(messages.WorkerFailure(type(error).__name__, text))


def _play(link: Link[messages.ToWorker], start: Start, dataset: Dataset | None) -> None:
    source = RemoteSource(link)
    budget = RemoteBudget(source, start.settings)
    say = lambda line: link.send(messages.Notice(line))  # noqa: E731
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


def _listen(link: Link[messages.ToWorker], source: RemoteSource, pool: WorkerPool, job: Job) -> None:
    """Hand on what the parent says. When it says stop, or has gone, give up what is under way and end."""
    with suppress(EOFError, OSError):
        while not source.stopped.is_set():
            for message in link.receive():
                source.hand_on(message)
    source.hand_on(messages.Stop())
    job.close()
    pool.see_off()
    os._exit(1)  # who still waits for a model is not waited for


class RemoteSource:
    """See `AssignmentSource`: episodes that the parent hands out."""

    def __init__(self, link: Link[messages.ToWorker]) -> None:
        self._link = link
        self.stopped = threading.Event()
        self._inboxes: list[queue.SimpleQueue[messages.ToWorker]] = []
        self._mine = threading.local()
        self._guard = threading.Lock()

    def know(self, job: Job) -> None:
        """The tasks of *job* are those that may come."""
        self._tasks = {task.id: task for task in job.tasks}

    def hand_on(self, message: messages.ToWorker) -> None:
        """Give *message* to the thread that it is meant for."""
        if isinstance(message, messages.Stop):
            self.stopped.set()
            with self._guard:
                for inbox in self._inboxes:
                    inbox.put(message)
        else:
            self._inboxes[message.thread].put(message)

    def ask(
        self, kind: type[messages.BudgetRequest] | None = None, done: EpisodeRecord | None = None
    ) -> messages.ToWorker:
        """Ask the parent, for this thread, for the next episode or by a message of that *kind*, and wait."""
        if not hasattr(self._mine, "number"):
            with self._guard:
                self._mine.number = len(self._inboxes)
                self._inboxes.append(queue.SimpleQueue())
        if self.stopped.is_set():
            return messages.Stop()
        number: int = self._mine.number
        self._link.send(messages.EpisodeRequest(number, done) if kind is None else kind(number))
        return self._inboxes[number].get()

    def take(self) -> Assignment | None:
        """See `AssignmentSource.take`; the episode that was finished before goes along with the question."""
        done, self._mine.done = getattr(self._mine, "done", None), None
        match self.ask(done=done):
            case messages.PlayEpisode(_, task, repeat, seed):
                return Assignment(self._tasks[task], repeat, seed)
        return None

    def on_reset(self, assignment: Assignment) -> None:
        """See `AssignmentSource.on_reset`."""
        self._link.send(messages.EpisodeStarted(*assignment.key))

    def on_step(self, assignment: Assignment, turns: int) -> None:
        """See `AssignmentSource.on_step`."""
        if self.stopped.is_set():
            raise InterruptedRunError("stopped")
        self._link.send(messages.TurnStarted(*assignment.key, turns))

    def on_action(self, assignment: Assignment, action: Action) -> None:
        """See `AssignmentSource.on_action`."""
        text = action.text[:SHOWN].encode("utf-8", "replace").decode()  # half a surrogate pair cannot be sent
        self._link.send(messages.ActionChosen(*assignment.key, action.kind, text))

    def finish(self, assignment: Assignment, trajectory: Trajectory) -> None:
        """See `AssignmentSource.finish`."""
        self._mine.done = EpisodeRecord.of(trajectory)

    def used(self, usage: Usage) -> None:
        """Tell the parent what an answer took."""
        self._link.send(messages.UsageReport(usage))


class RemoteBudget(Budget):
    """The run's budget, which the parent keeps: it is asked before each question where there is a limit."""

    def __init__(self, source: RemoteSource, settings: Settings) -> None:
        super().__init__(cost=settings.max_cost, tokens=settings.max_tokens)
        self._source = source

    def add(self, usage: Usage) -> None:
        """See `Budget.add`."""
        self._source.used(usage)

    @property
    def spent(self) -> str:
        """See `Budget.spent`."""
        if self.cost is None and self.tokens is None:
            return ""
        answer = self._source.ask(messages.BudgetRequest)
        return answer.spent if isinstance(answer, messages.BudgetAnswer) else "the run is being stopped"
