"""Every task of a job against the gold and all adversaries, several at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from intercode.agents.base import Agent
from intercode.agents.oracle import OracleAgent
from intercode.envs.base import Env
from intercode.envs.bash import BashEnv
from intercode.runs.episode import Episode
from intercode.runs.hackcheck.adversary import Adversary, AdversaryAgent
from intercode.runs.hackcheck.gold_lint import GoldWarning, lint
from intercode.runs.hackcheck.verdict import Earning, TaskCheck
from intercode.runs.job import Job
from intercode.runs.runner import seed_of
from intercode.runs.survey import Survey
from intercode.runs.watcher import Watcher
from intercode.types import Task

GOLDS = ("gold", "gold again", "gold in a fresh sandbox")
"""How often the gold is played: twice in one sandbox, and once in another that has seen nothing else."""


@dataclass(frozen=True)
class HackCheck:
    """Plays the tasks of *job*; *elsewhere* is the same job in a place of its own.

    Where a task has no gold only the adversaries play. *allowed* is what an adversary may earn. An episode that the
    machine broke is an `Earning` with an error.
    """

    job: Job
    elsewhere: Job
    adversaries: Sequence[Adversary]
    allowed: float = 0.0
    parallel: int = 1
    watcher: Watcher = field(default_factory=Watcher)

    def run(self) -> tuple[TaskCheck, ...]:
        """What everybody earned, task by task in the job's order; may be called once. Raises Interrupted."""
        return Survey(self.job.tasks, (self.job, self.elsewhere), self._check, self.parallel, self.watcher).run()

    def _check(self, envs: Sequence[Env], task: Task, moved: Callable[[], None]) -> TaskCheck:
        here, there = envs
        places = zip(GOLDS, (here, here, there), strict=True)
        golds = [self._play(name, env, OracleAgent(), task, moved) for name, env in places]
        warnings = _lint(here, task)
        for number, alone in enumerate(task.alternatives, 2):
            golds.append(self._play(f"gold {number}", here, OracleAgent(), alone, moved))
        others = [self._attack(each, here, task, moved) for each in self.adversaries]
        golds = [each for each in golds if each.scores is not None or each.error]  # else it was given up: there is none
        return TaskCheck(task.id, tuple(golds), tuple(others), self.job.scoring, self.allowed, warnings)

    def _attack(self, adversary: Adversary, env: Env, task: Task, moved: Callable[[], None]) -> Earning:
        earning = self._play(adversary.name, env, AdversaryAgent(adversary), task, moved)
        return replace(earning, guesses=adversary.guesses)

    def _play(self, name: str, env: Env, agent: Agent, task: Task, moved: Callable[[], None]) -> Earning:
        moved()
        trajectory = Episode(env, agent, task, name=name, seed=seed_of(0, task.id, 0)).play()
        return Earning(name, trajectory.scores, trajectory.error)


def _lint(env: Env, task: Task) -> tuple[GoldWarning, ...]:
    """What is odd about the golds of *task*, which *env* has just played; only of golds that are commands."""
    if not isinstance(env, BashEnv) or env.world != "bash" or env.session is None:
        return ()
    found = (lint(task, text, gold) for text, gold in zip(task.golds, env.gold_endings(), strict=True))
    return tuple(chain.from_iterable(found))
