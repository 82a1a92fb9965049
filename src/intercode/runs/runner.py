"""Many episodes: threads, of this process or of several, that each take the next one and play it, until all are done.

What is to be played, the store, the budget and whoever looks on are here, whoever plays.
"""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from intercode.errors import (
    BadDataError,
    BudgetExceededError,
    InterruptedRunError,
    ModelRefusedError,
    StoppedEarlyError,
    UserError,
)
from intercode.runs import cli_hints
from intercode.runs.activity import Activity
from intercode.runs.callback import ProgressCallback, ProgressCallbacks
from intercode.runs.episode_record import EpisodeRecord
from intercode.runs.fail_fast import FailFast
from intercode.runs.job import Job
from intercode.runs.player import Assignment, play_assignments
from intercode.runs.processes.local import LocalLauncher
from intercode.runs.processes.parent import Launcher, WorkerProcesses
from intercode.runs.store import RunStore
from intercode.runs.worker_pool import WorkerPool
from intercode.types import Action, Trajectory
from intercode.types.trajectories import read_line
from intercode_sandbox.util.text import failure, pluralize, shorten

CORES_EACH, THREADS_EACH = 4, 4
"""What a process can make use of, and needs. Python runs one thread at a time, which keeps some four cores busy with
what agents have started; see `docs/decisions/worker-processes.md`."""

LONGEST_FAILURE = 600
"""Characters of what stopped a run."""

FIXES = {
    ModelRefusedError: "check the key, the model's name and --base-url",
    BadDataError: "correct what it names",
    StoppedEarlyError: "remove the cause, or play the others anyway with --keep-going",
}
"""What helps against errors that stop a run."""

ONE_PROCESS = "{option}: {reason}; leave it out (--parallel still plays several episodes at once)"


