"""Bash tasks certified several images at a time: what shares a file system is one piece of work.

Who finds no piece left takes tasks of the longest one that is being worked at, so that all end at the same time.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import ClassVar, Protocol

from intercode.envs.base import Env
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
from intercode.types import Task

MOST = 64
"""Tasks of one piece of work: all that was seen on the way is remembered until its end."""

Piece = deque[tuple[int, Task]]
"""Tasks that are left of it, each with its number in the whole."""


class Certifier(Protocol):
    """Certifies the tasks of one piece of work. Several threads may be at one."""

    def certify(
        self, tasks: Iterator[tuple[int, Task]], done: Callable[[TaskVerdict], None]
    ) -> tuple[TaskVerdict, ...]:
        """Tasks that stand on the same thing, each with its number; *done* hears of each.

        Raises:
            MachineError: If the sandbox or the database breaks.
        """


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
    callback: ProgressCallback = field(default_factory=ProgressCallback)
    helps: ClassVar[bool] = True
    """Whether a worker helps at a piece that another has begun."""

    def run(self) -> tuple[TaskVerdict, ...]:
        """Task by task in the job's order; may be called once.

        Raises:
            InterruptedRunError: After Ctrl-C.
        """
        self._found: dict[str, TaskVerdict] = {}
        self._lock = threading.Lock()
        with self.job.make_env() as here, self.elsewhere.make_env() as there:
            certifier, found = self._prepare(here, there)
            self._certifier, self._todo, self._begun = certifier, deque(found), list[Piece]()
            self._pool = WorkerPool(self._work, self._close)
            self.callback.on_start(len(self.job.tasks), 0, 0)
            try:
                self._pool.run(min(self.parallel, len(self.job.tasks)))
            except KeyboardInterrupt as error:
                raise InterruptedRunError("stopped: nothing is written (fewer tasks: --limit N)") from error
            finally:
                self._close()
                self.callback.close()
        return tuple(self._found[task.id] for task in self.job.tasks)

    def _prepare(self, here: Env, there: Env) -> tuple[Certifier, list[Piece]]:
        """Who certifies in these two environments, and the pieces of work."""
        base = images.find(self.job.settings.image)
        limits = here.limits or Limits()
        certifier = BashCertifier(
            here.dataset, base, here.sandbox, there.sandbox, self.adversaries, limits, shares=self.shares
        )
        tasks = self.job.tasks
        return certifier, pieces(tasks, lambda task: here.dataset.image(task, base).digest)

    @property
    def shares(self) -> bool:
        """Whether attempts that have nothing to do with a task are shared out among the tasks."""
        return len(self.job.tasks) >= 2 * SHARE

    def _work(self) -> None:
        while not self._pool.stopped.is_set() and (piece := self._choose()):
            self._certifier.certify(_taken_from(piece), self._note)

    def _choose(self) -> Piece | None:
        """A piece that nobody has begun, else the one of which most is left."""
        with self._lock:
            if not self._todo:
                return max(self._begun, key=len, default=None) if self.helps else None
            self._begun.append(self._todo.popleft())
            return self._begun[-1]

    def _note(self, verdict: TaskVerdict) -> None:
        if self._pool.stopped.is_set():  # its sandbox was taken away: what it says is not to be believed
            raise InterruptedRunError("stopped")
        with self._lock:
            self._found[verdict.task] = verdict
        self.callback.on_reset((verdict.task, 0))
        self.callback.on_episode_end((verdict.task, 0), verdict.is_certified, verdict.error)

    def _close(self) -> None:
        self.job.close()
        self.elsewhere.close()


def pieces(tasks: Sequence[Task], stands_on: Callable[[Task], str]) -> list[Piece]:
    """*tasks*, each with its number, in pieces that stand on the same thing; in their order."""
    found: list[Piece] = []
    for _, group in groupby(enumerate(tasks), key=lambda each: stands_on(each[1])):
        piece = list(group)
        found += [deque(piece[at : at + MOST]) for at in range(0, len(piece), MOST)]
    return found


def _taken_from(piece: Piece) -> Iterator[tuple[int, Task]]:
    """What is left of *piece*, one after the other, as long as nobody else takes it."""
    while True:
        try:
            taken = piece.popleft()
        except IndexError:
            return
        yield taken
