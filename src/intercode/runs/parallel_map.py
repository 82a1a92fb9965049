"""Something done to every task of a job, several at a time, with nothing stored: checks of data sets are made of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from intercode.env.env import Env
from intercode.errors import InterruptedRunError
from intercode.runs.callback import ProgressCallback
from intercode.runs.job import Job
from intercode.runs.worker_pool import WorkerPool
from intercode.types import Task


class Finding(Protocol):
    """What was found out about one task."""

    @property
    def is_good(self) -> bool:
        """Return whether it is as it should be."""

    @property
    def error(self) -> str:
        """Return what the machine did to it; "" for nothing."""


Found = TypeVar("Found", bound=Finding)


@dataclass
class ParallelMap(Generic[Found]):
    """Looks at each of *tasks* by *look*, which gets an environment of each of *jobs*, and how to tell of its progress.

    Every thread has environments of its own. `run` may be called once.
    """

    tasks: Sequence[Task]
    jobs: Sequence[Job]
    look: Callable[[Sequence[Env], Task, Callable[[], None]], Found]
    parallel: int = 1
    callback: ProgressCallback = field(default_factory=ProgressCallback)

    def __post_init__(self) -> None:
        self._todo = deque(self.tasks)
        self._found: dict[str, Found] = {}
        self._worker_pool = WorkerPool(self._work, self._close)

    def run(self) -> tuple[Found, ...]:
        """Return what was found, task by task; after `stop`, of the tasks that were looked at until then.

        Raises:
            InterruptedRunError: After Ctrl-C. Bugs, and what *look* raises, go through.
        """
        self.callback.on_start(len(self.tasks), 0, 0)
        try:
            if self.tasks:
                self._worker_pool.run(min(self.parallel, len(self.tasks)))
        except (KeyboardInterrupt, InterruptedRunError) as error:
            raise InterruptedRunError(
                "stopped: nothing is stored, so begin it again (fewer tasks: --limit N)"
            ) from error
        finally:
            self._close()
            self.callback.close()
        return tuple(self._found[task.id] for task in self.tasks if task.id in self._found)

    def stop(self) -> None:
        """Have `run` return now; may be called from any thread."""
        self._worker_pool.stopped.set()

    def _work(self) -> None:
        """One thread's life: task after task."""
        with ExitStack() as stack:
            envs = [stack.enter_context(job.make_env()) for job in self.jobs]
            while self._todo and not self._worker_pool.stopped.is_set():
                try:
                    task = self._todo.popleft()
                except IndexError:  # another thread was quicker
                    return
                self._look(envs, task)

    def _look(self, envs: Sequence[Env], task: Task) -> None:
        key, turns = (task.id, 0), 0

        def on_turns() -> None:
            nonlocal turns
            if self._worker_pool.stopped.is_set():
                raise InterruptedRunError("stopped")
            turns += 1
            self.callback.on_step(key, turns)

        self.callback.on_reset(key)
        found = self.look(envs, task, on_turns)
        if not self._worker_pool.stopped.is_set():  # else its sandbox is gone: what it says is not to be believed
            self._found[task.id] = found
            self.callback.on_episode_end(key, found.is_good, found.error)

    def _close(self) -> None:
        for job in self.jobs:
            job.close()
