"""Bash tasks certified several images at a time: what shares a file system is one piece of work."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from intercode.datasets.base import Dataset
from intercode.envs.bash import BashEnv
from intercode.errors import InterruptedRunError
from intercode.runs.callback import ProgressCallback
from intercode.runs.certify.bash import BashCertifier
from intercode.runs.certify.verdict import TaskVerdict
from intercode.runs.hackcheck.adversary import Adversary
from intercode.runs.hackcheck.check import SHARE
from intercode.runs.job import Job
from intercode.runs.worker_pool import WorkerPool
from intercode.sandboxes import images
from intercode.sandboxes.base import Limits
from intercode.sandboxes.images import Image
from intercode.types import Task

MOST = 64
"""Tasks of one piece of work, lest one thread has all of them where a data set has a single image."""

Piece = list[tuple[int, Task]]


def suits(job: Job) -> bool:
    """Whether the world's own `exact` judges all tasks of *job*, as `BashCertifier` does."""
    env = job.make_env()
    with env:
        is_plain = type(env) is BashEnv and env.sandbox.isolated and env._judge.reward is None
    return is_plain and job.scoring == "exact"


@dataclass
class BashPool:
    """Certifies the tasks of *job*, *parallel* pieces at a time; *elsewhere* is the same job in a place of its own."""

    job: Job
    elsewhere: Job
    adversaries: Sequence[Adversary]
    parallel: int
    watcher: ProgressCallback = field(default_factory=ProgressCallback)

    def run(self) -> tuple[TaskVerdict, ...]:
        """Task by task in the job's order; may be called once. Raises InterruptedRunError after Ctrl-C."""
        self._found: dict[str, TaskVerdict] = {}
        self._lock = threading.Lock()
        with self.job.make_env() as here, self.elsewhere.make_env() as there:
            self._certifier = BashCertifier(
                here.dataset,
                images.find(self.job.settings.image),
                here.sandbox,
                there.sandbox,
                self.adversaries,
                here.limits or Limits(),
                shares=len(self.job.tasks) >= 2 * SHARE,
            )
            self._todo = deque(pieces(here.dataset, self._certifier.base, self.job.tasks))
            self._pool = WorkerPool(self._work, self._close)
            self.watcher.on_start(len(self.job.tasks), 0, 0)
            try:
                self._pool.run(min(self.parallel, len(self._todo)))
            except KeyboardInterrupt as error:
                raise InterruptedRunError("stopped: nothing is written (fewer tasks: --limit N)") from error
            finally:
                self._close()
                self.watcher.close()
        return tuple(self._found[task.id] for task in self.job.tasks)

    def _work(self) -> None:
        while not self._pool.stopped.is_set():
            try:
                piece = self._todo.popleft()
            except IndexError:
                return
            self._certifier.certify(piece, self._note)

    def _note(self, verdict: TaskVerdict) -> None:
        if self._pool.stopped.is_set():  # its sandbox was taken away: what it says is not to be believed
            raise InterruptedRunError("stopped")
        with self._lock:
            self._found[verdict.task] = verdict
        self.watcher.on_reset((verdict.task, 0))
        self.watcher.on_episode_end((verdict.task, 0), verdict.is_certified, verdict.error)

    def _close(self) -> None:
        self.job.close()
        self.elsewhere.close()


def pieces(dataset: Dataset, base: Image, tasks: Sequence[Task]) -> list[Piece]:
    """*tasks*, each with its number, in pieces that share an image; in their order."""
    found: list[Piece] = []
    for _, group in groupby(enumerate(tasks), key=lambda each: dataset.image(each[1], base).digest):
        piece = list(group)
        found += [piece[at : at + MOST] for at in range(0, len(piece), MOST)]
    return found
