"""Many episodes: threads that each take the next one, play it and store it, until all are done or it is stopped."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from intercode.agents.base import Agent
from intercode.envs.base import Env
from intercode.errors import (
    BudgetExceededError,
    InterruptedRunError,
    ModelRefusedError,
    RewardError,
    StoppedEarlyError,
)
from intercode.runs import cli_hints
from intercode.runs.activity import Activity
from intercode.runs.callback import ProgressCallback, ProgressCallbacks
from intercode.runs.episode import Episode
from intercode.runs.fail_fast import FailFast
from intercode.runs.job import Job
from intercode.runs.store import Key, RunStore
from intercode.runs.worker_pool import WorkerPool
from intercode.text import pluralize, sentences
from intercode.types import Task


@dataclass(frozen=True, slots=True)
class Assignment:
    """One episode to play."""

    task: Task
    repeat: int
    seed: int

    @property
    def key(self) -> Key:
        """Its name within the run."""
        return self.task.id, self.repeat


@dataclass
class Runner:
    """Plays what *store* still lacks of *job*, *parallel* episodes at a time.

    It stops when the first episodes all fail for the same reason of the machine's, unless it is to *keep_going*.
    """

    job: Job
    store: RunStore
    parallel: int = 1
    watcher: ProgressCallback = field(default_factory=ProgressCallback)
    keep_going: bool = False

    def __post_init__(self) -> None:
        self.watcher = ProgressCallbacks(Activity(self.store.path), self.watcher)
        finished = self.store.finished()
        self.job.budget.add(self.store.used)
        self._todo = deque(each for each in assignments(self.job) if each.key not in finished)
        self._fail_fast = FailFast(keep_going=self.keep_going)
        self._crew = WorkerPool(self._work, self.job.close, lambda: self.job.budget.under_way)

    def run(self) -> None:
        """Play all of it, and close the job. Finished episodes are in the store whatever happens.

        Raises InterruptedRunError after Ctrl-C, BudgetExceededError when no more may be used (episodes that were under
        way are then stored as errors, to be played again), ModelRefusedError when the model answers nothing at all,
        RewardError when the tasks' own reward fails (its episode is not stored, and is played again on resuming),
        StoppedEarlyError when the first episodes all failed alike, MachineError when the store fails, and lets our own
        bugs through.
        """
        successes = self.store.successes(self.job.scoring)
        self.watcher.on_start(self.job.episodes, self.job.episodes - len(self._todo), successes)
        try:
            if self.job.interactive:
                self._work()
            elif self._todo:
                self._crew.run(min(self.parallel, len(self._todo)))
        except (KeyboardInterrupt, InterruptedRunError) as error:
            raise InterruptedRunError(f"stopped: {self._how_to_go_on()}") from error
        except (ModelRefusedError, RewardError, StoppedEarlyError) as error:
            raise type(error)(sentences(str(error), self._how_to_go_on())) from error
        finally:
            self.job.close()
            self.watcher.close()
        if (spent := self.job.budget.spent) and len(self.store.finished()) < self.job.episodes:
            raise BudgetExceededError(sentences(f"stopped: {spent}", self._how_to_go_on()))

    def _work(self) -> None:
        """One thread's life: one environment, one agent, episode after episode."""
        agent = self.job.make_agent()
        with self.job.make_env() as env:
            while (assignment := self._next()) is not None:
                self.watcher.on_reset(assignment.key)
                trajectory = self._episode(assignment, env, agent).play()
                if self._crew.stopped.is_set():  # its sandbox was taken away: what it says is not to be believed
                    return
                self.store.append(trajectory)
                self.watcher.on_trajectory(trajectory)
                success = trajectory.success(self.job.scoring)
                self.watcher.on_episode_end(assignment.key, success, trajectory.error)
                self.watcher.on_usage(self.job.budget.used.cost)
                self._fail_fast.record(assignment.task.id, trajectory.error, more=bool(self._todo))

    def _next(self) -> Assignment | None:
        try:
            is_over = self._crew.stopped.is_set() or self.job.budget.spent
            return None if is_over else self._todo.popleft()
        except IndexError:
            return None

    def _episode(self, assignment: Assignment, env: Env, agent: Agent) -> Episode:
        return Episode(
            env,
            agent,
            assignment.task,
            name=self.job.settings.agent,
            seed=assignment.seed,
            repeat=assignment.repeat,
            between=partial(self._between, assignment.key),
            on_action=partial(self.watcher.on_action, assignment.key),
        )

    def _between(self, key: Key, turns: int) -> None:
        if self._crew.stopped.is_set():
            raise InterruptedRunError("stopped")
        self.watcher.on_step(key, turns + 1)
        self.watcher.on_usage(self.job.budget.used.cost)

    def _how_to_go_on(self) -> str:
        left = self.job.episodes - len(self.store.finished())
        settings, more = self.job.settings, list[str]()
        if self.parallel > 1:
            more += ["--parallel", str(self.parallel)]
        if self.job.budget.spent:
            more += ["--max-cost", "MORE"] if settings.max_cost is not None else []
            more += ["--max-tokens", "MORE"] if settings.max_tokens is not None else []
        planned = pluralize(self.job.episodes, "episode is", "episodes are")
        return (
            f"{self.job.episodes - left} of {planned} stored, {pluralize(left, 'is', 'are')} left. "
            f"Go on with: {cli_hints.resume_command(self.store.path, settings, *more)}"
        )


def assignments(job: Job) -> Sequence[Assignment]:
    """Every episode of *job*: all tasks once, then all again for each repeat."""
    return [
        Assignment(task, repeat, seed_of(job.settings.seed, task.id, repeat))
        for repeat in range(job.settings.repeat)
        for task in job.tasks
    ]


def seed_of(seed: int, task: str, repeat: int) -> int:
    """An episode's own seed, 32 bits: the same however many run at once, and whichever others run."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{task}/{repeat}".encode()).digest()[:4], "big")
