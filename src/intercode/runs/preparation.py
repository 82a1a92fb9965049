"""What playing a data set needs, made ahead: images, databases, and the golds' endings."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from intercode.env.env import Env
from intercode.errors import InterruptedRunError, MachineError
from intercode.runs.callback import ProgressCallback
from intercode.runs.job import Job
from intercode.runs.parallel_map import ParallelMap
from intercode.runs.verdicts import Verdict, Verdicts
from intercode.types import Task

STOPPED = "stopped: what was made is kept; the same command goes on from there"


@dataclass(frozen=True)
class Preparation:
    """Makes what the tasks of *job* need, *parallel* at a time. What is there already is only looked up."""

    job: Job
    parallel: int = 1
    callback: ProgressCallback = field(default_factory=ProgressCallback)

    def run(self) -> tuple[Verdict, ...]:
        """Return what came of it, task by task.

        Raises:
            InterruptedRunError: After Ctrl-C.
        """
        look = partial(prepare_task, verdicts=Verdicts.of(self.job.settings))
        try:
            return ParallelMap(self.job.tasks, (self.job,), look, self.parallel, self.callback).run()
        except InterruptedRunError as error:
            raise InterruptedRunError(STOPPED) from error


def prepare_task(envs: Sequence[Env], task: Task, moved: Callable[[], None], *, verdicts: Verdicts) -> Verdict:
    """Begin an episode of *task*, for which its image is built and its database loaded, and study its golds.

    Where nothing of that is kept on disk but the verdict, and that is good, only the episode is begun.
    """
    (env,) = envs
    known, began, golds = verdicts.find(env.dataset, task), time.monotonic(), 0
    try:
        moved()
        env.start_episode(task)
        moved()
        if known is not None and known.is_good and not known.golds:
            return known
        golds = env.keep_golds()
        moved()
        error = env.fault()
    except MachineError as failure:
        error = f"{type(failure).__name__}: {failure}"
    moved()  # else it was stopped, and its sandbox is gone: that says nothing of the task
    found = Verdict(task.id, golds, error, round(time.monotonic() - began, 1), env.dataset.task_checksum(task))
    verdicts.keep(found)
    return found
