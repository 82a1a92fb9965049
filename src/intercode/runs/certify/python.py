"""The quick way to certify Python tasks: what hackcheck and `TaskCertifier` play, judged by the same judge.

What is left out is the published reward. The judge runs actions again in a session of its own. So an attempt that never
looks at what it is shown is not played in an episode before, and one that is known to fail is not played at all
(`python_foresight.py`). All tasks share a session, as long as no attempt leaves anything in it (`attempt_session.py`).
Each gold has to score 1 in it at the end, too; one that does not is judged in a session of its own. What is done with
one task stands in `python_task_run.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from intercode.envs.base import Env
from intercode.envs.python import PythonEnv
from intercode.errors import MachineError, RewardError
from intercode.runs.callback import ProgressCallback
from intercode.runs.certify.python_task_run import PythonPlace, PythonTaskRun
from intercode.runs.certify.verdict import TaskVerdict
from intercode.runs.hackcheck.adversary import Adversary
from intercode.runs.hackcheck.check import SHARE
from intercode.runs.job import Job
from intercode.runs.parallel_map import ParallelMap
from intercode.types import Task


def suits(job: Job) -> bool:
    """Whether the world's own `exact` judges all tasks of *job* by assertions, as `PythonCertifier` does."""
    with job.make_env() as env:
        is_plain = type(env) is PythonEnv and env.sandbox.isolated and env._judge.reward is None
    return is_plain and job.scoring == "exact" and all(task.extra.get("tests") for task in job.tasks)


@dataclass(frozen=True)
class PythonCertifier:
    """Certifies the tasks of *job*, *parallel* at a time; *elsewhere* is the same job in a place of its own."""

    job: Job
    elsewhere: Job
    adversaries: Sequence[Adversary]
    parallel: int
    callback: ProgressCallback = field(default_factory=ProgressCallback)
    foresees: bool = True
    """Whether attempts are left out of which it is known before that they cannot score 1."""

    _numbers: dict[str, int] = field(default_factory=dict, init=False)
    _places: dict[int, PythonPlace] = field(default_factory=dict, init=False)

    def run(self) -> tuple[TaskVerdict, ...]:
        """Task by task in the job's order; may be called once.

        Raises:
            InterruptedRunError: After Ctrl-C.
        """
        self._numbers.update((task.id, number) for number, task in enumerate(self.job.tasks))
        jobs = (self.job, self.elsewhere)
        try:
            return ParallelMap(self.job.tasks, jobs, self.certify, self.parallel, self.callback).run()
        finally:
            for place in self._places.values():
                place.close()

    def certify(self, envs: Sequence[Env], task: Task, moved: Callable[[], None]) -> TaskVerdict:
        """One task; *moved* is called before each attempt."""
        here, there = envs
        assert isinstance(here, PythonEnv)
        assert isinstance(there, PythonEnv)
        if task.gold is None:
            return TaskVerdict(task.id, ("gold: there is none",))
        turn = self._numbers.get(task.id, 0) % SHARE if len(self.job.tasks) >= 2 * SHARE else None
        try:
            places = self._place(here), self._place(there)
            return PythonTaskRun(*places, task, self.adversaries, turn, moved, self.foresees).verdict()
        except (MachineError, RewardError) as error:
            return TaskVerdict(task.id, error=f"{type(error).__name__}: {error}")

    def _place(self, env: PythonEnv) -> PythonPlace:
        """Where all tasks are judged that *env*, which belongs to one thread, has to do with."""
        return self._places.setdefault(id(env), PythonPlace(env))
