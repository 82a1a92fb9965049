"""Every task of a job against the gold and all adversaries, several at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from intercode.agents.base import Agent
from intercode.agents.oracle import OracleAgent
from intercode.envs.base import Env
from intercode.errors import Interrupted
from intercode.runs.crew import Crew
from intercode.runs.episode import Episode
from intercode.runs.hackcheck.adversary import Adversary, AdversaryAgent
from intercode.runs.hackcheck.verdict import Earning, TaskCheck
from intercode.runs.job import Job
from intercode.runs.runner import seed_of
from intercode.runs.watcher import Watcher
from intercode.types import Task

GOLDS = ("gold", "gold again", "gold in a fresh sandbox")
"""How often the gold is played: twice in one sandbox, and once in another that has seen nothing else."""


@dataclass
class HackCheck:
    """Plays the tasks of *job* that have a gold; *elsewhere* is the same job in a place of its own.

    `run` may be called once. It raises MachineError only for what ends all work; an episode that the machine broke is
    an `Earning` with an error.
    """

    job: Job
    elsewhere: Job
    adversaries: Sequence[Adversary]
    allowed: float = 0.0
    parallel: int = 1
    watcher: Watcher = field(default_factory=Watcher)

    def __post_init__(self) -> None:
        self.tasks = [task for task in self.job.tasks if task.gold is not None]
        self._todo = deque(self.tasks)
        self._checked: dict[str, TaskCheck] = {}
        self._crew = Crew(self._work, self._close)

    def run(self) -> tuple[TaskCheck, ...]:
        """What everybody earned, task by task in the job's order. Raises Interrupted after Ctrl-C."""
        self.watcher.planned(len(self.tasks), 0, 0)
        try:
            if self.tasks:
                self._crew.run(min(self.parallel, len(self.tasks)))
        except KeyboardInterrupt as error:
            raise Interrupted("stopped: nothing is stored, so begin it again (fewer tasks: --limit N)") from error
        finally:
            self._close()
            self.watcher.close()
        return tuple(self._checked[task.id] for task in self.tasks)

    def _work(self) -> None:
        """One thread's life: two environments, task after task."""
        with ExitStack() as stack:
            here, there = (stack.enter_context(job.make_env()) for job in (self.job, self.elsewhere))
            while (task := self._next()) is not None:
                self.watcher.began((task.id, 0))
                check = self._check(here, there, task)
                if check is None:
                    return
                self._checked[task.id] = check
                self.watcher.ended((task.id, 0), check.is_sound(self.job.scoring), check.error)

    def _check(self, here: Env, there: Env, task: Task) -> TaskCheck | None:
        """None where the work was stopped half way."""
        plan: list[tuple[str, Env, Agent]] = [
            (name, env, OracleAgent()) for name, env in zip(GOLDS, (here, here, there), strict=True)
        ]
        plan += [(each.name, here, AdversaryAgent(each)) for each in self.adversaries]
        earned = []
        for turn, (name, env, agent) in enumerate(plan, 1):
            self.watcher.turned((task.id, 0), turn)
            earned.append(_play(name, env, agent, task))
            if self._crew.stopped.is_set():
                return None
        return TaskCheck(task.id, tuple(earned[: len(GOLDS)]), tuple(earned[len(GOLDS) :]), self.allowed)

    def _next(self) -> Task | None:
        try:
            return None if self._crew.stopped.is_set() else self._todo.popleft()
        except IndexError:
            return None

    def _close(self) -> None:
        self.job.close()
        self.elsewhere.close()


def _play(name: str, env: Env, agent: Agent, task: Task) -> Earning:
    trajectory = Episode(env, agent, task, name=name, seed=seed_of(0, task.id, 0)).play()
    return Earning(name, trajectory.scores, trajectory.error)
