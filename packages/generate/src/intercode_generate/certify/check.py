"""Certifies the tasks of a job, whatever their world: hackcheck, then second golds and near misses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from intercode.agents.base import Agent
from intercode.agents.oracle import OracleAgent
from intercode.audit.hackcheck.check import HackCheck
from intercode.audit.hackcheck.verdict import TaskCheck
from intercode.env.env import Env
from intercode.runs.episode import EpisodeRun
from intercode.runs.parallel_map import ParallelMap
from intercode.runs.runner import seed_of
from intercode.types import Score, Task, TaskView
from intercode_generate.certify.materials import Materials
from intercode_generate.certify.verdict import TaskVerdict


class PlayedTextAgent(OracleAgent):
    """Plays a text as the oracle plays the gold, and is judged by the task's own gold."""

    sees_gold = False

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def reset(self, task: TaskView, *, seed: int, gold: str | None = None) -> None:
        super().reset(task, seed=seed, gold=self._text)


@dataclass(frozen=True)
class TaskCertifier:
    """Looks at every task as *hackcheck* does, and at what the task brings beyond its gold."""

    hackcheck: HackCheck

    def run(self) -> tuple[TaskVerdict, ...]:
        """Task by task in the job's order; may be called once.

        Raises:
            InterruptedRunError: After Ctrl-C.
        """
        it = self.hackcheck
        return ParallelMap(it.job.tasks, (it.job, it.elsewhere), self.certify, it.parallel, it.callback).run()

    def certify(self, envs: Sequence[Env], task: Task, moved: Callable[[], None]) -> TaskVerdict:
        """Return one task."""
        check = self.hackcheck.check(envs, task, moved)
        materials = Materials.of(task)
        reasons = list(_complaints(check, self.hackcheck))
        survivors: list[str] = []
        error = check.error
        for text in materials.second_golds:
            score, broken = self._play(envs[0], PlayedTextAgent(text), task, moved)
            error = error or broken
            if score is None or not score.success:
                reasons.append(f"second gold: it scores {0 if score is None else score.value:.2f}")
        for text in materials.near_misses:
            score, broken = self._play(envs[0], PlayedTextAgent(text), task, moved)
            error = error or broken
            if score is not None and score.success:
                survivors.append(text)
                if not materials.mutated:
                    reasons.append(f"near miss: {text[:80]!r} scores 1")
        return TaskVerdict(
            task=task.id,
            reasons=tuple(reasons),
            error=error,
            second_golds=len(materials.second_golds),
            near_misses=len(materials.near_misses),
            mutants=materials.mutated,
            survivors=tuple(survivors),
            attempts=check.attempts,
            most_paid=max((each.value(check.scoring) for each in check.adversaries if each.guesses), default=0.0),
            warnings=check.warnings,
        )

    def _play(self, env: Env, agent: Agent, task: Task, moved: Callable[[], None]) -> tuple[Score | None, str]:
        """Return the score that counts, and what the machine did to it."""
        moved()
        played = EpisodeRun(env, agent, task, name="certify", seed=seed_of(0, task.id, 0)).play()
        scores = played.scores
        return (None if scores is None else scores[self.hackcheck.job.scoring]), played.error


def _complaints(check: TaskCheck, hackcheck: HackCheck) -> Iterator[str]:
    """Yield what hackcheck found.

    Unlike there, an adversary whose luck is to end as the gold does spoils a task too.
    """
    if not check.gold_is_right(check.scoring) or not check.is_judged:
        yield f"gold: {check.why_gold_is_wrong(check.scoring) or 'nothing judges it'}"
    paid = {each.name for each in check.paid(check.scoring)}
    lucky = {each.name for each in check.adversaries if each.succeeds(check.scoring)}
    for name in sorted(paid | lucky):
        yield f"adversary: {name} is paid"
    for name, how in check.reward_failures:
        yield f"reward: {name} makes it fail: {how}"
