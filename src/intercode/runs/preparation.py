"""What playing a data set needs, made ahead: images, databases, and the golds' endings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from intercode.envs.base import Env
from intercode.errors import InterruptedRunError, MachineError
from intercode.runs.callback import ProgressCallback
from intercode.runs.job import Job
from intercode.runs.parallel_map import ParallelMap
from intercode.types import Task

STOPPED = "stopped: what was made is kept; the same command goes on from there"


@dataclass(frozen=True, slots=True)
class TaskPreparation:
    """What came of one task: how many of its golds are kept for other processes; `error` is the machine's."""

    task: str
    golds: int = 0
    error: str = ""

    @property
    def is_good(self) -> bool:
        """Whether its episodes can begin at once."""
        return not self.error


@dataclass(frozen=True)
class Preparation:
    """Makes what the tasks of *job* need, *parallel* at a time. What is there already is only looked up."""

    job: Job
    parallel: int = 1
    callback: ProgressCallback = field(default_factory=ProgressCallback)

    def run(self) -> tuple[TaskPreparation, ...]:
        """What came of it, task by task.

        Raises:
            InterruptedRunError: After Ctrl-C.
        """
        try:
            return ParallelMap(self.job.tasks, (self.job,), prepare_task, self.parallel, self.callback).run()
        except InterruptedRunError as error:
            raise InterruptedRunError(STOPPED) from error


def prepare_task(envs: Sequence[Env], task: Task, moved: Callable[[], None]) -> TaskPreparation:
    """Begin an episode of *task*, for which its image is built and its database loaded, and study its golds."""
    (env,) = envs
    try:
        moved()
        env.start_episode(task)
        moved()
        return TaskPreparation(task.id, env.keep_golds())
    except MachineError as error:
        return TaskPreparation(task.id, error=f"{type(error).__name__}: {error}")