@dataclass
class Runner:
    """Plays what *store* still lacks of *job*, *parallel* episodes at a time, in so many *processes*.

    With one process this is the one that plays. With more they only play, and all else is done here. A *launcher*
    starts them elsewhere, one or more.

    It stops when the first episodes all fail for the same reason of the machine's, unless it is to *keep_going*.

    Raises:
        UserError: If the job can only be played by one.
    """

    job: Job
    store: RunStore
    parallel: int = 1
    callback: ProgressCallback = field(default_factory=ProgressCallback)
    keep_going: bool = False
    processes: int = 1
    launcher: Launcher | None = None

    def __post_init__(self) -> None:
        self.callback = ProgressCallbacks(Activity(self.store.path), self.callback)
        finished = self.store.finished()
        self.job.budget.add(self.store.used)
        self._todo = deque(each for each in assignments(self.job) if each.key not in finished)
        self._fail_fast = FailFast(keep_going=self.keep_going)
        self._workers = self._worker_processes()
        self._worker_pool = WorkerPool(self._work, self._stop, lambda: self.job.budget.under_way)

    def _worker_processes(self) -> WorkerProcesses | None:
        """Return those that play; None where this process does."""
        if self.processes == 1 and self.launcher is None:
            return None
        if self.job.one_process:
            option = f"--processes {self.processes}" if self.launcher is None else "--ray"
            raise UserError(ONE_PROCESS.format(option=option, reason=self.job.one_process))
        if self.job.one_machine and self.launcher is not None:
            raise UserError(ONE_PROCESS.format(option="--ray", reason=self.job.one_machine))
        threads = min(self.parallel, len(self._todo))
        if threads < (2 if self.launcher is None else 1):
            return None
        launcher, count = self.launcher or LocalLauncher(self.job.share), min(self.processes, threads)
        return WorkerProcesses(self.job, self, launcher, processes=count, threads=threads)

    def run(self) -> None:
        """Play all of it, and close the job. Finished episodes are in the store whatever happens.

        Raises:
            InterruptedRunError: After Ctrl-C.
            BudgetExceededError: If no more may be used (episodes that were under way are then stored as errors, to
                be played again).
            ModelRefusedError: If the model answers nothing at all.
            BadDataError: If the tasks' own reward, their world or the agent gives what is none (its episode is not
                stored, and is played again on resuming).
            StoppedEarlyError: If the first episodes all failed alike.
            MachineError: If the store fails, and lets our own bugs through.
        """
        successes = self.store.successes(self.job.scoring)
        self.callback.on_start(self.job.episodes, self.job.episodes - len(self._todo), successes)
        try:
            if self.job.interactive:
                self._work()
            elif self._todo:
                count = min(self.parallel, len(self._todo)) if self._workers is None else self._workers.count
                self._worker_pool.run(count)
        except (KeyboardInterrupt, InterruptedRunError) as error:
            raise InterruptedRunError(failure(f"stopped: {self._progress()}", resume=self._resume_command())) from error
        except (ModelRefusedError, BadDataError, StoppedEarlyError) as error:
            fix = next(fix for kind, fix in FIXES.items() if isinstance(error, kind))
            raise type(error)(self._failure(str(error), fix)) from error
        finally:
            self._stop()
            if self._workers is not None:
                self._workers.close()
            self.callback.close()
        if (spent := self.job.budget.spent) and len(self.store.finished()) < self.job.episodes:
            raise BudgetExceededError(self._failure(f"stopped: {spent}", "give it more, in place of MORE"))

    def _work(self) -> None:
        """One thread's life: it plays, or sees to a process that does."""
        if self._workers is None:
            play_assignments(self, self.job.make_env, self.job.make_agent, self.job.settings.agent)
        else:
            self._workers.serve()

    def _stop(self) -> None:
        if self._workers is not None:
            self._workers.stop()
        self.job.close()

    # What players ask and tell, from any thread: see `AssignmentSource`

    @property
    def is_stopped(self) -> bool:
        """Return whether all are to give up what they are at."""
        return self._worker_pool.stopped.is_set()

    @property
    def has_more(self) -> bool:
        """Return whether there is an episode that nobody has taken, and no reason to stop."""
        return bool(self._todo) and not (self.is_stopped or self.job.budget.spent)

    def take(self) -> Assignment | None:
        """See `AssignmentSource.take`."""
        try:
            return None if self.is_stopped or self.job.budget.spent else self._todo.popleft()
        except IndexError:
            return None

    def on_reset(self, assignment: Assignment) -> None:
        """See `AssignmentSource.on_reset`."""
        self.callback.on_reset(assignment.key)

    def on_action(self, assignment: Assignment, action: Action) -> None:
        """See `AssignmentSource.on_action`."""
        self.callback.on_action(assignment.key, action)

    def on_step(self, assignment: Assignment, turns: int) -> None:
        """See `AssignmentSource.on_step`."""
        if self.is_stopped:
            raise InterruptedRunError("stopped")
        self.callback.on_step(assignment.key, turns + 1)
        self.callback.on_usage(self.job.budget.used.cost)

    def finish(self, assignment: Assignment, trajectory: Trajectory) -> None:
        """See `AssignmentSource.finish`."""
        self.store_all([EpisodeRecord.of(trajectory)], [trajectory])

    def store_all(self, records: Sequence[EpisodeRecord], played: Sequence[Trajectory] = ()) -> None:
        """Store episodes, unless the run is being stopped: then their sandbox is gone, their results mean nothing."""
        if self.is_stopped or not records:
            return
        self.store.append_all(records)
        for record, trajectory in zip_longest(records, played):
            if self.callback.wants_trajectories:
                self.callback.on_trajectory(read_line(record.line) if trajectory is None else trajectory)
            self.callback.on_episode_end(record.key, record.success(self.job.scoring), record.error)
            self.callback.on_usage(self.job.budget.used.cost)
            self._fail_fast.record(record.task, record.error, more=bool(self._todo))

    def _failure(self, what: str, fix: str) -> str:
        what = shorten(" ".join(what.split()), LONGEST_FAILURE)
        return failure(f"{what.rstrip('.')} ({self._progress()})", fix=fix, resume=self._resume_command())

    def _progress(self) -> str:
        finished = len(self.store.finished())
        planned = pluralize(self.job.episodes, "episode is", "episodes are")
        return f"{finished} of {planned} stored, {pluralize(self.job.episodes - finished, 'is', 'are')} left"

    def _resume_command(self) -> str:
        settings, more = self.job.settings, list[str]()
        if self.parallel > 1:
            more += ["--parallel", str(self.parallel)]
        if self.job.budget.spent:
            more += ["--max-cost", "MORE"] if settings.max_cost is not None else []
            more += ["--max-tokens", "MORE"] if settings.max_tokens is not None else []
        return cli_hints.resume_command(self.store.path, settings, *more)


def default_processes(job: Job, parallel: int) -> int:
    """Return how many processes play *parallel* episodes at a time best on this machine: one where only one can."""
    if job.one_process:
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores // CORES_EACH, parallel // THREADS_EACH))


def assignments(job: Job) -> Sequence[Assignment]:
    """Return every episode of *job*: all tasks once, then all again for each repeat."""
    return [
        Assignment(task, repeat, seed_of(job.settings.seed, task.id, repeat))
        for repeat in range(job.settings.repeat)
        for task in job.tasks
    ]


def seed_of(seed: int, task: str, repeat: int) -> int:
    """Return an episode's own seed, 32 bits: the same however many run at once, and whichever others run."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{task}/{repeat}".encode()).digest()[:4], "big")
